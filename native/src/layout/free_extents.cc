// Counts free extents in powers of two.
#include "layout/free_extents.h"

#include <algorithm>
#include <bit>
#include <nlohmann/json.hpp>

namespace patina {
namespace {

void add(const ByteRange& extent, FreeExtents& free_extents) {
  const uint64_t blocks = extent.length_bytes() / free_extents.block_size_bytes;
  if (blocks == 0) return;
  const auto bin = static_cast<size_t>(std::bit_width(blocks) - 1);
  while (free_extents.bins.size() <= bin) {
    free_extents.bins.push_back({.min_blocks = uint64_t{1} << free_extents.bins.size()});
  }
  free_extents.bins[bin].extents_count += 1;
  free_extents.bins[bin].blocks_count += blocks;
  free_extents.extents_count += 1;
  free_extents.free_blocks_count += blocks;
  free_extents.max_extent_bytes = std::max(free_extents.max_extent_bytes, extent.length_bytes());
}

}  // namespace

FreeExtents histogram_of_free_extents(const SpaceMap& map) {
  FreeExtents free_extents;
  free_extents.block_size_bytes = map.block_size_bytes;
  free_extents.bins.push_back({.min_blocks = 1});
  for (const ByteRange& extent : map.free_extents) add(extent, free_extents);
  for (const ByteRange& extent : map.unallocated) add(extent, free_extents);
  return free_extents;
}

nlohmann::ordered_json free_extents_json(const FreeExtents& free_extents) {
  nlohmann::ordered_json bins = nlohmann::ordered_json::array();
  for (const FreeExtentBin& bin : free_extents.bins) {
    bins.push_back({{"min_blocks", bin.min_blocks},
                    {"extents_count", bin.extents_count},
                    {"blocks_count", bin.blocks_count}});
  }
  const double free_bytes = static_cast<double>(free_extents.free_blocks_count) *
                            static_cast<double>(free_extents.block_size_bytes);
  const double mean_extent_bytes =
      free_extents.extents_count == 0 ? 0.0 : free_bytes / static_cast<double>(free_extents.extents_count);
  return {{"block_size_bytes", free_extents.block_size_bytes},
          {"free_blocks_count", free_extents.free_blocks_count},
          {"extents_count", free_extents.extents_count},
          {"mean_extent_bytes", mean_extent_bytes},
          {"max_extent_bytes", free_extents.max_extent_bytes},
          {"bins", std::move(bins)}};
}

}  // namespace patina
