// Reads small files of sysfs and procfs anew each time.
#include "executor/space_lag.h"

#include <fmt/format.h>
#include <linux/btrfs.h>
#include <sys/ioctl.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace patina {
namespace {

std::optional<uint64_t> number_in(const std::string& file) {
  std::ifstream stream(file);
  uint64_t number = 0;
  if (!(stream >> number)) return std::nullopt;
  return number;
}

std::string name_of_device(dev_t device) {
  std::error_code error;
  const auto target =
      std::filesystem::read_symlink(fmt::format("/sys/dev/block/{}:{}", major(device), minor(device)), error);
  return error ? "" : target.filename().string();
}

// Returns the sum of the column `free`: "#12   : 345 ...".
std::optional<uint64_t> free_blocks_of_groups(const std::string& device) {
  std::ifstream stream(fmt::format("/proc/fs/ext4/{}/mb_groups", device));
  std::string line;
  if (!std::getline(stream, line)) return std::nullopt;
  uint64_t sum = 0;
  while (std::getline(stream, line)) {
    const size_t colon = line.find(':');
    if (colon == std::string::npos) return std::nullopt;
    sum += std::strtoull(line.c_str() + colon + 1, nullptr, 10);
  }
  return sum;
}

std::string uuid_text(const uint8_t* id) {
  std::string text;
  for (int i = 0; i < BTRFS_FSID_SIZE; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", id[i]);
  }
  return text;
}

}  // namespace

SpaceLagReader::SpaceLagReader(const std::string& kind, int root_fd, dev_t device)
    : kind_(kind), root_fd_(root_fd), device_(name_of_device(device)) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/fs/jbd2", error)) {
    // "loop0-8": the device, and the journal's inode.
    const std::string name = entry.path().filename();
    if (name.substr(0, name.rfind('-')) == device_) has_journal_ = true;
  }
}

std::optional<SpaceLag> SpaceLagReader::read() const {
  if (kind_.starts_with("ext")) return read_ext();
  if (kind_ == "btrfs") return read_btrfs();
  return std::nullopt;
}

std::optional<SpaceLag> SpaceLagReader::read_ext() const {
  const auto delayed = number_in(fmt::format("/sys/fs/ext4/{}/delayed_allocation_blocks", device_));
  struct statvfs shape{};
  if (!delayed || fstatvfs(root_fd_, &shape) != 0) return std::nullopt;
  SpaceLag lag;
  lag.allocation_bytes = *delayed * shape.f_frsize;
  if (!has_journal_) return lag;
  const auto reusable = free_blocks_of_groups(device_);
  if (!reusable) return std::nullopt;
  // statfs subtracts delayed allocations from the free blocks.
  const uint64_t free = uint64_t{shape.f_bfree} + *delayed;
  lag.reuse_bytes = (free - std::min(free, *reusable)) * shape.f_frsize;
  return lag;
}

std::optional<SpaceLag> SpaceLagReader::read_btrfs() const {
  btrfs_ioctl_fs_info_args info{};
  if (::ioctl(root_fd_, BTRFS_IOC_FS_INFO, &info) != 0) return std::nullopt;
  const std::string folder = fmt::format("/sys/fs/btrfs/{}/allocation/data/", uuid_text(info.fsid));
  const auto pinned = number_in(folder + "bytes_pinned");
  const auto reserved = number_in(folder + "bytes_may_use");
  if (!pinned || !reserved) return std::nullopt;
  return SpaceLag{.reuse_bytes = *pinned, .allocation_bytes = *reserved};
}

}  // namespace patina
