// Layout as in the kernel's include/linux/ring_buffer.h; offsets from the files that describe it.
#include "trace/ring_buffer_page.h"

#include <algorithm>
#include <charconv>
#include <cstring>

namespace patina {
namespace {

constexpr uint64_t kMissedEventsBits = uint64_t{3} << 30U;
constexpr uint64_t kLengthBits = (uint64_t{1} << 30U) - 1;
constexpr size_t kWordBytes = 4;
constexpr uint32_t kTypeBits = 5;
constexpr uint32_t kTypeMask = (1U << kTypeBits) - 1;
constexpr uint32_t kMaxDataType = 28;
constexpr uint32_t kPadding = 29;
constexpr uint32_t kTimeExtend = 30;
constexpr uint32_t kTimeStamp = 31;
constexpr uint32_t kDeltaBits = 27;
// A time stamp lacks the highest bits of the time, which the page has.
constexpr uint64_t kStampBits = (uint64_t{1} << 59U) - 1;

// Reads the number after `key`, such as "offset:" in "offset:8;".
bool number_after(std::string_view line, std::string_view key, size_t& out) {
  const size_t found = line.find(key);
  if (found == std::string_view::npos) return false;
  line.remove_prefix(found + key.size());
  return std::from_chars(line.data(), line.data() + line.size(), out).ec == std::errc();
}

// "\tfield:char rwbs[10];\toffset:28;..." declares rwbs.
std::string_view declared_name(std::string_view line) {
  const size_t begin = line.find("field:");
  std::string_view declaration = line.substr(begin, line.find(';') - begin);
  declaration = declaration.substr(declaration.find_last_of(' ') + 1);
  return declaration.substr(0, declaration.find('['));
}

template <typename Take>
void for_each_line(std::string_view text, const Take& take) {
  while (!text.empty()) {
    const size_t end = text.find('\n');
    take(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
}

uint32_t word_at(std::span<const uint8_t> bytes, size_t at) {
  uint32_t word = 0;
  std::memcpy(&word, bytes.data() + at, sizeof word);
  return word;
}

}  // namespace

const EventField* EventFormat::field(std::string_view name) const {
  const auto found = fields.find(name);
  return found == fields.end() ? nullptr : &found->second;
}

std::optional<EventFormat> parse_event_format(std::string_view text) {
  EventFormat format;
  for_each_line(text, [&format](std::string_view line) {
    size_t id = 0;
    if (line.starts_with("ID:") && number_after(line, "ID: ", id)) format.id = static_cast<uint16_t>(id);
    EventField field;
    const bool is_field = line.find("field:") != std::string_view::npos &&
                          number_after(line, "offset:", field.offset) &&
                          number_after(line, "size:", field.size);
    if (is_field) format.fields.emplace(declared_name(line), field);
  });
  if (format.fields.empty()) return std::nullopt;
  return format;
}

bool is_known_event_head(std::string_view text) {
  std::string squeezed;
  for (const char c : text) {
    if (c != ' ' && c != '\t') squeezed.push_back(c);
  }
  for (const char* line : {"type_len:5bits", "time_delta:27bits", "array:32bits", "padding:type==29",
                           "time_extend:type==30", "time_stamp:type==31", "datamaxtype_len==28"}) {
    if (squeezed.find(line) == std::string::npos) return false;
  }
  return true;
}

std::optional<RingBufferPage> RingBufferPage::of(const EventFormat& page_format) {
  const EventField* const commit = page_format.field("commit");
  const EventField* const data = page_format.field("data");
  if (commit == nullptr || data == nullptr || commit->size > sizeof(uint64_t)) return std::nullopt;
  RingBufferPage page;
  page.commit_ = *commit;
  page.data_offset_ = data->offset;
  if (const EventField* const timestamp = page_format.field("timestamp")) page.timestamp_ = *timestamp;
  return page;
}

bool RingBufferPage::visit(std::span<const uint8_t> page, const Visit& visit, bool& missed) const {
  if (page.size() < data_offset_ || page.size() < commit_.offset + commit_.size) return false;
  const uint64_t commit = read_field(page, commit_);
  missed = (commit & kMissedEventsBits) != 0;
  const uint64_t data_bytes = commit & kLengthBits;
  if (data_bytes > page.size() - data_offset_) return false;
  const std::span<const uint8_t> data = page.subspan(data_offset_, data_bytes);
  uint64_t time_ns = read_field(page, timestamp_);
  for (size_t at = 0; at < data.size();) {
    if (data.size() - at < kWordBytes) return false;
    const uint32_t head = word_at(data, at);
    const uint32_t type = head & kTypeMask;
    if (type == kPadding && head >> kTypeBits == 0) break;  // the rest of the page is empty
    // Long and discarded events have their length in the word after the head.
    const bool has_length = type == 0 || type == kPadding;
    // Time extends and time stamps take a word.
    size_t length = kWordBytes + kWordBytes;
    if (has_length) {
      if (data.size() - at < 2 * kWordBytes) return false;
      length = kWordBytes + word_at(data, at + kWordBytes);
    } else if (type <= kMaxDataType) {
      length = kWordBytes + type * kWordBytes;
    }
    if (length < 2 * kWordBytes || length > data.size() - at) return false;
    const uint64_t delta = head >> kTypeBits;
    if (type == kTimeExtend || type == kTimeStamp) {
      const uint64_t wide = (uint64_t{word_at(data, at + kWordBytes)} << kDeltaBits) + delta;
      time_ns = type == kTimeExtend ? time_ns + wide : (time_ns & ~kStampBits) | wide;
    }
    if (type <= kMaxDataType) {
      time_ns += delta;
      const size_t head_bytes = type == 0 ? 2 * kWordBytes : kWordBytes;
      visit(data.subspan(at + head_bytes, length - head_bytes), time_ns);
    }
    at += length;
  }
  return true;
}

uint64_t read_field(std::span<const uint8_t> event, const EventField& field) {
  uint64_t value = 0;
  if (field.size > sizeof value || field.offset > event.size() || event.size() - field.offset < field.size) {
    return 0;
  }
  std::memcpy(&value, event.data() + field.offset, field.size);
  return value;
}

std::string_view read_letters(std::span<const uint8_t> event, const EventField& field) {
  if (field.offset >= event.size()) return {};
  const std::span<const uint8_t> bytes =
      event.subspan(field.offset, std::min(field.size, event.size() - field.offset));
  const auto end = std::find(bytes.begin(), bytes.end(), uint8_t{0});
  return {reinterpret_cast<const char*>(bytes.data()), static_cast<size_t>(end - bytes.begin())};
}

}  // namespace patina
