// The reuse lag and the allocation lag of a mounted file system: freed space that is not reusable before a
// commit, and written bytes without blocks before writeback.
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

// Reads the lags of a mounted file system from sysfs and procfs.
class SpaceLagReader {
 public:
  // `kind`: ext2, ext3, ext4 or btrfs; any other reports no lag, as xfs. `root_fd`: of the mount, open for
  // the lifetime of the reader.
  SpaceLagReader(const std::string& kind, int root_fd, dev_t device);

  // ext2, ext3, ext4: free blocks of its counter minus those of its block groups; a journal holds the
  // difference back, as do a few MiB of preallocations. btrfs: pinned and reserved bytes of data.
  std::optional<SpaceLag> read() const;
  // Reports whether an ext3 or ext4 is mounted with its journal.
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
