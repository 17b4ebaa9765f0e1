// Full blocks are in lists by their count of valid units, so that each step takes constant time.
#include "disk_model/flash_map.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace patina {
namespace {

// Beside the blocks that the units fill: two open ones, and what garbage collection needs to go on.
constexpr uint32_t kReserveBlocks = 2;
constexpr uint32_t kOpenBlocks = 2;

}  // namespace

FlashMap::FlashMap(const FlashMapShape& shape) : block_units_count_(shape.block_units_count) {
  const uint64_t data_blocks = (shape.units_count + block_units_count_ - 1) / block_units_count_;
  const auto spare_blocks = static_cast<uint64_t>(
      std::llround(static_cast<double>(data_blocks) * shape.over_provisioning_fraction));
  const uint64_t blocks = data_blocks + std::max<uint64_t>(spare_blocks, kReserveBlocks + kOpenBlocks + 1);
  assert(blocks * block_units_count_ < kNone);
  slots_.assign(shape.units_count, kNone);
  units_.assign(blocks * block_units_count_, kNone);
  blocks_.resize(blocks);
  full_.assign(uint64_t{block_units_count_} + 1, kNone);
  free_.reserve(blocks);
  for (uint64_t block = blocks; block > 0; --block) free_.push_back(static_cast<uint32_t>(block - 1));
  least_valid_ = block_units_count_;
}

void FlashMap::link(uint32_t block) {
  Block& linked = blocks_[block];
  uint32_t& first = full_[linked.valid_count];
  linked.before = kNone;
  linked.next = first;
  if (first != kNone) blocks_[first].before = block;
  first = block;
  least_valid_ = std::min(least_valid_, linked.valid_count);
}

void FlashMap::unlink(uint32_t block) {
  const Block& linked = blocks_[block];
  if (linked.before == kNone) {
    full_[linked.valid_count] = linked.next;
  } else {
    blocks_[linked.before].next = linked.next;
  }
  if (linked.next != kNone) blocks_[linked.next].before = linked.before;
}

void FlashMap::invalidate(uint32_t slot) {
  units_[slot] = kNone;
  const uint32_t block = slot / block_units_count_;
  Block& holder = blocks_[block];
  if (holder.is_full) unlink(block);
  --holder.valid_count;
  if (holder.is_full) link(block);
}

void FlashMap::place(uint32_t unit, OpenBlock& open) {
  if (open.block == kNone) {
    open = {free_.back(), 0};
    free_.pop_back();
  }
  const uint32_t slot = open.block * block_units_count_ + open.used_count;
  units_[slot] = unit;
  slots_[unit] = slot;
  Block& block = blocks_[open.block];
  ++block.valid_count;
  if (++open.used_count < block_units_count_) return;
  block.is_full = true;
  link(open.block);
  open.block = kNone;
}

void FlashMap::collect() {
  while (least_valid_ < block_units_count_ && full_[least_valid_] == kNone) ++least_valid_;
  const uint32_t victim = full_[least_valid_];
  // More slots than units: some full block always has an invalid one.
  assert(least_valid_ < block_units_count_);
  unlink(victim);
  blocks_[victim].is_full = false;
  for (uint32_t i = 0; i < block_units_count_; ++i) {
    uint32_t& unit = units_[victim * block_units_count_ + i];
    if (unit == kNone) continue;
    place(unit, moved_);
    unit = kNone;
    ++moved_count_;
  }
  blocks_[victim].valid_count = 0;
  free_.push_back(victim);
  ++erased_count_;
}

void FlashMap::write(uint32_t unit) {
  if (slots_[unit] == kNone) {
    ++mapped_count_;
  } else {
    invalidate(slots_[unit]);
    slots_[unit] = kNone;
  }
  place(unit, host_);
  ++written_count_;
  while (free_.size() < kReserveBlocks) collect();
}

void FlashMap::discard(uint32_t unit) {
  if (slots_[unit] == kNone) return;
  invalidate(slots_[unit]);
  slots_[unit] = kNone;
  --mapped_count_;
}

uint64_t FlashMap::memory_bytes() const {
  return (slots_.size() + units_.size() + free_.capacity() + full_.size()) * sizeof(uint32_t) +
         blocks_.size() * sizeof(Block);
}

bool FlashMap::is_consistent() const {
  uint64_t mapped = 0;
  for (uint32_t unit = 0; unit < slots_.size(); ++unit) {
    if (slots_[unit] == kNone) continue;
    ++mapped;
    if (units_[slots_[unit]] != unit) return false;
  }
  uint64_t valid = 0;
  for (uint32_t block = 0; block < blocks_.size(); ++block) {
    const auto first = units_.begin() + static_cast<int64_t>(uint64_t{block} * block_units_count_);
    const auto counted =
        std::count_if(first, first + block_units_count_, [](uint32_t unit) { return unit != kNone; });
    if (counted != blocks_[block].valid_count) return false;
    valid += blocks_[block].valid_count;
  }
  return mapped == mapped_count_ && valid == mapped_count_;
}

}  // namespace patina
