// Files and free space at given places, in blocks, for the tests of layout figures.
#pragma once

#include <string>
#include <vector>

#include "layout/extent_walk.h"
#include "layout/space_map.h"

namespace patina {

inline constexpr uint64_t kBlock = 4096;

struct BlockExtent {
  uint64_t logical = 0;
  uint64_t physical = 0;
  uint64_t length = 0;
  bool unwritten = false;
};

struct NamedFile {
  std::string name;
  std::vector<BlockExtent> extents;
};

// Returns a walk of one directory, the root, with these files.
inline ExtentWalk walk_of(const std::vector<NamedFile>& files) {
  WalkedDirectory root;
  for (const NamedFile& named : files) {
    WalkedFile file;
    file.name = named.name;
    file.inode = root.files.size() + 1;
    file.first_extent = root.extents.size();
    file.extents_count = named.extents.size();
    root.files.push_back(file);
    for (const BlockExtent& extent : named.extents) {
      root.extents.push_back(
          {extent.logical * kBlock, extent.physical * kBlock, extent.length * kBlock, extent.unwritten});
    }
  }
  ExtentWalk walk;
  walk.directories.push_back(std::move(root));
  return walk;
}

// Returns the space map of a device of so many blocks.
inline SpaceMap space_of(uint64_t blocks, const std::vector<ByteRange>& free_blocks) {
  SpaceMap map;
  map.block_size_bytes = kBlock;
  map.device_bytes = blocks * kBlock;
  for (const ByteRange& range : free_blocks) {
    map.free_extents.push_back({range.begin_bytes * kBlock, range.end_bytes * kBlock});
  }
  map.empty_on_device = map.free_extents;
  return map;
}

}  // namespace patina
