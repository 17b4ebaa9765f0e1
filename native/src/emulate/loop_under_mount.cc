// The number of the block device, then what the loop driver knows of it.
#include "emulate/loop_under_mount.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/btrfs.h>
#include <linux/loop.h>
#include <linux/magic.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>

#include <filesystem>

#include "base/descriptor.h"

namespace patina {
namespace {

// btrfs shows a number of its own in place of its device's. 0: unknown, or several devices.
dev_t btrfs_device(int root_fd) {
  btrfs_ioctl_fs_info_args file_system = {};
  if (::ioctl(root_fd, BTRFS_IOC_FS_INFO, &file_system) != 0 || file_system.num_devices != 1) return 0;
  btrfs_ioctl_dev_info_args device = {};
  device.devid = file_system.max_id;
  struct stat found = {};
  const bool is_known = ::ioctl(root_fd, BTRFS_IOC_DEV_INFO, &device) == 0 &&
                        ::stat(reinterpret_cast<const char*>(device.path), &found) == 0;
  return is_known && S_ISBLK(found.st_mode) ? found.st_rdev : 0;
}

dev_t device_of(int root_fd) {
  struct statfs file_system = {};
  struct stat root = {};
  if (::fstatfs(root_fd, &file_system) != 0 || ::fstat(root_fd, &root) != 0) return 0;
  return file_system.f_type == BTRFS_SUPER_MAGIC ? btrfs_device(root_fd) : root.st_dev;
}

}  // namespace

Result<LoopFile> loop_file_under(int root_fd) {
  const Error no_loop{ErrorCode::kMountUnusable,
                      "the file system is not on a loop device over the whole emulated disk"};
  const dev_t device = device_of(root_fd);
  const std::filesystem::path shown = fmt::format("/sys/dev/block/{}:{}", major(device), minor(device));
  std::error_code error;
  // A partition has no such folder.
  if (!std::filesystem::exists(shown / "loop", error)) return no_loop;
  const std::string name = std::filesystem::canonical(shown, error).filename();
  const Descriptor loop(::open(("/dev/" + name).c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  loop_info64 info = {};
  if (!loop.valid() || ::ioctl(loop.get(), LOOP_GET_STATUS64, &info) != 0 || info.lo_offset != 0) {
    return no_loop;
  }
  return LoopFile{fmt::format("{}:{}", major(info.lo_device), minor(info.lo_device)), info.lo_inode};
}

}  // namespace patina
