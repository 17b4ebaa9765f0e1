// Head and end of patina's own traces: the messages that are their first and last records. For the format see
// docs/file-formats.md, "Trace".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace patina {

struct TraceHead {
  uint64_t device_bytes = 0;
  std::string source;            // tracefs or blktrace
  std::string generation_begin;  // empty: not known
};

struct TraceEnd {
  uint64_t events_count = 0;   // reported by the kernel
  uint64_t writes_count = 0;   // of them, those that touch a block
  uint64_t dropped_count = 0;  // not reported: dropped by the kernel
  uint64_t records_count = 0;  // of writes in the file
  std::string generation_end;  // empty: not known
  std::string incomplete_reason;
};

std::string to_message(const TraceHead& head);
std::string to_message(const TraceEnd& end);

// Reports whether a message is a head, of any version.
bool is_trace_head(std::string_view message);
std::optional<TraceHead> parse_trace_head(std::string_view message);
std::optional<TraceEnd> parse_trace_end(std::string_view message);

}  // namespace patina
