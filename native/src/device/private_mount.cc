// Mounts through fsopen and fsmount, which need no folder to mount on.
#include "device/private_mount.h"

#include <endian.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "device/device.h"
#include "device/device_holder.h"
#include "device/file_system_kind.h"
#include "device/xfs_log.h"

namespace patina {
namespace {

// The last super block read, that of btrfs, ends before this.
constexpr size_t kHeadBytes = 128 << 10;

Error unusable(const std::string& device, const std::string& why) {
  return {ErrorCode::kDeviceUnusable, fmt::format("{} cannot be used: {}", device, why)};
}

// Without its journal such a file system is inconsistent or out of date. A btrfs without its log is
// consistent, as of its last commit.
Result<bool> needs_replay(const FileSystemKind& kind, const Device& device, const std::string& head) {
  constexpr size_t kExt4FeaturesOffsetBytes = 0x460;
  constexpr uint32_t kExt4Recover = 0x4;
  const std::string_view type = kind.name;
  if (type == "ext4" || type == "smrfs") {
    uint32_t features = 0;
    std::memcpy(&features, &head[kExt4FeaturesOffsetBytes], sizeof features);
    return (le32toh(features) & kExt4Recover) != 0;
  }
  if (type != "xfs") return false;
  const Result<bool> clean = xfs_log_is_clean(device);
  if (!clean) return clean.error();
  return !*clean;
}

// Holds the device only while it reads; the mount makes its own claim.
Result<const FileSystemKind*> recognise(const std::string& path, bool may_replay) {
  const Result<std::unique_ptr<Device>> device = Device::open_to_read(path);
  if (!device) return device.error();
  if (!(*device)->is_block()) return unusable(path, "it is not a block device; attach it with losetup");
  AlignedBuffer buffer(kHeadBytes);
  std::string head(kHeadBytes, '\0');
  const auto present = buffer.first(std::min<uint64_t>(kHeadBytes, (*device)->size_bytes()));
  if (Status read = (*device)->read(0, present); !read) return read.error();
  std::copy(present.begin(), present.end(), head.begin());
  for (const FileSystemKind& kind : file_system_kinds()) {
    if (kind.magic.empty()) continue;
    if (head.compare(kind.magic_offset_bytes, kind.magic.size(), kind.magic) != 0) continue;
    if (may_replay) return &kind;
    const Result<bool> replay = needs_replay(kind, **device, head);
    if (!replay) return replay.error();
    if (*replay) {
      return unusable(path,
                      fmt::format("its {} was not unmounted cleanly; mount and unmount it once", kind.name));
    }
    return &kind;
  }
  return Error{
      ErrorCode::kLayoutUnsupported,
      fmt::format("{} holds no file system that can be measured: no ext2, ext3, ext4, xfs, btrfs or SMRfs",
                  path)};
}

// Returns the kernel's messages about a failed mount; empty when there are none.
std::string kernel_messages(int context) {
  constexpr int kMaxMessages = 16;
  std::string all;
  std::array<char, 512> message{};
  for (int i = 0; i < kMaxMessages; ++i) {
    const ssize_t length = ::read(context, message.data(), message.size());
    if (length <= 2) break;
    // The first two characters are a severity and a space.
    all.append("; ").append(message.data() + 2, static_cast<size_t>(length) - 2);
  }
  return all;
}

Error mount_error(const std::string& device, const FileSystemKind& kind, int context, int error_number) {
  struct stat node = {};
  if (error_number == EBUSY && ::stat(device.c_str(), &node) == 0) {
    return {ErrorCode::kDeviceBusy,
            fmt::format("{} is busy: {}", device, describe_block_device_holder(node.st_rdev))};
  }
  const std::string said = context < 0 ? "" : kernel_messages(context);
  return unusable(
      device, fmt::format("its {} cannot be mounted: {}{}", kind.name, std::strerror(error_number), said));
}

bool configure(int context, const std::string& device, const FileSystemKind& kind, bool is_read_only) {
  if (::fsconfig(context, FSCONFIG_SET_STRING, "source", device.c_str(), 0) != 0) return false;
  if (!is_read_only) return ::fsconfig(context, FSCONFIG_CMD_CREATE, nullptr, nullptr, 0) == 0;
  if (::fsconfig(context, FSCONFIG_SET_FLAG, "ro", nullptr, 0) != 0) return false;
  for (const MountOption& option : kind.look_options) {
    if (option.name == nullptr) continue;
    const unsigned int command = option.value == nullptr ? FSCONFIG_SET_FLAG : FSCONFIG_SET_STRING;
    if (::fsconfig(context, command, option.name, option.value, 0) != 0) return false;
  }
  return ::fsconfig(context, FSCONFIG_CMD_CREATE, nullptr, nullptr, 0) == 0;
}

}  // namespace

Result<PrivateMount> PrivateMount::open(const std::string& device) {
  const Result<const FileSystemKind*> recognised = recognise(device, false);
  if (!recognised) return recognised.error();
  if ((*recognised)->has_driver) return mount(device, **recognised, true);
  return Error{ErrorCode::kLayoutUnsupported,
               fmt::format("{} has {}, which a process serves: mount it first", device, (*recognised)->name)};
}

Result<const FileSystemKind*> PrivateMount::kind_on(const std::string& device) {
  return recognise(device, false);
}

Result<PrivateMount> PrivateMount::open_smrfs(const std::string& device, bool is_read_only) {
  const Result<const FileSystemKind*> recognised = recognise(device, !is_read_only);
  if (!recognised) return recognised.error();
  if (kSmrFsLabel != (*recognised)->magic) return unusable(device, "it has no SMRfs; format it first");
  return mount(device, file_system_kind("ext4"), is_read_only);
}

Result<PrivateMount> PrivateMount::mount(const std::string& device, const FileSystemKind& kind,
                                         bool is_read_only) {
  const Descriptor context(::fsopen(kind.name, FSOPEN_CLOEXEC));
  if (!context.valid() || !configure(context.get(), device, kind, is_read_only)) {
    return mount_error(device, kind, context.get(), errno);
  }
  const unsigned int attributes = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC |
                                  MOUNT_ATTR_NOATIME |
                                  (is_read_only ? static_cast<unsigned int>(MOUNT_ATTR_RDONLY) : 0U);
  Descriptor mount(::fsmount(context.get(), FSMOUNT_CLOEXEC, attributes));
  if (!mount.valid()) return mount_error(device, kind, context.get(), errno);
  Descriptor root(::openat(mount.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!root.valid()) return mount_error(device, kind, context.get(), errno);
  return PrivateMount(std::move(mount), std::move(root));
}

}  // namespace patina
