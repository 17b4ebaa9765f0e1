// The kernel's blktrace, as the program of that name uses it.
#pragma once

#include <memory>

#include "trace/trace_source.h"

namespace patina {

// Not to be had where the kernel is locked down: the events can then be recorded, and nobody may read them.
// Error: kTraceUnavailable.
Result<std::unique_ptr<TraceSource>> open_blktrace_source(const TracedDevice& device, uint64_t buffer_kb);

}  // namespace patina
