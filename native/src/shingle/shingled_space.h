// Places files on a Caveat-Scriptor disk by a policy.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "shingle/free_extents.h"

namespace patina {

// Which of the free extents that are long enough.
enum class PlacementChoice : uint8_t {
  kShortest,
  kLowest,
  kNext,     // the next one behind the last placement, around the end of the disk
  kNearest,  // to the last access, on either side
  kLongest,
};

struct PlacementPolicy {
  const char* name;
  PlacementChoice choice;
  bool splits = false;           // a file has several extents if none is long enough
  bool coalesces_late = false;   // freed extents stay apart until none is long enough
  bool is_damage_aware = false;  // a shorter extent is enough if no live block is damaged
};

// A new policy is a row here. The first five are those of Singh, "Caveat-Scriptor" (Carnegie Mellon, 2014,
// section 4.3), the others ours.
inline constexpr PlacementPolicy kPlacementPolicies[] = {
    {"best", PlacementChoice::kShortest},
    {"first", PlacementChoice::kLowest},
    {"next", PlacementChoice::kNext},
    {"last-position", PlacementChoice::kNearest},
    {"worst", PlacementChoice::kLongest},
    {.name = "best-split", .choice = PlacementChoice::kShortest, .splits = true},
    {.name = "best-late", .choice = PlacementChoice::kShortest, .coalesces_late = true},
    {.name = "best-aware", .choice = PlacementChoice::kShortest, .is_damage_aware = true}};

// A write of a file damages blocks behind it (caveat_disk.h). It needs DID blocks behind it free, and gives
// them back. Blocks are allocated, or free; of those, *unusable* ones are in extents of at most DID blocks.
// Not thread safe.
class ShingledSpace {
 public:
  struct Damage {
    uint64_t did = 0;
    uint64_t dnor = 0;  // at most DID
  };

  ShingledSpace(uint64_t blocks_count, Damage damage, const PlacementPolicy& policy)
      : free_(blocks_count), damage_(damage), policy_(policy) {}

  // Returns extents of `count` blocks together, one unless the policy splits; none if there is no place.
  std::vector<BlockExtent> allocate(uint64_t count);
  // Takes an extent that a file has already. False: it is not free as a whole.
  bool adopt(const BlockExtent& extent);
  void release(const BlockExtent& extent);
  // The head has read or written there.
  void accessed(uint64_t block) { position_ = block; }

  const FreeExtents& free_extents() const { return free_; }
  uint64_t unusable_count() const { return free_.free_count_in_short(damage_.did); }
  uint64_t allocated_count() const { return free_.blocks_count() - free_.free_count(); }

 private:
  std::optional<uint64_t> chosen(uint64_t count);
  std::optional<BlockExtent> extent_of(uint64_t least) const;
  std::optional<BlockExtent> nearest(uint64_t least) const;
  std::optional<uint64_t> in_short_extent(uint64_t count) const;
  bool damages_live(const BlockExtent& written) const;
  std::vector<BlockExtent> split(uint64_t count);
  BlockExtent take(uint64_t first, uint64_t count);

  FreeExtents free_;
  const Damage damage_;
  const PlacementPolicy policy_;
  uint64_t placed_end_ = 0;  // of the last placement
  uint64_t position_ = 0;
};

}  // namespace patina
