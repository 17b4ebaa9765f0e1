// Pages of the kernel's trace ring buffer, as read from trace_pipe_raw.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace patina {

struct EventField {
  size_t offset = 0;
  size_t size = 0;
};

// The fields that a file such as events/block/block_bio_queue/format, or events/header_page (without an id),
// declares.
struct EventFormat {
  uint16_t id = 0;
  std::map<std::string, EventField, std::less<>> fields;

  const EventField* field(std::string_view name) const;
};

// Parses such a file; none: it is not one.
std::optional<EventFormat> parse_event_format(std::string_view text);

// Reports whether events/header_event describes the one known layout of event heads.
bool is_known_event_head(std::string_view text);

class RingBufferPage {
 public:
  // `page_format`: of events/header_page. None: a needed field is missing.
  static std::optional<RingBufferPage> of(const EventFormat& page_format);

  // `time_ns`: of the kernel's clock.
  using Visit = std::function<void(std::span<const uint8_t> event, uint64_t time_ns)>;
  // Visits every event of a page; false: the page is malformed. `missed`: the kernel reports events lost
  // before it.
  bool visit(std::span<const uint8_t> page, const Visit& visit, bool& missed) const;

 private:
  EventField commit_;
  EventField timestamp_;
  size_t data_offset_ = 0;
};

// Returns a little-endian number of up to 8 bytes; 0 beyond the event's end.
uint64_t read_field(std::span<const uint8_t> event, const EventField& field);
// Returns the text up to the first NUL.
std::string_view read_letters(std::span<const uint8_t> event, const EventField& field);

}  // namespace patina
