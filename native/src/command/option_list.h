// Declares the options of a command. CLI11, which parses them, takes seconds to compile: only the sources of
// this and of the command line include it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace patina {

// Handle of one option, to set its properties.
class OptionHandle {
 public:
  explicit OptionHandle(CLI::Option* option) : option_(option) {}
  OptionHandle& required(bool is_required = true);
  OptionHandle& range(int least, int most);
  OptionHandle& range(uint64_t least, uint64_t most);
  OptionHandle& range(double least, double most);
  OptionHandle& positive();
  // Accepts a size such as 1073741824, 1GiB or 256 KiB; powers of 1024 only.
  OptionHandle& in_bytes();
  // Shows the default, or these words for it, in the help.
  OptionHandle& show_default();
  OptionHandle& show_default(const char* words);

 private:
  CLI::Option* option_;
};

// The options of a command, or of a group of them. `names`: "--data,--data-mode"; without dashes it is
// positional.
class OptionList {
 public:
  explicit OptionList(CLI::App& app) : app_(&app) {}

  OptionHandle add(const char* names, std::string& value, const char* what);
  OptionHandle add(const char* names, std::vector<std::string>& values, const char* what);
  OptionHandle add(const char* names, int& value, const char* what);
  OptionHandle add(const char* names, uint32_t& value, const char* what);
  OptionHandle add(const char* names, uint64_t& value, const char* what);
  OptionHandle add(const char* names, double& value, const char* what);
  OptionHandle add(const char* names, std::optional<int>& value, const char* what);
  OptionHandle add(const char* names, std::optional<uint64_t>& value, const char* what);
  OptionHandle add(const char* names, std::optional<double>& value, const char* what);
  void add_flag(const char* names, bool& value, const char* what);
  // Adds an option to the help only; command_line.cc reads it before the others.
  void add_note(const char* names, const char* what);
  // Adds an option that takes one of these words.
  template <typename Value>
  OptionHandle add_choice(const char* names, Value& value, const char* what,
                          const std::type_identity_t<std::vector<std::pair<std::string, Value>>>& choices) {
    std::vector<std::string> words;
    for (const auto& [word, meaning] : choices) words.push_back(word);
    return add_word(names, what, words, [&value, choices](size_t index) { value = choices[index].second; });
  }

  OptionList group(const char* name, const char* what);
  // Requires that so many of them are given.
  void require(size_t least, size_t most);
  void footer(const char* text);

  // Reports whether an option was given, once the words are read. The name includes its dashes.
  bool given(const char* name) const;

 private:
  OptionHandle add_word(const char* names, const char* what, const std::vector<std::string>& words,
                        const std::function<void(size_t)>& set);

  CLI::App* app_;
};

}  // namespace patina
