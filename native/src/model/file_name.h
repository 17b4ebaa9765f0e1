// Names that are short and unique for ever: a letter for the kind, then the ordinal in base 36.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "model/operation.h"

namespace patina {

// 'f' (or, renamed, 'g') and the ordinal of its creation for a file, 'd' and its number for a directory: no
// two collide.
class FileName {
 public:
  FileName(char kind, uint64_t ordinal) {
    size_t at = text_.size() - 1;
    do {
      text_[--at] = "0123456789abcdefghijklmnopqrstuvwxyz"[ordinal % 36];
      ordinal /= 36;
    } while (ordinal > 0);
    text_[--at] = kind;
    start_ = at;
  }
  const char* c_str() const { return &text_[start_]; }

 private:
  std::array<char, 16> text_{};  // 13 digits hold every 64-bit ordinal
  size_t start_;
};

// Returns the name of an operation's file before the operation.
inline FileName name_of(const Operation& operation) {
  return FileName(operation.renamed == 0 ? 'f' : 'g', operation.file);
}

// Returns the number in a name of this kind; nothing for any other name.
inline std::optional<uint64_t> number_in(std::string_view name, char kind) {
  if (name.size() < 2 || name.size() > 14 || name[0] != kind) return std::nullopt;
  uint64_t number = 0;
  for (const char digit : name.substr(1)) {
    const bool is_letter = digit >= 'a' && digit <= 'z';
    if (!is_letter && (digit < '0' || digit > '9')) return std::nullopt;
    const auto value = static_cast<uint64_t>(is_letter ? digit - 'a' + 10 : digit - '0');
    if (number > (UINT64_MAX - value) / 36) return std::nullopt;
    number = number * 36 + value;
  }
  return number;
}

}  // namespace patina
