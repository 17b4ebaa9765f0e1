// Places files on a strict-append disk, and chooses the bands to be cleaned.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "shingle/free_extents.h"

namespace patina {

// Which band is cleaned: its live blocks move to other bands, and it is reset.
enum class CleaningChoice : uint8_t {
  kGreedy,       // the one with the fewest live blocks
  kCostBenefit,  // the most (1 - u) age / (1 + u) for a live part of u (Rosenblum and Ousterhout, 1992)
  kOldest,       // the one whose last block was placed first
};

struct CleaningPolicy {
  const char* name;
  CleaningChoice choice;
};

// A new policy is a row here.
inline constexpr CleaningPolicy kCleaningPolicies[] = {{"greedy", CleaningChoice::kGreedy},
                                                       {"cost-benefit", CleaningChoice::kCostBenefit},
                                                       {"oldest", CleaningChoice::kOldest}};

// For whom blocks are placed: one empty band is left to the cleaner, since without it nothing can be moved.
enum class PlacedBy : uint8_t { kUser, kCleaner };

// Blocks are numbered through all bands, without the gaps between them. A file lies within one band; one that
// is longer has extents of a whole band each. Blocks that were released are *dead* until their band is reset.
// Not thread safe.
class BandedSpace {
 public:
  BandedSpace(uint64_t bands_count, uint64_t band_blocks, const CleaningPolicy& policy)
      : bands_(bands_count), band_blocks_(band_blocks), policy_(policy) {}

  // Returns extents of `count` blocks together; none if no band has room. A band without live blocks is used
  // from its begin: the caller resets it.
  std::vector<BlockExtent> allocate(uint64_t count, PlacedBy by);
  // Takes an extent that a file has already. False: it is not within one band, or not free.
  bool adopt(const BlockExtent& extent);
  void release(const BlockExtent& extent);
  // What the disk has: after a write that failed.
  void set_cursor(uint64_t band, uint64_t cursor) { bands_[band].cursor = cursor; }

  // Whether there are dead blocks in a band that can be cleaned.
  bool has_dead() const { return victim().has_value(); }
  // Chooses the band to be cleaned, and places nothing more in it until it is empty: one with dead blocks,
  // or, if there is none, one whose blocks may fit into the rest of the others. None: nothing can be gained.
  std::optional<uint64_t> begin_cleaning();
  // Whether there are fewer dead blocks, or more empty bands, since then. Another cleaning gains nothing
  // otherwise.
  bool has_gained() const;

  uint64_t band_of(uint64_t block) const { return block / band_blocks_; }
  uint64_t band_blocks() const { return band_blocks_; }
  uint64_t bands_count() const { return bands_.size(); }
  uint64_t blocks_count() const { return bands_.size() * band_blocks_; }
  uint64_t live_count() const { return live_count_; }
  uint64_t live_count_of(uint64_t band) const { return bands_[band].live_count; }
  uint64_t dead_count() const;
  uint64_t empty_bands_count() const;

 private:
  struct Band {
    uint64_t cursor = 0;
    uint64_t live_count = 0;
    uint64_t placed_at = 0;  // the number of its last placement
    bool is_empty() const { return live_count == 0; }
  };

  uint64_t room_of(const Band& band) const { return band_blocks_ - band.cursor; }
  std::optional<uint64_t> band_for(uint64_t count, PlacedBy by) const;
  BlockExtent take(uint64_t band, uint64_t count, PlacedBy by);
  std::optional<uint64_t> victim() const;
  std::optional<uint64_t> least_filled() const;
  double benefit_of(const Band& band) const;

  std::vector<Band> bands_;
  const uint64_t band_blocks_;
  const CleaningPolicy policy_;
  uint64_t open_ = 0;  // the band of the last placement by a user
  std::optional<uint64_t> cleaned_;
  uint64_t dead_before_ = 0;  // the last cleaning
  uint64_t empty_before_ = 0;
  uint64_t live_count_ = 0;
  uint64_t placements_count_ = 0;
};

}  // namespace patina
