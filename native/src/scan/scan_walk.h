// Walks a tree and counts its entries.
#pragma once

#include <sys/stat.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "scan/directory_pool.h"
#include "scan/inode_set.h"
#include "scan/scan_tally.h"

namespace patina {

// Limits that keep a walk finite in a tree that grows during the walk.
struct WalkLimits {
  // A path of PATH_MAX bytes is no deeper.
  uint32_t depth = 2048;
  uint64_t entries_count = uint64_t{1} << 33U;
};

// Progress of a walker, read by other threads. On a cache line of its own.
struct alignas(64) WalkProgress {
  std::atomic<uint64_t> files_count{0};
  std::atomic<uint64_t> directories_count{0};
  std::atomic<uint64_t> bytes{0};
  std::atomic<uint64_t> unreadable_directories_count{0};
  std::atomic<uint64_t> unreadable_files_count{0};
};

// Reports whether `here` lies on the root's mount. Compares mount ids, which differ for bind mounts and not
// for subvolumes; devices where the kernel has no mount ids (before 5.8).
bool is_same_mount(const struct statx& root, const struct statx& here);

// State shared by the walkers of one tree.
struct Walk {
  Walk(const struct statx& root_, int64_t now_ns_, int walkers_count, const WalkLimits& limits_)
      : root(root_), now_ns(now_ns_), limits(limits_), pool(walkers_count) {}

  const struct statx root;
  const int64_t now_ns;  // since 1970; ages are relative to it
  const WalkLimits limits;
  DirectoryPool pool;
  InodeSet inodes;
  std::atomic<uint64_t> entries_count{0};
  std::atomic<bool> halt{false};  // stop requested, or too many entries
};

// One thread's part of the walk: depth first, with a descriptor for every unfinished level.
class Walker {
 public:
  explicit Walker(Walk& walk);

  // Walks until the whole tree is walked or `halt` is set.
  void work();
  const WalkProgress& progress() const { return progress_; }
  // Valid once work() has returned.
  const ScanTally& tally() const { return tally_; }

 private:
  // A directory being read: its subdirectories wait, its other entries are counted.
  struct Level {
    explicit Level(UnreadDirectory directory_) : directory(std::move(directory_)) {}

    UnreadDirectory directory;
    std::string names;  // of sub-directories, each with its NUL
    size_t used_bytes = 0;
    bool read_to_end = false;

    bool has_names() const { return used_bytes < names.size(); }
  };

  void descend(UnreadDirectory directory);
  void share();
  std::optional<UnreadDirectory> enter_next(Level& level);
  void read_entries(Level& level);
  void count_entry(Level& level, const char* name, unsigned char kind);
  void count_file(const struct statx& file, uint32_t depth);
  bool inspect(const Level& level, const char* name, struct statx& out, uint64_t& unreadable_count);
  void count_failure(int error_number, uint64_t& unreadable_count);
  void publish(uint64_t entries_count);

  Walk& walk_;
  ScanTally tally_;
  WalkProgress progress_;
  std::vector<Level> levels_;
  std::vector<char> buffer_;
};

}  // namespace patina
