// Finds a device's users in the kernel's lists: mounts, holders, swaps, loop devices.
#include "device/device_holder.h"

#include <fmt/core.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

namespace patina {
namespace {

bool is_block_device(const std::string& path, dev_t device) {
  struct stat node = {};
  return ::stat(path.c_str(), &node) == 0 && S_ISBLK(node.st_mode) && node.st_rdev == device;
}

// The mount point, in mountinfo's own escapes; empty when there is none. btrfs shows a device number that is
// not the block device's, so the source is compared as well.
std::string mount_point_of(dev_t device) {
  const std::string number = fmt::format("{}:{}", major(device), minor(device));
  std::ifstream mounts("/proc/self/mountinfo");
  for (std::string line; std::getline(mounts, line);) {
    std::istringstream fields(line);
    std::vector<std::string> words;
    for (std::string word; fields >> word;) words.push_back(word);
    size_t separator = 0;
    while (separator < words.size() && words[separator] != "-") ++separator;
    if (words.size() < 6 || separator + 2 >= words.size()) continue;
    if (words[2] == number || is_block_device(words[separator + 2], device)) return words[4];
  }
  return "";
}

std::string stacked_device_of(dev_t device) {
  std::error_code error;
  const std::string folder = fmt::format("/sys/dev/block/{}:{}/holders", major(device), minor(device));
  for (const auto& holder : std::filesystem::directory_iterator(folder, error)) {
    return holder.path().filename().string();
  }
  return "";
}

bool is_swap(dev_t device) {
  std::ifstream swaps("/proc/swaps");
  for (std::string line; std::getline(swaps, line);) {
    if (is_block_device(line.substr(0, line.find_first_of(" \t")), device)) return true;
  }
  return false;
}

}  // namespace

std::string describe_block_device_holder(dev_t device) {
  if (const std::string mount = mount_point_of(device); !mount.empty()) {
    return "it is mounted on " + mount + "; unmount it first";
  }
  if (const std::string stacked = stacked_device_of(device); !stacked.empty()) {
    return "it is part of " + stacked + "; stop that first";
  }
  if (is_swap(device)) return "it is in use as swap; run swapoff first";
  return "another program has it, or a partition of it, open exclusively; wait for it or end it";
}

std::string loop_device_over(dev_t file_system, ino_t inode) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/sys/block", error)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("loop")) continue;
    std::ifstream in(entry.path() / "loop/backing_file");
    std::string backing_file;
    if (!std::getline(in, backing_file)) continue;
    struct stat file = {};
    if (::stat(backing_file.c_str(), &file) == 0 && file.st_dev == file_system && file.st_ino == inode) {
      return "/dev/" + name;
    }
  }
  return "";
}

}  // namespace patina
