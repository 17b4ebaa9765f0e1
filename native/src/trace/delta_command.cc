// Reads every trace into one tally, and writes its delta.
#include "trace/delta_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/buffered_input.h"
#include "base/digest.h"
#include "base/small_file.h"
#include "image/delta.h"
#include "trace/trace_file.h"

namespace patina {
namespace {

const char* source_of(const TraceFile& trace) {
  switch (trace.kind) {
    case TraceKind::kOwn:
      return trace.head.source.c_str();
    case TraceKind::kBlkparseText:
      return "blkparse_text";
    case TraceKind::kBlktrace:
    case TraceKind::kEmpty:
      return "blktrace_file";
  }
  return "";
}

Status check_own(const DeltaOptions& options) {
  const auto usage = [](const char* message) { return Error{ErrorCode::kUsage, message}; };
  if (options.trace_files.size() > 1)
    return usage("a trace of patina-core's is whole: give no other beside it");
  if (options.partition_start_sectors > 0) {
    return usage("--partition-start: a trace of patina-core's is of the partition itself");
  }
  if (options.assume_complete) return usage("--assume-complete: a trace of patina-core's records it itself");
  return ok_status();
}

// Reads all files as one trace. Processors without events leave empty files.
Result<TraceFile> read_traces(const DeltaOptions& options, TraceTally& tally) {
  TraceFile whole;
  for (const std::string& path : options.trace_files) {
    const Result<TraceFile> trace = read_trace_file(path, tally);
    if (!trace) return trace.error();
    if (trace->kind == TraceKind::kEmpty) continue;
    if (trace->kind == TraceKind::kOwn) {
      if (Status status = check_own(options); !status) return status.error();
    }
    if (whole.kind != TraceKind::kEmpty && whole.kind != trace->kind) {
      return Error{ErrorCode::kUsage, fmt::format("'{}' is of another kind than the trace before it", path)};
    }
    whole = *trace;
  }
  if (whole.kind == TraceKind::kEmpty) {
    return Error{ErrorCode::kTraceInvalid,
                 fmt::format("the trace '{}' is empty", options.trace_files.front())};
  }
  if (whole.kind != TraceKind::kOwn && !options.assume_complete) tally.doubt("no_end_record");
  return whole;
}

Delta delta_of(const TraceFile& trace, const TraceTally& tally) {
  Delta delta;
  delta.device_bytes = tally.dirty().device_bytes();
  delta.source = source_of(trace);
  delta.incomplete_reason = tally.incomplete_reason();
  delta.generation_begin = trace.head.generation_begin;
  delta.events_count = tally.events_count();
  if (trace.end) {
    delta.generation_end = trace.end->generation_end;
    delta.events_count = trace.end->events_count;
    delta.dropped_count = trace.end->dropped_count;
  }
  delta.extents = tally.dirty().extents(kMaxDeltaExtents);
  return delta;
}

// Returns the digest of the file as read back.
Result<std::string> digest_of(const std::string& path) {
  const Result<Descriptor> file = open_regular_file(path, ErrorCode::kIoError, "the delta");
  if (!file) return file.error();
  BufferedInput input(file->get());
  Sha256 sha;
  while (!input.at_end()) {
    const std::span<const uint8_t> bytes = input.peek(BufferedInput::kCapacityBytes);
    sha.update(bytes.data(), bytes.size());
    input.skip(bytes.size());
  }
  if (input.error_number() != 0) {
    return Error{ErrorCode::kIoError,
                 fmt::format("the delta '{}' cannot be read: {}", path, std::strerror(input.error_number()))};
  }
  return sha.hex();
}

nlohmann::ordered_json text_or_null(const std::string& text) {
  return text.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(text);
}

nlohmann::ordered_json summary_of(const Delta& delta, uint64_t writes_count, const std::string& digest) {
  return {{"type", "summary"},
          {"command", "delta"},
          {"source", delta.source},
          {"complete", delta.complete()},
          {"incomplete_reason", text_or_null(delta.incomplete_reason)},
          {"device_bytes", delta.device_bytes},
          {"events_count", delta.events_count},
          {"writes_count", writes_count},
          {"dropped_count", delta.dropped_count},
          {"touched_bytes", delta.touched_bytes()},
          {"extents_count", delta.extents.size()},
          {"generation_begin", text_or_null(delta.generation_begin)},
          {"generation_end", text_or_null(delta.generation_end)},
          {"delta_digest", digest}};
}

}  // namespace

Status run_delta(const DeltaOptions& options, EventSink& sink) {
  if (!sink.emit(hello_event("delta"))) return Error{ErrorCode::kCanceled, "stdout is closed"};
  TraceTally tally(options.device_bytes, options.partition_start_sectors);
  const Result<TraceFile> trace = read_traces(options, tally);
  if (!trace) return trace.error();
  const Delta delta = delta_of(*trace, tally);
  if (Status status = write_delta(options.delta_file, delta); !status) return status;
  const Result<std::string> digest = digest_of(options.delta_file);
  if (!digest) return digest.error();
  // A trace of patina-core's contains only the first touch of each block, and the count of all writes.
  const std::optional<TraceEnd>& end = trace->end;
  const uint64_t writes_count = end ? end->writes_count : tally.writes_count();
  if (!sink.emit(summary_of(delta, writes_count, *digest))) {
    return Error{ErrorCode::kCanceled, "stdout is closed"};
  }
  return ok_status();
}

}  // namespace patina
