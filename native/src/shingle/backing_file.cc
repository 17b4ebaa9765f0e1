// Compares its size.
#include "shingle/backing_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

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
  const off_t size_bytes = ::lseek(file->get(), 0, SEEK_END);
  if (size_bytes >= 0 && static_cast<uint64_t>(size_bytes) >= least_bytes) return file;
  return Error{ErrorCode::kDeviceTooSmall, fmt::format("'{}' has {} bytes, and the shingled disk needs {}",
                                                       path, size_bytes, least_bytes)};
}

}  // namespace patina
