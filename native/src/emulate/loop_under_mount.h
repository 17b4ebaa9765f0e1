// Which file a mounted file system is on, by its loop device.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace patina {

struct LoopFile {
  std::string device;  // of the file's own file system, "major:minor"
  uint64_t inode = 0;
  bool operator==(const LoopFile&) const = default;
};

// kMountUnusable: the file system is not on one loop device, from its first byte on.
Result<LoopFile> loop_file_under(int root_fd);

}  // namespace patina
