// The use of each part of the device, at the resolution of a screen (docs/design.md, "What a layout tells").
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "layout/extent_walk.h"
#include "layout/space_map.h"

namespace patina {

// Blocks of one cell; the first four add up to all of its blocks.
struct BlockMapCell {
  uint64_t free_blocks = 0;
  uint64_t metadata_blocks = 0;  // in use, and in no file that was walked
  uint64_t data_blocks = 0;
  uint64_t unwritten_blocks = 0;

  // Of the free blocks of a shingled disk.
  uint64_t unusable_blocks = 0;
  uint64_t damaged_blocks = 0;  // maybe damaged
  uint64_t unusable_and_damaged_blocks = 0;
};

struct BlockMap {
  uint64_t device_bytes = 0;  // as far as the file system reaches
  uint64_t block_size_bytes = 0;
  uint64_t cell_bytes = 0;  // of each but the last, which may be shorter
  std::vector<BlockMapCell> cells;
};

inline constexpr uint32_t kMaxMapCells = 1 << 20;

// Makes at most `max_cells` cells, and at least 1; fewer when the device has fewer blocks.
BlockMap make_block_map(const SpaceMap& map, const ExtentWalk& walk, uint32_t max_cells);

// The JSON object of backend/patina/core/contract/age.py, class BlockMap.
nlohmann::ordered_json block_map_json(const BlockMap& map);

// Adds `shingled`, the object of class ShingledBlocks there, if any block is unusable or maybe damaged.
void add_shingled_blocks(const BlockMap& map, nlohmann::ordered_json& json);

}  // namespace patina
