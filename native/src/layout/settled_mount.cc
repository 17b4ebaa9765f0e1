// Syncs, after the deletes that xfs does in the background.
#include "layout/settled_mount.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>

namespace patina {
namespace {

Error unusable(const std::string& mount, const std::string& why) {
  return {ErrorCode::kMountUnusable, fmt::format("'{}' {}", mount, why)};
}

// Opens the root of a mount: a part of a file system would be measured against the whole device.
Result<Descriptor> open_mount(const std::string& mount) {
  Descriptor root(::open(mount.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!root.valid()) return unusable(mount, fmt::format("cannot be opened: {}", std::strerror(errno)));
  struct statx found = {};
  if (::statx(root.get(), "", AT_EMPTY_PATH, STATX_TYPE, &found) != 0) {
    return unusable(mount, fmt::format("cannot be examined: {}", std::strerror(errno)));
  }
  if ((found.stx_attributes & STATX_ATTR_MOUNT_ROOT) == 0) {
    return unusable(mount, "is not the root of a mounted file system");
  }
  return root;
}

// From linux/fs/xfs/libxfs/xfs_fs.h, which is not among the kernel's own headers here.
struct XfsEofBlocks {
  uint32_t version = 1;
  uint32_t flags = 0;
  std::array<uint32_t, 4> ids{};
  uint64_t min_file_bytes = 0;
  std::array<uint64_t, 12> padding{};
};
constexpr unsigned long kXfsFreeEofBlocks = _IOR('X', 58, XfsEofBlocks);
constexpr uint32_t kXfsMinFileSize = 1U << 4U;

Status settle(int mount_fd) {
  wait_for_deletes(mount_fd);
  if (sync_mount(mount_fd) == 0) return ok_status();
  return Error{ErrorCode::kIoError, fmt::format("cannot sync the mount: {}", std::strerror(errno))};
}

}  // namespace

// A request to trim blocks behind the ends of files of at least the largest size trims nothing and waits for
// the deletes; where it is refused, there is nothing to wait for (read-only) or no privilege (CAP_SYS_ADMIN).
void wait_for_deletes(int mount_fd) {
  struct statfs file_system = {};
  if (::fstatfs(mount_fd, &file_system) != 0 || file_system.f_type != XFS_SUPER_MAGIC) return;
  XfsEofBlocks request;
  request.flags = kXfsMinFileSize;
  request.min_file_bytes = UINT64_MAX;
  ::ioctl(mount_fd, kXfsFreeEofBlocks, &request);
}

// The kernel syncs none that is served by FUSE: such a one syncs all with its root.
int sync_mount(int mount_fd) {
  struct statfs file_system = {};
  if (::syncfs(mount_fd) != 0 || ::fstatfs(mount_fd, &file_system) != 0) return errno;
  return file_system.f_type != FUSE_SUPER_MAGIC || ::fsync(mount_fd) == 0 ? 0 : errno;
}

Result<Descriptor> open_settled_mount(const std::string& mount) {
  Result<Descriptor> root = open_mount(mount);
  if (!root) return root;
  if (Status settled = settle(root->get()); !settled) return settled.error();
  return root;
}

}  // namespace patina
