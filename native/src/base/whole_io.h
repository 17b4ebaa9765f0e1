// Reads and writes of whole ranges of a file, which the system calls may do in parts.
#pragma once

#include <cstdint>
#include <span>

namespace patina {

// Each returns false with errno set; the end of the file within the range is EIO.
bool read_whole(int fd, uint64_t offset_bytes, std::span<uint8_t> into);
bool write_whole(int fd, uint64_t offset_bytes, std::span<const uint8_t> data);

}  // namespace patina
