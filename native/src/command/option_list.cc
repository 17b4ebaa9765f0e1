// Declares options with CLI11.
#include "command/option_list.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>

namespace patina {

OptionHandle& OptionHandle::required(bool is_required) {
  option_->required(is_required);
  return *this;
}

OptionHandle& OptionHandle::range(int least, int most) {
  option_->check(CLI::Range(least, most));
  return *this;
}

OptionHandle& OptionHandle::range(uint64_t least, uint64_t most) {
  option_->check(CLI::Range(least, most));
  return *this;
}

OptionHandle& OptionHandle::range(double least, double most) {
  option_->check(CLI::Range(least, most));
  return *this;
}

OptionHandle& OptionHandle::positive() {
  option_->check(CLI::PositiveNumber);
  return *this;
}

OptionHandle& OptionHandle::in_bytes() {
  option_->transform(CLI::AsNumberWithUnit(
      std::map<std::string, uint64_t>{
          {"B", 1}, {"KiB", 1ULL << 10U}, {"MiB", 1ULL << 20U}, {"GiB", 1ULL << 30U}, {"TiB", 1ULL << 40U}},
      CLI::AsNumberWithUnit::CASE_SENSITIVE, "BYTES[KiB|MiB|GiB|TiB]"));
  return *this;
}

OptionHandle& OptionHandle::show_default() {
  option_->capture_default_str();
  return *this;
}

OptionHandle& OptionHandle::show_default(const char* words) {
  option_->default_str(words);
  return *this;
}

OptionHandle OptionList::add(const char* names, std::string& value, const char* what) {
  return OptionHandle(app_->add_option(names, value, what));
}

OptionHandle OptionList::add(const char* names, std::vector<std::string>& values, const char* what) {
  return OptionHandle(app_->add_option(names, values, what));
}

OptionHandle OptionList::add(const char* names, int& value, const char* what) {
  return OptionHandle(app_->add_option(names, value, what));
}

OptionHandle OptionList::add(const char* names, uint32_t& value, const char* what) {
  return OptionHandle(app_->add_option(names, value, what));
}

OptionHandle OptionList::add(const char* names, uint64_t& value, const char* what) {
  return OptionHandle(app_->add_option(names, value, what));
}

OptionHandle OptionList::add(const char* names, double& value, const char* what) {
  return OptionHandle(app_->add_option(names, value, what));
}

OptionHandle OptionList::add(const char* names, std::optional<int>& value, const char* what) {
  return OptionHandle(app_->add_option(names, value, what));
}

OptionHandle OptionList::add(const char* names, std::optional<uint64_t>& value, const char* what) {
  return OptionHandle(app_->add_option(names, value, what));
}

OptionHandle OptionList::add(const char* names, std::optional<double>& value, const char* what) {
  return OptionHandle(app_->add_option(names, value, what));
}

void OptionList::add_flag(const char* names, bool& value, const char* what) {
  app_->add_flag(names, value, what);
}

void OptionList::add_note(const char* names, const char* what) {
  const std::string text = what;  // const, as this overload requires
  app_->add_option(names, text);
}

OptionHandle OptionList::add_word(const char* names, const char* what, const std::vector<std::string>& words,
                                  const std::function<void(size_t)>& set) {
  const CLI::callback_t take = [words, set](const CLI::results_t& given) {
    set(static_cast<size_t>(std::find(words.begin(), words.end(), given.front()) - words.begin()));
    return true;
  };
  return OptionHandle(app_->add_option(names, take, what)->type_name("TEXT")->check(CLI::IsMember(words)));
}

OptionList OptionList::group(const char* name, const char* what) {
  return OptionList(*app_->add_option_group(name, what));
}

void OptionList::require(size_t least, size_t most) {
  app_->require_option(least, most);
}

void OptionList::footer(const char* text) {
  app_->footer(text);
}

bool OptionList::given(const char* name) const {
  return app_->get_option(name)->count() > 0;
}

}  // namespace patina
