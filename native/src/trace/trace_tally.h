// Sum of a trace: the blocks that were touched, and the reason why some may be missing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "trace/dirty_blocks.h"
#include "trace/read_order.h"

namespace patina {

inline constexpr uint64_t kSectorBytes = 512;

// One event of the block layer, of any source.
struct BlockEvent {
  uint64_t begin_sector = 0;
  uint64_t bytes = 0;
  bool reads_only = false;
  // The first event of a write: the others are of the same blocks at a later stage.
  bool is_queued = false;
  // Of a write: it frees its blocks, or the file system marked it as metadata.
  bool discards = false;
  bool is_metadata = false;
  // The event of the request that reaches the driver, at `time_ns` of the kernel's clock.
  bool is_issued = false;
  uint64_t time_ns = 0;
  // A command passed through to the drive: the blocks that it touches are unknown.
  bool has_no_place = false;
};

// Reports whether the letters that the kernel prints for an operation ("FWS", "RA", "D") are those of a read;
// a leading F is a flush before it.
bool letters_read_only(std::string_view rwbs);
// Report whether they are those of a discard, and whether they have the mark of metadata.
bool letters_discard(std::string_view rwbs);
bool letters_metadata(std::string_view rwbs);

class TraceTally {
 public:
  // Events are in sectors of the disk: the device may be a partition of it.
  TraceTally(uint64_t device_bytes, uint64_t partition_start_sectors);

  // Marks the blocks of an event dirty, at any stage; of a read, takes its place in the order.
  void count(const BlockEvent& event, const DirtyBlocks::Visit& fresh = {});
  // Events of one processor are numbered from 1 on, without gaps.
  void check_sequence(uint32_t cpu, uint32_t device, uint32_t sequence);
  // Records why the trace may be incomplete, as a stable snake_case word. The first one stays.
  void doubt(std::string_view reason);

  // Counts the reads so far. Call it whenever every processor's events were read.
  void settle_reads() { reads_.settle(); }
  const ReadOrder& reads() const { return reads_; }

  const DirtyBlocks& dirty() const { return dirty_; }
  const std::string& incomplete_reason() const { return incomplete_reason_; }
  uint64_t events_count() const { return events_count_; }
  uint64_t writes_count() const { return writes_count_; }
  // Sum the queued writes to the device, without discards: all, and those of metadata.
  uint64_t written_bytes() const { return written_bytes_; }
  uint64_t metadata_written_bytes() const { return metadata_written_bytes_; }
  // Counts queued writes and discards of the whole disk.
  uint64_t queued_sectors() const { return queued_sectors_; }

 private:
  // Returns the part of an event that is in the device; nothing: none is.
  std::optional<ByteRange> range_of(const BlockEvent& event) const;

  DirtyBlocks dirty_;
  ReadOrder reads_;
  uint64_t partition_start_bytes_;
  std::string incomplete_reason_;
  uint64_t events_count_ = 0;
  uint64_t writes_count_ = 0;
  uint64_t queued_sectors_ = 0;
  uint64_t written_bytes_ = 0;
  uint64_t metadata_written_bytes_ = 0;
  std::unordered_map<uint64_t, uint32_t> last_sequences_;
};

}  // namespace patina
