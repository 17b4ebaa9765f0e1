// Finds extents by a tree of the longest one in each region.
#include "shingle/free_extents.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <iterator>

namespace patina {

FreeExtents::FreeExtents(uint64_t blocks_count)
    : blocks_count_(blocks_count),
      leaves_count_(std::bit_ceil(blocks_count / kRegionBlocks + 1)),
      longest_(2 * leaves_count_) {
  if (blocks_count > 0) insert({0, blocks_count});
}

void FreeExtents::insert(const BlockExtent& extent) {
  by_first_[extent.first] = extent.count;
  by_length_.emplace(extent.count, extent.first);
  free_count_ += extent.count;
  update_longest(extent.first / kRegionBlocks);
}

void FreeExtents::erase(const BlockExtent& extent) {
  by_first_.erase(extent.first);
  by_length_.erase({extent.count, extent.first});
  free_count_ -= extent.count;
  update_longest(extent.first / kRegionBlocks);
}

void FreeExtents::update_longest(uint64_t region) {
  uint64_t most = 0;
  const auto end = by_first_.lower_bound((region + 1) * kRegionBlocks);
  for (auto each = by_first_.lower_bound(region * kRegionBlocks); each != end; ++each) {
    most = std::max(most, each->second);
  }
  uint64_t node = leaves_count_ + region;
  longest_[node] = most;
  for (node /= 2; node > 0; node /= 2) {
    const uint64_t below = std::max(longest_[2 * node], longest_[2 * node + 1]);
    if (longest_[node] == below) break;
    longest_[node] = below;
  }
}

void FreeExtents::add(const BlockExtent& extent) {
  assert(extent.count > 0 && extent.end() <= blocks_count_);
  BlockExtent whole = extent;
  for (auto after = by_first_.lower_bound(extent.first); after != by_first_.end();
       after = by_first_.lower_bound(extent.first)) {
    assert(after->first >= whole.end());
    if (after->first > whole.end()) break;
    const BlockExtent right{after->first, after->second};
    whole.count += right.count;
    erase(right);
  }
  for (auto after = by_first_.lower_bound(extent.first); after != by_first_.begin();
       after = by_first_.lower_bound(extent.first)) {
    const BlockExtent left{std::prev(after)->first, std::prev(after)->second};
    assert(left.end() <= whole.first);
    if (left.end() < whole.first) break;
    whole = {left.first, left.count + whole.count};
    erase(left);
  }
  insert(whole);
}

void FreeExtents::add_apart(const BlockExtent& extent) {
  assert(extent.count > 0 && extent.end() <= blocks_count_);
  insert(extent);
  apart_.push_back(extent.first);
}

bool FreeExtents::coalesce() {
  const size_t before = by_first_.size();
  for (const uint64_t first : std::exchange(apart_, {})) {
    const auto found = by_first_.find(first);
    if (found == by_first_.end()) continue;
    const BlockExtent extent{found->first, found->second};
    erase(extent);
    add(extent);
  }
  return by_first_.size() < before;
}

void FreeExtents::remove(const BlockExtent& extent) {
  assert(extent.count > 0);
  auto containing = by_first_.upper_bound(extent.first);
  assert(containing != by_first_.begin());
  --containing;
  const BlockExtent whole{containing->first, containing->second};
  assert(whole.end() >= extent.end());
  erase(whole);
  if (whole.first < extent.first) insert({whole.first, extent.first - whole.first});
  if (extent.end() == whole.end()) return;
  insert({extent.end(), whole.end() - extent.end()});
  if (by_first_.contains(whole.end())) apart_.push_back(extent.end());
}

std::optional<BlockExtent> FreeExtents::shortest(uint64_t least) const {
  const auto found = by_length_.lower_bound({least, 0});
  if (found == by_length_.end()) return std::nullopt;
  return BlockExtent{found->second, found->first};
}

std::optional<BlockExtent> FreeExtents::longest(uint64_t least) const {
  if (by_length_.empty() || by_length_.rbegin()->first < least) return std::nullopt;
  return shortest(by_length_.rbegin()->first);
}

std::optional<BlockExtent> FreeExtents::next(uint64_t block, uint64_t least) const {
  if (block >= blocks_count_) return std::nullopt;
  const auto first_in = [&](uint64_t from, uint64_t end) -> std::optional<BlockExtent> {
    for (auto each = by_first_.lower_bound(from); each != by_first_.end() && each->first < end; ++each) {
      if (each->second >= least) return BlockExtent{each->first, each->second};
    }
    return std::nullopt;
  };
  const uint64_t region = block / kRegionBlocks;
  if (const auto found = first_in(block, (region + 1) * kRegionBlocks)) return found;
  const std::optional<uint64_t> later = region_from(region + 1, least);
  return later ? first_in(*later * kRegionBlocks, (*later + 1) * kRegionBlocks) : std::nullopt;
}

std::optional<BlockExtent> FreeExtents::previous(uint64_t block, uint64_t least) const {
  const auto last_in = [&](uint64_t from, uint64_t end) -> std::optional<BlockExtent> {
    for (auto each = by_first_.lower_bound(end); each != by_first_.begin();) {
      --each;
      if (each->first < from) break;
      if (each->second >= least) return BlockExtent{each->first, each->second};
    }
    return std::nullopt;
  };
  block = std::min(block, blocks_count_);
  const uint64_t region = block / kRegionBlocks;
  if (const auto found = last_in(region * kRegionBlocks, block)) return found;
  const std::optional<uint64_t> earlier = region_before(region, least);
  return earlier ? last_in(*earlier * kRegionBlocks, (*earlier + 1) * kRegionBlocks) : std::nullopt;
}

std::optional<uint64_t> FreeExtents::region_from(uint64_t region, uint64_t least) const {
  if (region >= leaves_count_) return std::nullopt;
  uint64_t node = leaves_count_ + region;
  // Up to the first node on the way, or right of it, that has one; then down to its leftmost leaf.
  while (longest_[node] < least) {
    while (node % 2 == 1) {
      node /= 2;
      if (node <= 1) return std::nullopt;
    }
    ++node;
  }
  while (node < leaves_count_) node = longest_[2 * node] >= least ? 2 * node : 2 * node + 1;
  return node - leaves_count_;
}

std::optional<uint64_t> FreeExtents::region_before(uint64_t region, uint64_t least) const {
  if (region == 0) return std::nullopt;
  uint64_t node = leaves_count_ + region - 1;
  while (longest_[node] < least) {
    while (node % 2 == 0) {
      node /= 2;
      if (node <= 1) return std::nullopt;
    }
    if (node <= 1) return std::nullopt;
    --node;
  }
  while (node < leaves_count_) node = longest_[2 * node + 1] >= least ? 2 * node + 1 : 2 * node;
  return node - leaves_count_;
}

std::vector<BlockExtent> FreeExtents::from_shortest(uint64_t least, size_t most) const {
  std::vector<BlockExtent> found;
  for (auto each = by_length_.lower_bound({least, 0}); each != by_length_.end() && found.size() < most;
       ++each) {
    found.push_back({each->second, each->first});
  }
  return found;
}

bool FreeExtents::contains(const BlockExtent& extent) const {
  const auto behind = by_first_.upper_bound(extent.first);
  if (behind == by_first_.begin()) return false;
  const auto& [first, count] = *std::prev(behind);
  return first + count >= extent.end();
}

uint64_t FreeExtents::free_count_in_short(uint64_t most) const {
  uint64_t sum = 0;
  BlockExtent run;
  for (const auto& [first, count] : by_first_) {
    if (first != run.end()) {
      if (run.count <= most) sum += run.count;
      run = {first, 0};
    }
    run.count += count;
  }
  return run.count <= most ? sum + run.count : sum;
}

}  // namespace patina
