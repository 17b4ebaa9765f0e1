// The block layer's trace points, by an instance of tracefs that is this process's own.
#pragma once

#include <memory>

#include "trace/trace_source.h"

namespace patina {

// Removes instances of processes that died. Error: kTraceUnavailable.
Result<std::unique_ptr<TraceSource>> open_tracefs_source(const TracedDevice& device, uint64_t buffer_kb);

}  // namespace patina
