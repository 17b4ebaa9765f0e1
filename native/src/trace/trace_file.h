// Reads traces from files, whoever wrote them: patina's own, blktrace's (a file a processor, or all in one),
// or the text that blkparse prints.
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
  // Of patina's own.
  TraceHead head;
  std::optional<TraceEnd> end;
};

// Tells the kinds apart by content. What is missing or damaged is a doubt of the tally's, and not an error.
// kTraceInvalid: it is no trace at all, or not of this device.
Result<TraceFile> read_trace_file(const std::string& path, TraceTally& tally);

}  // namespace patina
