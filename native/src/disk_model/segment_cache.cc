// A disk has some dozens of segments: they are searched one by one.
#include "disk_model/segment_cache.h"

#include <algorithm>

namespace patina {

SegmentCache::SegmentCache(const ReadCacheSpec& spec)
    : segment_sectors_(spec.segment_sectors), segments_(spec.segments_count) {}

std::optional<size_t> SegmentCache::find(uint64_t sector) const {
  for (size_t i = 0; i < segments_.size(); ++i) {
    const Segment& segment = segments_[i];
    if (segment.first <= sector && sector <= segment.end && segment.first < segment.end) return i;
  }
  return std::nullopt;
}

void SegmentCache::trim(Segment& segment) const {
  segment.first = std::max(segment.first, segment.end - std::min(segment.end, segment_sectors_));
}

size_t SegmentCache::replace(uint64_t first, uint64_t end) {
  const auto oldest = std::min_element(segments_.begin(), segments_.end(),
                                       [](const Segment& a, const Segment& b) { return a.used < b.used; });
  *oldest = {first, end, ++uses_};
  trim(*oldest);
  return static_cast<size_t>(oldest - segments_.begin());
}

void SegmentCache::extend(size_t segment, uint64_t end) {
  segments_[segment].end = std::max(segments_[segment].end, end);
  trim(segments_[segment]);
}

void SegmentCache::drop(uint64_t first, uint64_t end) {
  for (Segment& segment : segments_) {
    if (segment.first < end && first < segment.end) segment = {};
  }
}

}  // namespace patina
