// The reuse lag and the allocation lag of a mounted file system: space that is freed and not reusable before
// a commit, and bytes that are written and have no blocks before writeback.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

namespace patina {

struct SpaceLag {
  uint64_t reuse_bytes = 0;       // freed, not reusable
  uint64_t allocation_bytes = 0;  // written, without blocks
};

// Reads what the kernel says of a mounted file system in sysfs and procfs.
class SpaceLagReader {
 public:
  // `kind`: one of ext2, ext3, ext4 and btrfs, or any other, of which nothing can be read: xfs reports
  // neither. `root_fd`: of the mount, for as long as the reader lives.
  SpaceLagReader(const std::string& kind, int root_fd, dev_t device);

  // ext2, ext3, ext4: free blocks by its counter less those by its block groups; a journal keeps the
  // difference back, and so do a few MiB of preallocations. btrfs: pinned and reserved bytes of data.
  std::optional<SpaceLag> read() const;
  // Of ext3 and ext4: whether it is mounted with its journal.
  bool has_journal() const { return has_journal_; }

 private:
  std::optional<SpaceLag> read_ext() const;
  std::optional<SpaceLag> read_btrfs() const;

  std::string kind_;
  int root_fd_;
  std::string device_;  // its name in sysfs
  bool has_journal_ = false;
};

}  // namespace patina
