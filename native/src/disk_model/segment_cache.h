// The read cache of a rotating disk: segments of contiguous sectors, replaced by their last use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "disk_model/disk_spec.h"

namespace patina {

class SegmentCache {
 public:
  explicit SegmentCache(const ReadCacheSpec& spec);

  // Index of the segment that contains `sector`, or ends at it.
  std::optional<size_t> find(uint64_t sector) const;
  bool contains(size_t segment, uint64_t first, uint64_t end) const {
    return segments_[segment].first <= first && end <= segments_[segment].end;
  }
  uint64_t end(size_t segment) const { return segments_[segment].end; }
  // Replaces the segment that was used longest ago.
  size_t replace(uint64_t first, uint64_t end);
  void use(size_t segment) { segments_[segment].used = ++uses_; }
  // A segment that is longer than its memory keeps its last sectors.
  void extend(size_t segment, uint64_t end);
  // Drops the segments that overlap.
  void drop(uint64_t first, uint64_t end);

 private:
  struct Segment {
    uint64_t first = 0;
    uint64_t end = 0;  // equal to `first`: unused
    uint64_t used = 0;
  };
  void trim(Segment& segment) const;

  uint64_t segment_sectors_;
  uint64_t uses_ = 0;
  std::vector<Segment> segments_;
};

}  // namespace patina
