// What a trace adds up to: the blocks that were touched, and why that may not be all of them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "trace/dirty_blocks.h"

namespace patina {

inline constexpr uint64_t kSectorBytes = 512;

// One event of the block layer, from whichever source.
struct BlockEvent {
  uint64_t begin_sector = 0;
  uint64_t bytes = 0;
  bool reads_only = false;
  // The first event of a write: the others are of the same blocks at a later stage.
  bool is_queued = false;
  // A command passed through to the drive: nobody can tell which blocks it touches.
  bool has_no_place = false;
};

// Of the letters that the kernel prints for an operation ("FWS", "RA", "D"): an F first is a flush before it.
bool letters_read_only(std::string_view rwbs);

class TraceTally {
 public:
  // Events are in sectors of the disk: the device may be a partition of it.
  TraceTally(uint64_t device_bytes, uint64_t partition_start_sectors);

  // Whatever may have changed a block makes it dirty: any event that is no mere read, at any stage.
  void count(const BlockEvent& event, const DirtyBlocks::Visit& fresh = {});
  // Events of one processor are numbered from 1 on, without gaps.
  void check_sequence(uint32_t cpu, uint32_t device, uint32_t sequence);
  // Why the trace cannot be believed to be whole: a stable snake_case word. The first one stays.
  void doubt(std::string_view reason);

  const DirtyBlocks& dirty() const { return dirty_; }
  const std::string& incomplete_reason() const { return incomplete_reason_; }
  uint64_t events_count() const { return events_count_; }
  uint64_t writes_count() const { return writes_count_; }
  // Of the whole disk, of writes and discards as they were queued.
  uint64_t queued_sectors() const { return queued_sectors_; }

 private:
  DirtyBlocks dirty_;
  uint64_t partition_start_bytes_;
  std::string incomplete_reason_;
  uint64_t events_count_ = 0;
  uint64_t writes_count_ = 0;
  uint64_t queued_sectors_ = 0;
  std::unordered_map<uint64_t, uint32_t> last_sequences_;
};

}  // namespace patina
