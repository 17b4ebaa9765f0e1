// The deterministic history of a source tree, as a stream for `git fast-import`: commits that edit, add and
// remove text files. Equal options make equal bytes, and so equal commits, on every machine.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "base/event.h"
#include "base/result.h"

namespace patina {

struct HistoryOptions {
  std::string out;  // the stream; replaced if it exists
  uint64_t seed = 1;
  uint64_t commits_count = 300;  // after the first
  uint64_t files_count = 2000;   // of the first commit
};

// Writes the stream. Emits hello, progress and summary. Errors: kIoError, kCanceled.
Status run_history(const HistoryOptions& options, EventSink& sink, const std::atomic<bool>& stop);

}  // namespace patina
