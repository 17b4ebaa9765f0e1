// The block layer's trace points, through a tracefs instance of this process's own.
#pragma once

#include <memory>

#include "trace/trace_source.h"

namespace patina {

// Opens a tracefs source, and removes the instances of dead processes. Error: kTraceUnavailable.
Result<std::unique_ptr<TraceSource>> open_tracefs_source(const TracedDevice& device, uint64_t buffer_kb);

}  // namespace patina
