// Where the blocks of a file are on a shingled disk.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shingle/free_extents.h"

namespace patina {

// Runs of blocks of the file, each in one extent of the disk; what is in none is a hole. Not thread safe.
class ExtentMap {
 public:
  // The part of a run from the asked block on.
  struct Found {
    bool is_hole = false;
    BlockExtent place;  // its count is that of the run, also of a hole
  };

  // The run that contains the block. A hole that nothing follows has 2^64 - 1 - block blocks.
  Found find(uint64_t block) const;
  // The blocks from `block` on are at `place`.
  void set(uint64_t block, const BlockExtent& place);
  // The blocks from `block` to `end` - 1 are a hole.
  void erase(uint64_t block, uint64_t end);

  const std::map<uint64_t, BlockExtent>& runs() const { return runs_; }
  uint64_t blocks_count() const;
  // Returns the extents on the disk, sorted by address.
  std::vector<BlockExtent> places() const;
  // Returns the extents of `before` that are not in this map.
  std::vector<BlockExtent> released_since(const ExtentMap& before) const;

  // The map as bytes, a few for each run.
  std::string encoded() const;
  // None if these are not the bytes of a map.
  static std::optional<ExtentMap> decoded(std::string_view bytes);

  bool operator==(const ExtentMap&) const = default;

 private:
  std::map<uint64_t, BlockExtent> runs_;  // by the first block of the file
};

}  // namespace patina
