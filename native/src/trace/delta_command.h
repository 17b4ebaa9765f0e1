// Makes a delta of traces (docs/file-formats.md, "Delta").
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/event.h"
#include "base/result.h"

namespace patina {

struct DeltaOptions {
  std::vector<std::string>
      trace_files;  // one of patina's own; or blktrace's, of all processors; or blkparse's
  uint64_t device_bytes = 0;
  uint64_t partition_start_sectors = 0;  // of the device on the traced disk
  std::string delta_file;                // written last, durably
  bool assume_complete = false;          // the user vouches that a foreign trace dropped nothing
};

// Emits hello and a DeltaSummary. A trace that misses events still gives a delta, marked incomplete. Errors:
// kUsage, kTraceInvalid, kIoError.
Status run_delta(const DeltaOptions& options, EventSink& sink);

}  // namespace patina
