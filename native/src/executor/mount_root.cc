// Opens the root of a mounted file system.
#include "executor/mount_root.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

namespace patina {
namespace {

Error unusable(std::string message) {
  return Error{ErrorCode::kMountUnusable, std::move(message)};
}

}  // namespace

Result<Descriptor> open_mount_root(const std::string& path) {
  Descriptor root(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!root.valid())
    return unusable(fmt::format("cannot open '{}' as a directory: {}", path, std::strerror(errno)));
  struct stat here{};
  struct stat above{};
  if (fstat(root.get(), &here) != 0 || fstatat(root.get(), "..", &above, 0) != 0) {
    return unusable(fmt::format("cannot stat '{}': {}", path, std::strerror(errno)));
  }
  if (here.st_dev == above.st_dev) {
    return unusable(
        fmt::format("'{}' is not the root of a mounted file system; mount the device there", path));
  }
  return root;
}

}  // namespace patina
