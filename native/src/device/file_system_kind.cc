// Reads the type of a mount from /proc/self/mountinfo, since ext2, ext3 and ext4 have one magic number.
#include "device/file_system_kind.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <optional>
#include <sstream>

namespace patina {
namespace {

constexpr std::string_view kExtMagic = "\x53\xef";
constexpr size_t kExtMagicOffset = 0x438;
constexpr size_t kExtLabelOffset = 0x478;
constexpr std::array<MountOption, 2> kNoload = {{{"noload", nullptr}, {nullptr, nullptr}}};

constexpr std::array kKinds{
    // Restored images have the UUID of their origin, which may be mounted as well.
    FileSystemKind{"xfs", 0, "XFSB", {{{"norecovery", nullptr}, {"nouuid", nullptr}}}, 512, 14336},
    FileSystemKind{
        "btrfs", 0x10040, "_BHRfS_M", {{{"rescue", "nologreplay"}, {nullptr, nullptr}}}, 1536, 10240},
    // Its metadata takes none of the space for data.
    FileSystemKind{"smrfs", kExtLabelOffset, kSmrFsLabel, {}, 0, 0, false},
    FileSystemKind{"ext4", kExtMagicOffset, kExtMagic, kNoload, 64, 4096},
    FileSystemKind{"ext3", kExtMagicOffset, kExtMagic, kNoload, 64, 4096},
    FileSystemKind{"ext2", kExtMagicOffset, kExtMagic, kNoload, 64, 4096},
    FileSystemKind{"", 0, "", {}, 256, 4096},
};

// "36 35 98:0 / /mnt rw,noatime master:1 - ext3 /dev/root rw": the number of the mount first, the type after
// the dash (proc_pid_mountinfo(5)); of one that a process serves, with its subtype: "fuse.smrfs".
std::optional<std::string> type_of_mount(uint64_t mount) {
  std::ifstream mounts("/proc/self/mountinfo");
  for (std::string line; std::getline(mounts, line);) {
    const size_t dash = line.find(" - ");
    if (dash == std::string::npos || std::strtoull(line.c_str(), nullptr, 10) != mount) continue;
    std::istringstream rest(line.substr(dash + 3));
    std::string type;
    rest >> type;
    constexpr std::string_view kServed = "fuse.";
    return type.starts_with(kServed) ? type.substr(kServed.size()) : type;
  }
  return std::nullopt;
}

}  // namespace

std::span<const FileSystemKind> file_system_kinds() {
  return kKinds;
}

const FileSystemKind& file_system_kind(std::string_view name) {
  const auto* found = std::find_if(kKinds.begin(), kKinds.end(),
                                   [&](const FileSystemKind& kind) { return kind.name == name; });
  return found != kKinds.end() ? *found : kKinds.back();
}

bool is_made_by_mkfs(std::string_view name) {
  return name == "lost+found" || name == ".nilfs";
}

Result<const FileSystemKind*> mounted_kind(int descriptor) {
  struct statx shape{};
  if (::statx(descriptor, "", AT_EMPTY_PATH, STATX_MNT_ID, &shape) != 0) {
    return Error{ErrorCode::kMountUnusable, fmt::format("statx of the mount: {}", std::strerror(errno))};
  }
  const std::optional<std::string> type = type_of_mount(shape.stx_mnt_id);
  if (!type) return Error{ErrorCode::kMountUnusable, "the mount is not in /proc/self/mountinfo"};
  return &file_system_kind(*type);
}

}  // namespace patina
