// Detects the kind of a trace file, and reads it.
#include "trace/trace_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstring>

#include "base/small_file.h"
#include "trace/blkparse_text.h"
#include "trace/trace_record.h"

namespace patina {
namespace {

constexpr size_t kMaxTextLineBytes = 16384;

Error invalid(const std::string& path, std::string_view why) {
  return {ErrorCode::kTraceInvalid, fmt::format("the trace '{}' {}", path, why)};
}

std::string_view text_of(std::span<const uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Reads blktrace records from the input's position to the first incomplete one.
class Records {
 public:
  Records(const std::string& path, BufferedInput& input, TraceTally& tally)
      : path_(path), input_(input), tally_(tally) {}

  Result<TraceFile> read() {
    TraceRecord record;
    while (!input_.at_end()) {
      if (!peek_record(record)) break;
      const std::span<const uint8_t> payload =
          input_.peek(record.total_bytes()).subspan(record.head_bytes, record.payload_bytes);
      if (Status status = take(record, text_of(payload)); !status) return status.error();
      input_.skip(record.total_bytes());
    }
    if (file_.kind == TraceKind::kOwn && !file_.end) tally_.doubt("tracer_died");
    return file_;
  }

 private:
  bool peek_record(TraceRecord& record) {
    const RecordFound found = decode_record(input_.peek(kMaxRecordHeadBytes), record);
    const bool whole =
        found == RecordFound::kRecord && input_.peek(record.total_bytes()).size() == record.total_bytes();
    if (whole) return true;
    const bool cut_short = found == RecordFound::kRecord || found == RecordFound::kCutShort;
    tally_.doubt(cut_short ? "truncated" : "garbage");
    return false;
  }

  Status take(const TraceRecord& record, std::string_view payload) {
    const bool is_first = file_.kind == TraceKind::kEmpty;
    if (is_first) file_.kind = TraceKind::kBlktrace;
    if (is_first && record.is_message && is_trace_head(payload)) return take_head(payload);
    if (file_.end) {
      tally_.doubt("garbage");  // beyond its end
      return ok_status();
    }
    if (record.is_notify) {
      if (file_.kind == TraceKind::kOwn) take_end(payload);
      return ok_status();
    }
    ++records_count_;
    tally_.check_sequence(record.cpu, record.device, record.sequence);
    tally_.count({.begin_sector = record.sector,
                  .bytes = record.bytes,
                  .reads_only = record.reads_only,
                  .has_no_place = record.is_passed_through});
    return ok_status();
  }

  Status take_head(std::string_view payload) {
    const std::optional<TraceHead> head = parse_trace_head(payload);
    if (!head) return invalid(path_, "is of another version of patina-core");
    if (head->device_bytes != tally_.dirty().device_bytes()) {
      return invalid(path_, fmt::format("is of a device of {} bytes, not {}", head->device_bytes,
                                        tally_.dirty().device_bytes()));
    }
    file_.kind = TraceKind::kOwn;
    file_.head = *head;
    return ok_status();
  }

  void take_end(std::string_view payload) {
    file_.end = parse_trace_end(payload);
    if (!file_.end || file_.end->records_count != records_count_) tally_.doubt("garbage");
    if (!file_.end) return;
    if (!file_.end->incomplete_reason.empty()) tally_.doubt(file_.end->incomplete_reason);
    if (file_.end->dropped_count > 0) tally_.doubt("dropped_events");
    if (file_.head.generation_begin.empty() || file_.end->generation_end.empty()) {
      tally_.doubt("unknown_generation");
    }
  }

  const std::string& path_;
  BufferedInput& input_;
  TraceTally& tally_;
  TraceFile file_;
  uint64_t records_count_ = 0;
};

Result<TraceFile> read_text(const std::string& path, BufferedInput& input, TraceTally& tally) {
  BlkparseText text(tally);
  for (uint64_t number = 1; !input.at_end(); ++number) {
    const std::optional<std::string_view> line = input.line(kMaxTextLineBytes);
    if (!line && input.peek(kMaxTextLineBytes + 1).size() <= kMaxTextLineBytes) {
      tally.doubt("truncated");  // its last line does not end
      break;
    }
    if (!line || !text.take(*line)) {
      return invalid(path, fmt::format("is not of blkparse's default format, as of line {}{}{}", number,
                                       line ? ": " : "", line ? line->substr(0, 80) : ""));
    }
  }
  TraceFile file;
  file.kind = TraceKind::kBlkparseText;
  return file;
}

bool looks_like_text(std::span<const uint8_t> bytes) {
  for (const uint8_t byte : bytes) {
    if (std::isprint(byte) == 0 && std::isspace(byte) == 0) return false;
  }
  return true;
}

Result<TraceFile> read_open_file(const std::string& path, BufferedInput& input, TraceTally& tally) {
  if (input.at_end()) return TraceFile{};
  constexpr size_t kLookAtBytes = 16;
  const std::span<const uint8_t> front = input.peek(kMaxRecordHeadBytes);
  TraceRecord record;
  const RecordFound found = decode_record(front, record);
  if (found == RecordFound::kOtherByteOrder) {
    return invalid(path, "comes from a machine of the other byte order: print it there with blkparse");
  }
  if (found == RecordFound::kRecord) return Records(path, input, tally).read();
  if (looks_like_text(front.first(std::min(front.size(), kLookAtBytes)))) {
    return read_text(path, input, tally);
  }
  return invalid(path, "is neither a file of blktrace nor output of blkparse");
}

}  // namespace

Result<TraceFile> read_trace_file(const std::string& path, TraceTally& tally) {
  const Result<Descriptor> file = open_regular_file(path, ErrorCode::kTraceInvalid, "the trace");
  if (!file) return file.error();
  BufferedInput input(file->get());
  Result<TraceFile> read = read_open_file(path, input, tally);
  if (input.error_number() != 0) {
    return invalid(path, fmt::format("cannot be read: {}", std::strerror(input.error_number())));
  }
  return read;
}

}  // namespace patina
