// Compares its size, zeroes and locks it.
#include "shingle/backing_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <span>
#include <vector>

#include "base/whole_io.h"

namespace patina {

Result<Descriptor> open_backing(const std::string& path) {
  Descriptor file(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (!file.valid() && errno == EROFS) file = Descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.valid()) return file;
  return Error{ErrorCode::kBackingInvalid, fmt::format("cannot open '{}': {}", path, std::strerror(errno))};
}

Result<Descriptor> open_backing(const std::string& path, uint64_t least_bytes) {
  Result<Descriptor> file = open_backing(path);
  if (!file) return file;
  // Without it, the page cache of a block device reads ahead into blocks of other files.
  ::posix_fadvise(file->get(), 0, 0, POSIX_FADV_RANDOM);
  const off_t size_bytes = ::lseek(file->get(), 0, SEEK_END);
  if (size_bytes >= 0 && static_cast<uint64_t>(size_bytes) >= least_bytes) return file;
  return Error{ErrorCode::kDeviceTooSmall, fmt::format("'{}' has {} bytes, and the shingled disk needs {}",
                                                       path, size_bytes, least_bytes)};
}

Result<uint64_t> backing_bytes(const std::string& path, uint64_t least_bytes) {
  const Result<Descriptor> file = open_backing(path, least_bytes);
  if (!file) return file.error();
  return static_cast<uint64_t>(::lseek(file->get(), 0, SEEK_END));
}

Status zero_backing(const Descriptor& file, const std::string& path, const ByteRange& range) {
  const auto begin = static_cast<off_t>(range.begin_bytes);
  const auto length = static_cast<off_t>(range.end_bytes - range.begin_bytes);
  bool is_zero = ::fallocate(file.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, begin, length) == 0 ||
                 ::fallocate(file.get(), FALLOC_FL_ZERO_RANGE | FALLOC_FL_KEEP_SIZE, begin, length) == 0;
  if (!is_zero) {
    constexpr uint64_t kPartBytes = uint64_t{1} << 20U;
    const std::vector<uint8_t> zeroes(kPartBytes);
    is_zero = true;
    for (uint64_t at = range.begin_bytes; is_zero && at < range.end_bytes; at += kPartBytes) {
      const uint64_t count = std::min(kPartBytes, range.end_bytes - at);
      is_zero = write_whole(file.get(), at, std::span(zeroes).first(count));
    }
  }
  if (is_zero && ::fdatasync(file.get()) == 0) return ok_status();
  return Error{ErrorCode::kIoError, fmt::format("cannot zero '{}': {}", path, std::strerror(errno))};
}

Result<Descriptor> lock_backing(const std::string& path) {
  Result<Descriptor> file = open_backing(path, 0);
  if (!file || ::flock(file->get(), LOCK_EX | LOCK_NB) == 0) return file;
  return Error{ErrorCode::kBackingInvalid, fmt::format("another process serves the disk on '{}'", path)};
}

}  // namespace patina
