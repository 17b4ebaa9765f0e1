// The histogram of a file system's free space in powers of two (docs/design.md, "What a layout tells").
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "layout/space_map.h"

namespace patina {

// Free extents of min_blocks to 2*min_blocks-1 blocks.
struct FreeExtentBin {
  uint64_t min_blocks = 0;
  uint64_t extents_count = 0;
  uint64_t blocks_count = 0;
};

struct FreeExtents {
  uint64_t block_size_bytes = 0;
  uint64_t free_blocks_count = 0;
  uint64_t extents_count = 0;
  uint64_t max_extent_bytes = 0;
  std::vector<FreeExtentBin> bins;  // ascending powers of two, from 1, without gaps up to the largest
};

// Counts the space that file data can use; a run of unallocated space is one extent.
FreeExtents histogram_of_free_extents(const SpaceMap& map);

// The JSON object of backend/patina/core/contract/age.py, class FreeExtents.
nlohmann::ordered_json free_extents_json(const FreeExtents& free_extents);

}  // namespace patina
