// The command `scan`: makes a profile of a directory tree.
#pragma once

#include <atomic>
#include <string>

#include "base/event.h"
#include "base/result.h"
#include "scan/scan_walk.h"

namespace patina {

struct ScanOptions {
  std::string directory;
  int threads = 0;  // 0: as many as cores
  int progress_interval_ms = 500;
  WalkLimits limits;
};

// Emits hello, progress, and last `scan` with the profile. Reports histograms and figures only, no names.
// Errors: kTreeUnreadable; kProfileInvalid when there is no file to make a profile of; kCanceled.
Status run_scan(const ScanOptions& options, EventSink& sink, const std::atomic<bool>& stop);

}  // namespace patina
