// Converts sectors of the disk to bytes of the device, and detects missing events.
#include "trace/trace_tally.h"

#include <algorithm>

namespace patina {
namespace {

constexpr uint64_t kMaxSector = INT64_MAX / kSectorBytes;
// Processors times devices; a larger number is garbage.
constexpr size_t kMaxSequences = 65536;

}  // namespace

bool letters_read_only(std::string_view rwbs) {
  if (rwbs.size() > 1 && rwbs.front() == 'F') rwbs.remove_prefix(1);
  return !rwbs.empty() && rwbs.front() == 'R';
}

bool letters_discard(std::string_view rwbs) {
  if (rwbs.size() > 1 && rwbs.front() == 'F') rwbs.remove_prefix(1);
  return !rwbs.empty() && rwbs.front() == 'D';
}

bool letters_metadata(std::string_view rwbs) {
  return rwbs.find('M') != std::string_view::npos;
}

TraceTally::TraceTally(uint64_t device_bytes, uint64_t partition_start_sectors)
    : dirty_(device_bytes),
      partition_start_bytes_(std::min(partition_start_sectors, kMaxSector) * kSectorBytes) {}

void TraceTally::count(const BlockEvent& event, const DirtyBlocks::Visit& fresh) {
  ++events_count_;
  if (event.bytes == 0) return;
  if (event.reads_only) {
    const std::optional<ByteRange> read = event.is_issued ? range_of(event) : std::nullopt;
    if (read && read->end_bytes <= dirty_.device_bytes()) reads_.add(event.time_ns, *read);
    return;
  }
  ++writes_count_;
  if (event.is_queued) queued_sectors_ += event.bytes / kSectorBytes;
  if (event.has_no_place) {
    doubt("passed_through_command");
    return;
  }
  const std::optional<ByteRange> written = range_of(event);
  if (!written) return;
  dirty_.add(*written, fresh);
  if (!event.is_queued || event.discards || written->begin_bytes >= dirty_.device_bytes()) return;
  written_bytes_ += event.bytes;
  if (event.is_metadata) metadata_written_bytes_ += event.bytes;
}

std::optional<ByteRange> TraceTally::range_of(const BlockEvent& event) const {
  if (event.begin_sector > kMaxSector) return std::nullopt;
  const uint64_t begin = event.begin_sector * kSectorBytes;
  const uint64_t end = begin + std::min<uint64_t>(event.bytes, INT64_MAX);
  if (end <= partition_start_bytes_) return std::nullopt;
  return ByteRange{std::max(begin, partition_start_bytes_) - partition_start_bytes_,
                   end - partition_start_bytes_};
}

void TraceTally::check_sequence(uint32_t cpu, uint32_t device, uint32_t sequence) {
  const uint64_t key = (uint64_t{device} << 32U) | cpu;
  if (last_sequences_.size() >= kMaxSequences && !last_sequences_.contains(key)) {
    doubt("garbage");
    return;
  }
  uint32_t& last = last_sequences_[key];
  if (sequence != last + 1) doubt("sequence_gap");
  last = sequence;
}

void TraceTally::doubt(std::string_view reason) {
  if (incomplete_reason_.empty()) incomplete_reason_ = reason;
}

}  // namespace patina
