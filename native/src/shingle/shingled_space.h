// Places files on a Caveat-Scriptor disk by a policy.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "shingle/free_extents.h"

namespace patina {

// Where a file is placed among the free extents that are long enough.
enum class PlacementPolicy : uint8_t {
  kBest,          // the shortest
  kFirst,         // the lowest
  kNext,          // the next one behind the last placement, around the end of the disk
  kLastPosition,  // the nearest to the last access, on either side
  kWorst,         // the longest
};

struct PlacementPolicyName {
  const char* name;
  PlacementPolicy policy;
};
inline constexpr PlacementPolicyName kPlacementPolicies[] = {
    {"best", PlacementPolicy::kBest},
    {"first", PlacementPolicy::kFirst},
    {"next", PlacementPolicy::kNext},
    {"last-position", PlacementPolicy::kLastPosition},
    {"worst", PlacementPolicy::kWorst}};

// A write damages up to DID blocks behind it (Singh, "Caveat-Scriptor", Carnegie Mellon, 2014, chapter 3): it
// needs them free, and gives them back. Blocks are allocated, or free; of those, *unusable* ones are in
// extents of at most DID blocks. Not thread safe.
class ShingledSpace {
 public:
  ShingledSpace(uint64_t blocks_count, uint64_t did, PlacementPolicy policy)
      : free_(blocks_count), did_(did), policy_(policy) {}

  // Returns the first of `count` blocks, or nothing if no free extent is long enough.
  std::optional<uint64_t> allocate(uint64_t count);
  void release(const BlockExtent& extent);
  // The head has read or written there.
  void accessed(uint64_t block) { position_ = block; }

  const FreeExtents& free_extents() const { return free_; }
  uint64_t unusable_count() const { return free_.free_count_in_short(did_); }
  uint64_t allocated_count() const { return free_.blocks_count() - free_.free_count(); }

 private:
  std::optional<BlockExtent> chosen(uint64_t least) const;
  std::optional<BlockExtent> nearest(uint64_t least) const;

  FreeExtents free_;
  const uint64_t did_;
  const PlacementPolicy policy_;
  uint64_t placed_end_ = 0;  // of the last placement
  uint64_t position_ = 0;
};

}  // namespace patina
