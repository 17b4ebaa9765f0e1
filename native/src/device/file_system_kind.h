// The table of file systems: how each is recognised and mounted unchanged, and the size of its metadata.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace patina {

struct MountOption {
  const char* name;
  const char* value;  // null: a flag
};

struct FileSystemKind {
  const char* name;  // as the kernel names it; "" stands for every other
  // The mark in its super block, empty when it cannot be measured unmounted.
  size_t magic_offset_bytes;
  std::string_view magic;
  std::array<MountOption, 2> look_options;  // to mount it without replaying its journal
  // Metadata of a file and of a directory, measured at 384 MiB to 4 GiB with two profiles: within 0.5 points
  // of the capacity, on btrfs 1.3. ext2 and ext3 have those of ext4, not measured.
  double file_bytes;
  double directory_bytes;
  // Whether the kernel has a driver for it; otherwise a process serves it by FUSE.
  bool has_driver = true;
};

// The label of the metadata partition, an ext4, at the begin of a device with SMRfs.
inline constexpr std::string_view kSmrFsLabel = "patina-smrfs";

// The first row with a magic is the driver that reads all file systems with that magic. The row of "" is the
// last.
std::span<const FileSystemKind> file_system_kinds();
const FileSystemKind& file_system_kind(std::string_view name);
// Whether a fresh root may contain this name: lost+found (mke2fs, mkfs.f2fs) and .nilfs (mkfs.nilfs2, for its
// cleaner).
bool is_made_by_mkfs(std::string_view name);
// Returns the kind of the mount of `descriptor`. Error: kMountUnusable when the kernel does not list it.
Result<const FileSystemKind*> mounted_kind(int descriptor);

}  // namespace patina
