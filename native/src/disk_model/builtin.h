// The disk models that are built in: native/disk_models/*.json, compiled into the program.
#pragma once

#include <span>
#include <string_view>

namespace patina {

struct BuiltinDiskModel {
  std::string_view name;  // of the file, without its ending
  std::string_view text;
};

// Sorted by name.
std::span<const BuiltinDiskModel> builtin_disk_models();

}  // namespace patina
