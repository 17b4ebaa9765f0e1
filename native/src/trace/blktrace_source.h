// The kernel's blktrace, as the program of that name uses it.
#pragma once

#include <memory>

#include "trace/trace_source.h"

namespace patina {

// Opens a blktrace source. A kernel in lockdown records the events but does not let them be read. Error:
// kTraceUnavailable.
Result<std::unique_ptr<TraceSource>> open_blktrace_source(const TracedDevice& device, uint64_t buffer_kb);

}  // namespace patina
