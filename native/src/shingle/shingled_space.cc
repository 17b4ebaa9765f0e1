// The choices of the policies, and what some do if there is no choice.
#include "shingle/shingled_space.h"

#include <algorithm>

namespace patina {
namespace {

// Of extents that are too short for their damaged blocks, so many are looked at.
constexpr size_t kMostShort = 64;

}  // namespace

std::vector<BlockExtent> ShingledSpace::allocate(uint64_t count) {
  std::optional<uint64_t> first = policy_.is_damage_aware ? in_short_extent(count) : std::nullopt;
  if (!first) first = chosen(count);
  if (first) return {take(*first, count)};
  return policy_.splits ? split(count) : std::vector<BlockExtent>{};
}

bool ShingledSpace::adopt(const BlockExtent& extent) {
  if (!free_.contains(extent)) return false;
  free_.remove(extent);
  return true;
}

void ShingledSpace::release(const BlockExtent& extent) {
  if (policy_.coalesces_late) {
    free_.add_apart(extent);
  } else {
    free_.add(extent);
  }
}

BlockExtent ShingledSpace::take(uint64_t first, uint64_t count) {
  free_.remove({first, count});
  placed_end_ = position_ = first + count;
  return {first, count};
}

std::optional<uint64_t> ShingledSpace::chosen(uint64_t count) {
  std::optional<BlockExtent> extent = extent_of(count + damage_.did);
  if (!extent && policy_.coalesces_late && free_.coalesce()) extent = extent_of(count + damage_.did);
  return extent ? std::optional(extent->first) : std::nullopt;
}

std::optional<BlockExtent> ShingledSpace::extent_of(uint64_t least) const {
  switch (policy_.choice) {
    case PlacementChoice::kShortest:
      return free_.shortest(least);
    case PlacementChoice::kLowest:
      return free_.next(0, least);
    case PlacementChoice::kNext: {
      const std::optional<BlockExtent> behind = free_.next(placed_end_, least);
      return behind ? behind : free_.next(0, least);
    }
    case PlacementChoice::kNearest:
      return nearest(least);
    case PlacementChoice::kLongest:
      return free_.longest(least);
  }
  return std::nullopt;
}

std::optional<BlockExtent> ShingledSpace::nearest(uint64_t least) const {
  const std::optional<BlockExtent> behind = free_.next(position_, least);
  const std::optional<BlockExtent> before = free_.previous(position_, least);
  if (!behind || !before) return behind ? behind : before;
  return behind->first - position_ <= position_ - before->first ? behind : before;
}

// At the begin of the extent or at its end: what DNOR spares may then be live.
std::optional<uint64_t> ShingledSpace::in_short_extent(uint64_t count) const {
  for (const BlockExtent& extent : free_.from_shortest(count, kMostShort)) {
    if (extent.count >= count + damage_.did) break;
    if (!damages_live({extent.first, count})) return extent.first;
    if (!damages_live({extent.end() - count, count})) return extent.end() - count;
  }
  return std::nullopt;
}

bool ShingledSpace::damages_live(const BlockExtent& written) const {
  const uint64_t begin = std::max(written.first + 1 + damage_.dnor, written.end());
  const uint64_t end = std::min(written.end() + damage_.did, free_.blocks_count());
  return begin < end && !free_.contains({begin, end - begin});
}

// The longest extents first, so that there are few.
std::vector<BlockExtent> ShingledSpace::split(uint64_t count) {
  std::vector<BlockExtent> taken;
  for (uint64_t left = count; left > 0;) {
    const std::optional<BlockExtent> extent = free_.longest(damage_.did + 1);
    if (!extent) {
      for (const BlockExtent& each : taken) free_.add(each);
      return {};
    }
    taken.push_back(take(extent->first, std::min(left, extent->count - damage_.did)));
    left -= taken.back().count;
  }
  return taken;
}

}  // namespace patina
