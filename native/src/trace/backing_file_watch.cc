// Finds other writers: loop devices by ioctl, processes in /proc, closed files by inotify.
#include "trace/backing_file_watch.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/loop.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>
#include <utility>
#include <vector>

#include "device/loop_backing.h"

namespace patina {
namespace {

constexpr const char* kShared = "backing_file_shared";
constexpr const char* kUnwatched = "backing_file_unwatched";

std::vector<std::string> names_in(const std::string& folder, const char* prefix) {
  std::vector<std::string> names;
  DIR* const entries = ::opendir(folder.c_str());
  if (entries == nullptr) return names;
  while (const dirent* entry = ::readdir(entries)) {
    const std::string name = entry->d_name;
    if (name.starts_with(prefix) && !name.starts_with(".")) names.push_back(name);
  }
  ::closedir(entries);
  return names;
}

std::string first_line(const std::string& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

std::optional<loop_info64> loop_info_of(const std::string& name) {
  const Descriptor loop(::open(("/dev/" + name).c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  loop_info64 info = {};
  if (!loop.valid() || ::ioctl(loop.get(), LOOP_GET_STATUS64, &info) != 0) return std::nullopt;
  return info;
}

bool is_for_writing(const std::string& fdinfo) {
  std::ifstream in(fdinfo);
  for (std::string word; in >> word;) {
    if (word != "flags:") continue;
    unsigned flags = 0;
    in >> std::oct >> flags;
    return (flags & O_ACCMODE) != O_RDONLY;
  }
  return false;
}

// Returns another loop device over the file; empty: none.
std::string other_loop(const std::string& disk_name, dev_t file_system, ino_t inode) {
  for (const std::string& name : names_in("/sys/block", "loop")) {
    if (name == disk_name || first_line("/sys/block/" + name + "/loop/backing_file").empty()) continue;
    const std::optional<loop_info64> info = loop_info_of(name);
    if (info && info->lo_device == file_system && info->lo_inode == inode) return "/dev/" + name;
  }
  return "";
}

// Returns a process that has the file open for writing; empty: none.
std::string writing_process(dev_t file_system, ino_t inode) {
  for (const std::string& process : names_in("/proc", "")) {
    if (process.find_first_not_of("0123456789") != std::string::npos) continue;
    const std::string folder = fmt::format("/proc/{}", process);
    for (const std::string& fd : names_in(folder + "/fd", "")) {
      struct stat file = {};
      if (::stat(fmt::format("{}/fd/{}", folder, fd).c_str(), &file) == 0 && file.st_ino == inode &&
          file.st_dev == file_system && is_for_writing(fmt::format("{}/fdinfo/{}", folder, fd))) {
        return fmt::format("{} (process {})", first_line(folder + "/comm"), process);
      }
    }
  }
  return "";
}

}  // namespace

BackingFileWatch::BackingFileWatch(const TracedDevice& device)
    : disk_name_(device.disk_name),
      path_(first_line("/sys/block/" + device.disk_name + "/loop/backing_file")) {
  const std::optional<loop_info64> info = loop_info_of(disk_name_);
  if (path_.empty() || !info) return;
  file_system_ = info->lo_device;
  inode_ = info->lo_inode;
  const std::string reached = reach_loop_backing(path_, file_system_, inode_);
  if (!reached.empty()) path_ = reached;
  Descriptor changes(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  if (!changes.valid() || ::inotify_add_watch(changes.get(), path_.c_str(), IN_CLOSE_WRITE) < 0) {
    fmt::print(stderr, "patina-core: cannot watch {}: {}\n", path_, std::strerror(errno));
    return;
  }
  // Checks that the path still names this file now that the watch is set.
  struct stat file = {};
  if (::stat(path_.c_str(), &file) == 0 && file.st_dev == file_system_ && file.st_ino == inode_) {
    changes_ = std::move(changes);
  } else {
    fmt::print(stderr, "patina-core: the backing file {} cannot be reached by its name\n", path_);
  }
}

bool BackingFileWatch::is_closed_by_writer() const {
  alignas(inotify_event) std::array<char, 4096> buffer{};
  ssize_t n = 0;
  do {
    n = ::read(changes_.get(), buffer.data(), buffer.size());
  } while (n < 0 && errno == EINTR);
  // An overflow of the queue and the removal of the file count too.
  return n > 0;
}

std::string BackingFileWatch::doubt() const {
  if (path_.empty()) return "";
  if (!changes_.valid()) return kUnwatched;
  std::string other = other_loop(disk_name_, file_system_, inode_);
  if (other.empty()) other = writing_process(file_system_, inode_);
  // Last, so that it finds a process that closes the file during the search.
  if (is_closed_by_writer() && other.empty()) other = "a process that has closed it";
  if (other.empty()) return "";
  fmt::print(stderr, "patina-core: the backing file {} is also written by {}\n", path_, other);
  return kShared;
}

}  // namespace patina
