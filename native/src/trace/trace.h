// Watches which blocks of a device are touched (docs/file-formats.md, "Trace").
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "base/event.h"
#include "base/result.h"
#include "trace/trace_source.h"

namespace patina {

struct TraceOptions {
  std::string device;
  std::string trace_file;
  std::string generation = "";  // that the device is expected to have; empty: any
  std::string source = "auto";  // or the name of one
  uint64_t buffer_kb = 0;       // of the kernel, for each processor; 0: a default
};

// Emits hello, armed, progress once a second, and a TraceSummary. From `armed` on, the trace contains every
// write to the device, until `stop` or until stdout is closed. A missed event makes it incomplete, which is
// no error. Errors: kDeviceBusy, kDeviceUnusable, kTraceUnavailable, kIoError, kCanceled.
Status run_trace(const TraceOptions& options, EventSink& sink, const std::atomic<bool>& stop,
                 const std::vector<TraceSourceKind>& kinds = kernel_trace_sources());

}  // namespace patina
