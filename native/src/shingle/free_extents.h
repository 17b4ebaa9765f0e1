// The free extents of a disk, by address and by length.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace patina {

struct BlockExtent {
  uint64_t first = 0;
  uint64_t count = 0;
  uint64_t end() const { return first + count; }
  bool operator==(const BlockExtent&) const = default;
};

// Neighbours coalesce. Every question and change takes a time that grows with the logarithm of the number of
// extents. Not thread safe.
class FreeExtents {
 public:
  // All of the disk is free.
  explicit FreeExtents(uint64_t blocks_count);

  // The blocks must not be free, and be on the disk.
  void add(const BlockExtent& extent);
  // The same, but it stays an extent of its own until coalesce(). Returns whether any extents coalesced.
  void add_apart(const BlockExtent& extent);
  bool coalesce();
  // Takes blocks from the extent that contains them, which must be free.
  void remove(const BlockExtent& extent);

  // Each returns an extent of at least `least` blocks. The lowest one where several are as long.
  std::optional<BlockExtent> shortest(uint64_t least) const;
  std::optional<BlockExtent> longest(uint64_t least) const;
  // The first one that begins at `block` or later.
  std::optional<BlockExtent> next(uint64_t block, uint64_t least) const;
  // The last one that begins before `block`.
  std::optional<BlockExtent> previous(uint64_t block, uint64_t least) const;
  // Returns up to `most` extents of `least` blocks or more, the shortest first.
  std::vector<BlockExtent> from_shortest(uint64_t least, size_t most) const;
  // Whether all these blocks are in one free extent.
  bool contains(const BlockExtent& extent) const;

  uint64_t blocks_count() const { return blocks_count_; }
  uint64_t free_count() const { return free_count_; }
  // Of the extents of at most so many blocks, as if all had coalesced.
  uint64_t free_count_in_short(uint64_t most) const;
  const std::map<uint64_t, uint64_t>& by_first() const { return by_first_; }

 private:
  // Extents that begin in one region are searched one by one.
  static constexpr uint64_t kRegionBlocks = 256;

  void insert(const BlockExtent& extent);
  void erase(const BlockExtent& extent);
  void update_longest(uint64_t region);
  std::optional<uint64_t> region_from(uint64_t region, uint64_t least) const;
  std::optional<uint64_t> region_before(uint64_t region, uint64_t least) const;

  const uint64_t blocks_count_;
  uint64_t leaves_count_ = 1;
  uint64_t free_count_ = 0;
  std::map<uint64_t, uint64_t> by_first_;              // lengths
  std::set<std::pair<uint64_t, uint64_t>> by_length_;  // (length, first block)
  std::vector<uint64_t> apart_;                        // first blocks of extents that may have a neighbour
  // A complete binary tree: the longest extent that begins in each region, and below each inner node.
  std::vector<uint64_t> longest_;
};

}  // namespace patina
