// Reads the values of one JSON object of a model file. The first wrong one is kept, with its place and range.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace patina {

// A value that is wrong or missing reads as the least one, so that a caller checks once, at the end.
class SpecReader {
 public:
  // `problem`: of the whole document; empty as long as nothing is wrong. `place`: "" is the document itself.
  SpecReader(const nlohmann::json& value, std::string place, std::string& problem);

  bool has(const char* key) const;
  // Integers and numbers are from `least` to `most`; without a fallback they are required.
  uint64_t integer(const char* key, uint64_t least, uint64_t most);
  uint64_t integer(const char* key, uint64_t least, uint64_t most, uint64_t fallback);
  double number(const char* key, double least, double most);
  double number(const char* key, double least, double most, double fallback);
  // `unit_ns`: nanoseconds of the unit that the key is in.
  uint64_t time_ns(const char* key, double least, double most, double unit_ns);
  uint64_t time_ns(const char* key, double least, double most, double unit_ns, double fallback);
  bool flag(const char* key, bool fallback);
  std::string text(const char* key, size_t most_bytes);
  std::string text_or_empty(const char* key, size_t most_bytes);
  // Index of the word among `words`.
  size_t choice(const char* key, std::span<const char* const> words);
  const nlohmann::json& value(const char* key);
  SpecReader object(const char* key);
  std::vector<SpecReader> list(const char* key, size_t least, size_t most);

  // Records that a value is wrong for another reason than its range.
  void refuse(const char* key, const std::string& reason);
  // Refuses keys that were not read.
  void refuse_others();

 private:
  std::string place_of(std::string_view key) const;
  const nlohmann::json* find(const char* key);
  void record(std::string message);
  uint64_t checked_integer(const char* key, const nlohmann::json& value, uint64_t least, uint64_t most);
  double checked_number(const char* key, const nlohmann::json& value, double least, double most);

  const nlohmann::json* object_;
  std::string place_;
  std::string* problem_;
  std::set<std::string, std::less<>> read_;
};

}  // namespace patina
