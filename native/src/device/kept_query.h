// The question to the file behind an emulated disk: which ranges it keeps. The others are zero or generated.
#pragma once

#include <sys/ioctl.h>

#include <array>
#include <cstdint>

#include "base/byte_range.h"

namespace patina {

// An ioctl of the served file. ENOTTY: it is no such file, or the disk drops no data.
struct KeptQuery {
  uint64_t from_bytes = 0;
  uint64_t ranges_count = 0;  // of the answer; fewer than fit: there are no more
  std::array<ByteRange, 1000> ranges{};
};

inline constexpr unsigned kKeptQuery = _IOWR('P', 1, KeptQuery);

}  // namespace patina
