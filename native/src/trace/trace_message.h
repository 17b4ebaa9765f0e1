// What patina's own traces say about themselves: the messages that are their first and their last record. The
// format is described in docs/file-formats.md, "Trace".
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
  uint64_t events_count = 0;   // that the kernel reported
  uint64_t writes_count = 0;   // of them, those that touch a block
  uint64_t dropped_count = 0;  // that it could not report
  uint64_t records_count = 0;  // of writes in the file
  std::string generation_end;  // empty: not known
  std::string incomplete_reason;
};

std::string to_message(const TraceHead& head);
std::string to_message(const TraceEnd& end);

// Whether a message is a head at all, be it of another version.
bool is_trace_head(std::string_view message);
std::optional<TraceHead> parse_trace_head(std::string_view message);
std::optional<TraceEnd> parse_trace_end(std::string_view message);

}  // namespace patina
