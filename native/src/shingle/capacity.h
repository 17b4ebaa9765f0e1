// `shingle capacity`: how much larger than its files a shingled disk must be, by the policy of placement.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/event.h"
#include "base/result.h"
#include "shingle/shingled_space.h"

namespace patina {

struct CapacityOptions {
  const PlacementPolicy* policy = &kPlacementPolicies[0];
  uint64_t did_blocks = 16;
  uint64_t dnor_blocks = 0;  // matters to policies that are aware of damage
  uint64_t usable_bytes = uint64_t{1} << 30U;
  uint64_t operations_count = 100'000;
  uint64_t seed = 1;
};

struct CapacityResult {
  uint64_t total_blocks = 0;
  uint64_t free_blocks = 0;      // of all blocks
  uint64_t unusable_blocks = 0;  // of the free ones
  uint64_t allocated_blocks = 0;
  uint64_t split_files_count = 0;  // of the files at the end
  uint64_t attempts_count = 0;     // sizes of the disk that were tried
};

// Runs the churn of files on a disk of the usable size, then on one that is larger by 1 % of it, and so on,
// until all files find a place (Singh, section 5.3). Blocks have 4 KiB. Errors: kUsage, if 100 times the
// usable size is not enough; kCanceled, after a stop request.
Result<CapacityResult> measure_capacity(const CapacityOptions& options, const std::atomic<bool>& stop);

// Emits hello and a summary. Errors: as above; kUsage, if DNOR is more than DID or nothing is usable;
// kCanceled, also when standard output is closed.
Status run_capacity(const CapacityOptions& options, EventSink& sink, const std::atomic<bool>& stop);

}  // namespace patina
