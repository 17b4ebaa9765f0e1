// Makes a delta of traces (images.md, "Delta and rollback").
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
  uint64_t partition_start_sectors = 0;  // of the device on the disk that was traced
  std::string delta_file;                // written last, durably
  bool assume_complete = false;  // a foreign trace cannot tell; somebody vouches that nothing was dropped
};

// Emits hello and a DeltaSummary. A trace that misses something still gives a delta, which then says that it
// is incomplete. Errors: kUsage, kTraceInvalid, kIoError.
Status run_delta(const DeltaOptions& options, EventSink& sink);

}  // namespace patina
