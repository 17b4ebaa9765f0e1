// The five policies.
#include "shingle/shingled_space.h"

namespace patina {

std::optional<uint64_t> ShingledSpace::allocate(uint64_t count) {
  const std::optional<BlockExtent> extent = chosen(count + did_);
  if (!extent) return std::nullopt;
  free_.remove({extent->first, count});
  placed_end_ = position_ = extent->first + count;
  return extent->first;
}

void ShingledSpace::release(const BlockExtent& extent) {
  free_.add(extent);
}

std::optional<BlockExtent> ShingledSpace::chosen(uint64_t least) const {
  switch (policy_) {
    case PlacementPolicy::kBest:
      return free_.shortest(least);
    case PlacementPolicy::kFirst:
      return free_.next(0, least);
    case PlacementPolicy::kNext: {
      const std::optional<BlockExtent> behind = free_.next(placed_end_, least);
      return behind ? behind : free_.next(0, least);
    }
    case PlacementPolicy::kLastPosition:
      return nearest(least);
    case PlacementPolicy::kWorst:
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

}  // namespace patina
