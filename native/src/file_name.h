// Names that are short and unique for ever: a letter for the kind, then the ordinal in base 36.
#pragma once

#include <array>
#include <cstdint>

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

}  // namespace patina
