// Reads trace files of every kind: patina's own, blktrace's (a file a processor, or all in one), or the text
// that blkparse prints.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/buffered_input.h"
#include "base/result.h"
#include "trace/trace_message.h"
#include "trace/trace_tally.h"

namespace patina {

enum class TraceKind { kEmpty, kOwn, kBlktrace, kBlkparseText };

struct TraceFile {
  TraceKind kind = TraceKind::kEmpty;
  // Only of a trace of patina's own.
  TraceHead head;
  std::optional<TraceEnd> end;
};

// Reads a trace, and detects its kind by content. Missing or damaged records become a doubt of the tally, not
// an error. kTraceInvalid: it is no trace, or not of this device.
Result<TraceFile> read_trace_file(const std::string& path, TraceTally& tally);

}  // namespace patina
