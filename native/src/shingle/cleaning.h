// `shingle cleaning`: what is moved to give space back, on disks of both interfaces.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/event.h"
#include "base/result.h"
#include "shingle/banded_space.h"
#include "shingle/shingled_space.h"

namespace patina {

struct CleaningOptions {
  // One of the two: a Caveat-Scriptor disk, or a strict-append one.
  const PlacementPolicy* policy = nullptr;
  const CleaningPolicy* cleaning = nullptr;
  uint64_t size_bytes = uint64_t{1} << 30U;
  uint64_t did_blocks = 16;
  uint64_t dnor_blocks = 0;                   // of a Caveat-Scriptor disk
  uint64_t band_bytes = uint64_t{16} << 20U;  // of a strict-append disk; a gap of DID is behind each
  double fullness = 0.7;                      // the most that all files have, of the size
  double times = 2.5;                         // how much is written at most, of the size
  uint64_t seed = 1;
};

struct CleaningResult {
  uint64_t total_blocks = 0;
  uint64_t written_blocks = 0;  // of files that found a place
  uint64_t moved_blocks = 0;    // by the cleaner
  uint64_t cleanings_count = 0;
  uint64_t live_blocks = 0;
  bool is_full = false;  // it ended with a file that found no place
};

// Runs the churn of files (Singh, section 5.3) until so much is written, or a file finds no place. A
// Caveat-Scriptor disk needs no cleaner: what is released is written again at once. Errors: kCanceled, after
// a stop request.
Result<CleaningResult> measure_cleaning(const CleaningOptions& options, const std::atomic<bool>& stop);

// Emits hello and a summary. Errors: as above; kUsage: both interfaces or none, or a disk that cannot be.
Status run_cleaning(const CleaningOptions& options, EventSink& sink, const std::atomic<bool>& stop);

}  // namespace patina
