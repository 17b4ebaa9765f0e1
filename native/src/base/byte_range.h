// A stretch of an address space: of a device, a file or a file system.
#pragma once

#include <cstdint>

namespace patina {

struct ByteRange {
  uint64_t begin_bytes = 0;
  uint64_t end_bytes = 0;

  uint64_t length_bytes() const { return end_bytes - begin_bytes; }
};

}  // namespace patina
