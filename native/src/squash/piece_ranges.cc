// Sorts and joins ranges, and finds among them by halving.
#include "squash/piece_ranges.h"

#include <algorithm>

namespace patina {

void PieceRanges::finish() {
  std::sort(ranges_.begin(), ranges_.end(), [](const Range& a, const Range& b) { return a.begin < b.begin; });
  size_t joined = 0;
  for (const Range& range : ranges_) {
    if (joined > 0 && range.begin <= ranges_[joined - 1].end) {
      ranges_[joined - 1].end = std::max(ranges_[joined - 1].end, range.end);
    } else {
      ranges_[joined++] = range;
    }
  }
  ranges_.resize(joined);
  ranges_.shrink_to_fit();
}

const PieceRanges::Range* PieceRanges::after(uint64_t piece) const {
  const auto found = std::partition_point(ranges_.begin(), ranges_.end(),
                                          [piece](const Range& range) { return range.end <= piece; });
  return ranges_.data() + (found - ranges_.begin());
}

bool PieceRanges::touches(uint64_t begin, uint64_t end) const {
  const Range* next = after(begin);
  return begin < end && next != this->end() && next->begin < end;
}

}  // namespace patina
