// Ranges are checked here; what values mean together is checked by the readers of each kind.
#include "disk_model/spec_reader.h"

#include <fmt/format.h>

#include <cmath>

namespace patina {
namespace {

using nlohmann::json;

const json& empty_object() {
  static const json kEmpty = json::object();
  return kEmpty;
}

// A value as a message shows it; a long one is cut.
std::string shown(const json& value) {
  constexpr size_t kMostBytes = 40;
  const std::string text = value.dump(-1, ' ', true, json::error_handler_t::replace);
  return text.size() <= kMostBytes ? text : text.substr(0, kMostBytes) + "...";
}

}  // namespace

SpecReader::SpecReader(const json& value, std::string place, std::string& problem)
    : object_(&value), place_(std::move(place)), problem_(&problem) {
  if (value.is_object()) return;
  record(fmt::format("{} is not a JSON object", place_.empty() ? "the model" : "'" + place_ + "'"));
  object_ = &empty_object();
}

std::string SpecReader::place_of(std::string_view key) const {
  return place_.empty() ? std::string(key) : fmt::format("{}.{}", place_, key);
}

void SpecReader::record(std::string message) {
  if (problem_->empty()) *problem_ = std::move(message);
}

void SpecReader::refuse(const char* key, const std::string& reason) {
  record(fmt::format("'{}' {}", place_of(key), reason));
}

bool SpecReader::has(const char* key) const {
  return object_->contains(key);
}

const json* SpecReader::find(const char* key) {
  read_.insert(key);
  const auto found = object_->find(key);
  if (found != object_->end()) return &*found;
  refuse(key, "is missing");
  return nullptr;
}

uint64_t SpecReader::checked_integer(const char* key, const json& value, uint64_t least, uint64_t most) {
  if (value.is_number_unsigned()) {
    const auto number = value.get<uint64_t>();
    if (number >= least && number <= most) return number;
  }
  refuse(key, fmt::format("is {}; it must be an integer from {} to {}", shown(value), least, most));
  return least;
}

double SpecReader::checked_number(const char* key, const json& value, double least, double most) {
  if (value.is_number()) {
    const auto number = value.get<double>();
    if (number >= least && number <= most) return number;
  }
  refuse(key, fmt::format("is {}; it must be a number from {} to {}", shown(value), least, most));
  return least;
}

uint64_t SpecReader::integer(const char* key, uint64_t least, uint64_t most) {
  const json* value = find(key);
  return value == nullptr ? least : checked_integer(key, *value, least, most);
}

uint64_t SpecReader::integer(const char* key, uint64_t least, uint64_t most, uint64_t fallback) {
  return has(key) ? integer(key, least, most) : fallback;
}

double SpecReader::number(const char* key, double least, double most) {
  const json* value = find(key);
  return value == nullptr ? least : checked_number(key, *value, least, most);
}

double SpecReader::number(const char* key, double least, double most, double fallback) {
  return has(key) ? number(key, least, most) : fallback;
}

uint64_t SpecReader::time_ns(const char* key, double least, double most, double unit_ns) {
  return static_cast<uint64_t>(std::llround(number(key, least, most) * unit_ns));
}

uint64_t SpecReader::time_ns(const char* key, double least, double most, double unit_ns, double fallback) {
  return static_cast<uint64_t>(std::llround(number(key, least, most, fallback) * unit_ns));
}

bool SpecReader::flag(const char* key, bool fallback) {
  if (!has(key)) return fallback;
  const json* value = find(key);
  if (value->is_boolean()) return value->get<bool>();
  refuse(key, fmt::format("is {}; it must be true or false", shown(*value)));
  return fallback;
}

std::string SpecReader::text(const char* key, size_t most_bytes) {
  const json* value = find(key);
  if (value == nullptr) return "";
  if (value->is_string()) {
    auto text = value->get<std::string>();
    if (!text.empty() && text.size() <= most_bytes) return text;
  }
  refuse(key, fmt::format("is {}; it must be a text of 1 to {} bytes", shown(*value), most_bytes));
  return "";
}

std::string SpecReader::text_or_empty(const char* key, size_t most_bytes) {
  return has(key) ? text(key, most_bytes) : "";
}

size_t SpecReader::choice(const char* key, std::span<const char* const> words) {
  const json* value = find(key);
  if (value == nullptr) return 0;
  std::string known;
  for (size_t i = 0; i < words.size(); ++i) {
    if (value->is_string() && value->get_ref<const std::string&>() == words[i]) return i;
    known.append(i == 0 ? "" : ", ").append(words[i]);
  }
  refuse(key, fmt::format("is {}; it must be one of {}", shown(*value), known));
  return 0;
}

const json& SpecReader::value(const char* key) {
  const json* value = find(key);
  return value == nullptr ? empty_object() : *value;
}

SpecReader SpecReader::object(const char* key) {
  return {value(key), place_of(key), *problem_};
}

std::vector<SpecReader> SpecReader::list(const char* key, size_t least, size_t most) {
  std::vector<SpecReader> items;
  const json* value = find(key);
  if (value == nullptr) return items;
  if (!value->is_array() || value->size() < least || value->size() > most) {
    refuse(key, fmt::format("must be a list of {} to {} objects", least, most));
    return items;
  }
  items.reserve(value->size());
  for (size_t i = 0; i < value->size(); ++i) {
    items.emplace_back((*value)[i], fmt::format("{}[{}]", place_of(key), i), *problem_);
  }
  return items;
}

void SpecReader::refuse_others() {
  for (const auto& [key, ignored] : object_->items()) {
    if (!read_.contains(key)) {
      record(fmt::format("'{}' is not a known key", place_of(key.substr(0, 80))));
      return;
    }
  }
}

}  // namespace patina
