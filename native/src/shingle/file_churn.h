// Creates and deletes of files, to compare shingled disks. It only generates the operations.
#pragma once

#include <cstdint>
#include <vector>

#include "base/random.h"

namespace patina {

// One operation: `file` is created with so many blocks, or deleted (none). Files are numbered from 0.
struct ChurnOperation {
  uint64_t file = 0;
  uint64_t blocks_count = 0;
};

// After Singh, "Caveat-Scriptor" (Carnegie Mellon, 2014), section 5.3: most files have 4 and 8 KiB and few
// 4 MB; four creates for each delete until the disk is as full as it may be, then as many creates as deletes.
// The thesis has neither the weights nor which files are deleted: both are Patina's
// (docs/studies/shingled.md).
class FileChurn {
 public:
  // `usable_blocks`: the most that all files have together.
  FileChurn(uint64_t usable_blocks, uint64_t seed) : usable_blocks_(usable_blocks), random_(seed) {}

  // The next operation. It depends on the seed and the operations before it only.
  ChurnOperation next();
  uint64_t live_blocks() const { return live_blocks_; }

 private:
  uint64_t drawn_blocks();
  ChurnOperation create(uint64_t blocks_count);
  ChurnOperation remove();
  uint64_t first_live_from(uint64_t file) const;

  const uint64_t usable_blocks_;
  Random random_;
  std::vector<uint64_t> blocks_counts_;  // of each file; 0: deleted
  uint64_t live_count_ = 0;
  uint64_t live_blocks_ = 0;
  uint64_t oldest_ = 0;  // no file before it is live
  bool is_filling_ = true;
  uint64_t next_victim_ = 0;
  uint32_t victims_left_ = 0;
};

}  // namespace patina
