// A set of pieces as sorted ranges.
#pragma once

#include <cstdint>
#include <vector>

namespace patina {

class PieceRanges {
 public:
  struct Range {
    uint64_t begin;
    uint64_t end;
    bool operator==(const Range&) const = default;
  };

  // In any order; before the next question, finish() sorts and joins them.
  void add(uint64_t begin, uint64_t end) {
    if (begin < end) ranges_.push_back({begin, end});
  }
  void finish();

  bool touches(uint64_t begin, uint64_t end) const;
  // Returns the first range that ends behind this piece, or the end of the ranges.
  const Range* after(uint64_t piece) const;
  const Range* end() const { return ranges_.data() + ranges_.size(); }

  uint64_t memory_bytes() const { return ranges_.capacity() * sizeof(Range); }

 private:
  std::vector<Range> ranges_;
};

}  // namespace patina
