// Calls only getdents64 and statx on open directories: reads no content, keeps no name.
#include "scan/scan_walk.h"

#include <dirent.h>
#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace patina {
namespace {

// Holds some thousand entries a call.
constexpr size_t kBufferBytes = size_t{256} << 10U;
// Above this, the subdirectories found so far are walked before more of a directory is read.
constexpr size_t kMaxNamesBytes = size_t{64} << 10U;

constexpr int kStatFlags = AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT | AT_STATX_DONT_SYNC;
constexpr unsigned kStatMask =
    STATX_TYPE | STATX_NLINK | STATX_SIZE | STATX_INO | STATX_MTIME | STATX_BTIME | STATX_MNT_ID;

uint64_t device_of(const struct statx& file) {
  return (uint64_t{file.stx_dev_major} << 32U) | file.stx_dev_minor;
}

// Clamps times centuries away, so that no difference of two times overflows.
int64_t nanoseconds_of(const statx_timestamp& time) {
  constexpr int64_t kFarSeconds = 4'000'000'000;
  return std::clamp(int64_t{time.tv_sec}, -kFarSeconds, kFarSeconds) * 1'000'000'000 + time.tv_nsec;
}

// Opens a directory without changing its access time where permitted: for its owner and root only.
int open_directory(int parent, const char* name) {
  constexpr int kFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  const int fd = openat(parent, name, kFlags | O_NOATIME);
  return fd < 0 && errno == EPERM ? openat(parent, name, kFlags) : fd;
}

}  // namespace

bool is_same_mount(const struct statx& root, const struct statx& here) {
  if ((root.stx_mask & here.stx_mask & STATX_MNT_ID) != 0) return root.stx_mnt_id == here.stx_mnt_id;
  return device_of(root) == device_of(here);
}

Walker::Walker(Walk& walk) : walk_(walk), buffer_(kBufferBytes) {}

void Walker::work() {
  while (std::optional<UnreadDirectory> directory = walk_.pool.take()) descend(std::move(*directory));
  publish(0);
}

void Walker::descend(UnreadDirectory directory) {
  levels_.emplace_back(std::move(directory));
  while (!levels_.empty() && !walk_.halt) {
    if (walk_.pool.is_hungry()) share();
    Level& level = levels_.back();
    if (!level.has_names()) {
      if (level.read_to_end) {
        levels_.pop_back();
      } else {
        read_entries(level);
      }
      continue;
    }
    std::optional<UnreadDirectory> below = enter_next(level);
    // Closes the level before the descent, so that a tree without branches takes two descriptors at any
    // depth.
    if (level.read_to_end && !level.has_names()) levels_.pop_back();
    if (below) levels_.emplace_back(std::move(*below));
  }
  levels_.clear();
}

// Shares the directory nearest to the root, which is likely to have the largest subtree.
void Walker::share() {
  for (Level& level : levels_) {
    while (level.has_names()) {
      std::optional<UnreadDirectory> directory = enter_next(level);
      if (!directory) continue;
      walk_.pool.put(std::move(*directory));
      return;
    }
  }
}

std::optional<UnreadDirectory> Walker::enter_next(Level& level) {
  const char* name = &level.names[level.used_bytes];
  level.used_bytes += std::strlen(name) + 1;
  const uint32_t depth = level.directory.depth + 1;
  struct statx found;
  // Inspects before opening: opening an automount point could make the kernel mount it.
  if (!inspect(level, name, found, tally_.unreadable_directories_count)) return std::nullopt;
  tally_.add_directory(depth);
  if (depth > walk_.limits.depth) {
    ++tally_.unentered_directories_count;
    return std::nullopt;
  }
  Descriptor handle(open_directory(level.directory.handle.get(), name));
  if (!handle.valid()) {
    count_failure(errno, tally_.unreadable_directories_count);
    return std::nullopt;
  }
  return UnreadDirectory{std::move(handle), depth};
}

void Walker::read_entries(Level& level) {
  level.names.clear();
  level.used_bytes = 0;
  while (!walk_.halt && level.names.size() < kMaxNamesBytes) {
    const ssize_t n = getdents64(level.directory.handle.get(), buffer_.data(), buffer_.size());
    if (n < 0) count_failure(errno, tally_.unreadable_directories_count);
    if (n <= 0) {
      level.read_to_end = true;
      return;
    }
    uint64_t entries_count = 0;
    for (size_t at = 0; at < static_cast<size_t>(n); ++entries_count) {
      const auto* entry = reinterpret_cast<const dirent64*>(&buffer_[at]);
      at += entry->d_reclen;
      const char* name = entry->d_name;
      const bool is_dots = name[0] == '.' && (name[1] == '\0' || (name[1] == '.' && name[2] == '\0'));
      if (!is_dots) count_entry(level, name, entry->d_type);
    }
    publish(entries_count);
  }
}

void Walker::count_entry(Level& level, const char* name, unsigned char kind) {
  struct statx found;
  if (kind == DT_REG || kind == DT_UNKNOWN) {
    if (!inspect(level, name, found, tally_.unreadable_files_count)) return;
    kind = static_cast<unsigned char>(IFTODT(found.stx_mode));
  }
  switch (kind) {
    case DT_REG:
      count_file(found, level.directory.depth);
      break;
    case DT_DIR:
      level.names.append(name, std::strlen(name) + 1);
      break;
    case DT_LNK:
      ++tally_.symlinks_count;
      break;
    default:
      ++tally_.special_files_count;
  }
}

void Walker::count_file(const struct statx& file, uint32_t depth) {
  if (file.stx_nlink > 1) {
    const InodeSeen seen = walk_.inodes.insert(device_of(file), file.stx_ino);
    if (seen == InodeSeen::kAgain) {
      ++tally_.hard_links_count;
      return;
    }
    if (seen == InodeSeen::kUntracked) ++tally_.untracked_links_count;
  }
  // A file system that has the field but no creation time reports zero.
  const bool has_creation_time = (file.stx_mask & STATX_BTIME) != 0 && file.stx_btime.tv_sec != 0;
  const int64_t age_ns = walk_.now_ns - nanoseconds_of(has_creation_time ? file.stx_btime : file.stx_mtime);
  if (has_creation_time) ++tally_.creation_time_files_count;
  if (age_ns < 0) ++tally_.future_files_count;
  tally_.add_file(file.stx_size, depth, static_cast<uint64_t>(std::max<int64_t>(age_ns, 0)));
}

// Returns false, and counts, for a failure or a mount point.
bool Walker::inspect(const Level& level, const char* name, struct statx& out, uint64_t& unreadable_count) {
  if (statx(level.directory.handle.get(), name, kStatFlags, kStatMask, &out) != 0) {
    count_failure(errno, unreadable_count);
    return false;
  }
  if (is_same_mount(walk_.root, out)) return true;
  ++tally_.mount_points_count;
  return false;
}

void Walker::count_failure(int error_number, uint64_t& unreadable_count) {
  // ENOTDIR and ELOOP: the directory's name is now that of another kind of file.
  const bool vanished = error_number == ENOENT || error_number == ENOTDIR || error_number == ELOOP;
  ++(vanished ? tally_.vanished_count : unreadable_count);
}

void Walker::publish(uint64_t entries_count) {
  progress_.files_count.store(tally_.files_count, std::memory_order_relaxed);
  progress_.directories_count.store(tally_.directories_count, std::memory_order_relaxed);
  progress_.bytes.store(tally_.bytes, std::memory_order_relaxed);
  progress_.unreadable_directories_count.store(tally_.unreadable_directories_count,
                                               std::memory_order_relaxed);
  progress_.unreadable_files_count.store(tally_.unreadable_files_count, std::memory_order_relaxed);
  const uint64_t all =
      walk_.entries_count.fetch_add(entries_count, std::memory_order_relaxed) + entries_count;
  if (all > walk_.limits.entries_count) walk_.halt = true;
}

}  // namespace patina
