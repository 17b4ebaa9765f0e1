// The mapping of a flash disk: which slot of which erase block holds each unit, garbage collection by greedy
// choice, and the write amplification that results.
#pragma once

#include <cstdint>
#include <vector>

namespace patina {

struct FlashMapShape {
  uint64_t units_count = 0;        // that the disk offers
  uint32_t block_units_count = 0;  // slots of an erase block
  double over_provisioning_fraction = 0;
};

// Greedy: the block with the fewest valid units is collected first. Data of the host and collected data go to
// blocks of their own.
class FlashMap {
 public:
  explicit FlashMap(const FlashMapShape& shape);

  void write(uint32_t unit);
  void discard(uint32_t unit);
  bool is_mapped(uint32_t unit) const { return slots_[unit] != kNone; }

  uint64_t units_count() const { return slots_.size(); }
  uint32_t block_units_count() const { return block_units_count_; }
  uint64_t mapped_count() const { return mapped_count_; }
  uint64_t written_count() const { return written_count_; }  // by the host
  uint64_t moved_count() const { return moved_count_; }      // by garbage collection
  uint64_t erased_count() const { return erased_count_; }    // blocks
  uint64_t free_blocks_count() const { return free_.size(); }
  uint64_t memory_bytes() const;
  // Reports whether every mapped unit has one slot that names it, and every block counts its valid units.
  bool is_consistent() const;

 private:
  static constexpr uint32_t kNone = UINT32_MAX;
  struct Block {
    uint32_t valid_count = 0;
    uint32_t next = kNone;  // of the full blocks with as many valid units
    uint32_t before = kNone;
    bool is_full = false;
  };
  struct OpenBlock {
    uint32_t block = kNone;
    uint32_t used_count = 0;
  };
  void place(uint32_t unit, OpenBlock& open);
  void invalidate(uint32_t slot);
  void collect();
  void link(uint32_t block);
  void unlink(uint32_t block);

  uint32_t block_units_count_;
  std::vector<uint32_t> slots_;  // of each unit
  std::vector<uint32_t> units_;  // of each slot; kNone: invalid
  std::vector<Block> blocks_;
  std::vector<uint32_t> free_;
  std::vector<uint32_t> full_;  // by their valid units: the first block of a list
  uint32_t least_valid_ = 0;    // no full block has fewer valid units
  OpenBlock host_;
  OpenBlock moved_;
  uint64_t mapped_count_ = 0;
  uint64_t written_count_ = 0;
  uint64_t moved_count_ = 0;
  uint64_t erased_count_ = 0;
};

}  // namespace patina
