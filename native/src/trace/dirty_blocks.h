// The set of a device's touched blocks, in bounded memory: it may contain more than was added, never less.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "base/byte_range.h"

namespace patina {

class DirtyBlocks {
 public:
  using Visit = std::function<void(ByteRange)>;

  // Blocks are of kDeltaBlockBytes up to 1 TiB; beyond, of the multiple that keeps them within 2^28: 32 MiB
  // of memory at most.
  explicit DirtyBlocks(uint64_t device_bytes);

  // Adds a range, rounded out to blocks and cut to the device. Calls `fresh`, if given, for every stretch
  // that is new to the set.
  void add(ByteRange range, const Visit& fresh = {});

  uint64_t block_bytes() const { return block_bytes_; }
  uint64_t device_bytes() const { return device_bytes_; }
  uint64_t touched_bytes() const;
  // Returns ascending, disjoint, non-adjacent ranges; beyond `max_count` it joins the nearest.
  std::vector<ByteRange> extents(uint64_t max_count) const;

 private:
  static constexpr uint64_t kWordsPerPage = 512;
  static constexpr uint64_t kBlocksPerPage = kWordsPerPage * 64;
  using Words = std::array<uint64_t, kWordsPerPage>;
  struct Page {
    std::unique_ptr<Words> words;  // null: none, or all
    bool full = false;
    uint32_t blocks_count = 0;
  };
  class Runs;

  void add_to_page(uint64_t page_index, uint64_t begin, uint64_t end, Runs& fresh);
  void for_each_run(const Visit& visit) const;
  ByteRange bytes_of(uint64_t begin_block, uint64_t end_block) const;

  uint64_t device_bytes_;
  uint64_t block_bytes_;
  uint64_t blocks_count_;
  uint64_t touched_blocks_count_ = 0;
  bool last_block_touched_ = false;
  std::vector<Page> pages_;
};

}  // namespace patina
