// Repeats pread(2) and pwrite(2).
#include "base/whole_io.h"

#include <unistd.h>

#include <cerrno>

namespace patina {

bool read_whole(int fd, uint64_t offset_bytes, std::span<uint8_t> into) {
  while (!into.empty()) {
    const ssize_t n = ::pread(fd, into.data(), into.size(), static_cast<off_t>(offset_bytes));
    if (n < 0 && errno == EINTR) continue;
    if (n == 0) errno = EIO;
    if (n <= 0) return false;
    into = into.subspan(static_cast<size_t>(n));
    offset_bytes += static_cast<uint64_t>(n);
  }
  return true;
}

bool write_whole(int fd, uint64_t offset_bytes, std::span<const uint8_t> data) {
  while (!data.empty()) {
    const ssize_t n = ::pwrite(fd, data.data(), data.size(), static_cast<off_t>(offset_bytes));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    data = data.subspan(static_cast<size_t>(n));
    offset_bytes += static_cast<uint64_t>(n);
  }
  return true;
}

}  // namespace patina
