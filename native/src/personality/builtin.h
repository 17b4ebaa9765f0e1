// The personalities that are built in: native/personalities/*.f, compiled into the program.
#pragma once

#include <span>
#include <string_view>

namespace patina {

struct BuiltinPersonality {
  std::string_view name;  // of the file, without its ending
  std::string_view text;
};

// Sorted by name.
std::span<const BuiltinPersonality> builtin_personalities();

}  // namespace patina
