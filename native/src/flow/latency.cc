// Buckets of latencies.
#include "flow/latency.h"

#include <algorithm>
#include <cmath>

namespace patina {

void LatencyHistogram::add(const LatencyHistogram& other) {
  for (size_t i = 0; i < counts_.size(); ++i) counts_[i] += other.counts_[i];
  count_ += other.count_;
  sum_ns_ += other.sum_ns_;
  max_ns_ = std::max(max_ns_, other.max_ns_);
}

uint64_t LatencyHistogram::largest_of(size_t index) {
  if (index < 2 * kHalf) return index;
  const uint64_t shift = index / kHalf - 1;
  const uint64_t mantissa = index - shift * kHalf;
  return ((mantissa + 1) << shift) - 1;
}

uint64_t LatencyHistogram::quantile_ns(double fraction) const {
  const auto rank =
      std::max<uint64_t>(1, static_cast<uint64_t>(std::ceil(fraction * static_cast<double>(count_))));
  uint64_t passed = 0;
  for (size_t i = 0; i < counts_.size(); ++i) {
    passed += counts_[i];
    if (passed >= rank) return std::min(largest_of(i), max_ns_);
  }
  return max_ns_;
}

std::vector<std::pair<uint64_t, uint64_t>> LatencyHistogram::coarse() const {
  constexpr size_t kMerged = kHalf / 4;
  std::vector<std::pair<uint64_t, uint64_t>> found;
  for (size_t first = 0; first < counts_.size(); first += kMerged) {
    uint64_t count = 0;
    for (size_t i = first; i < first + kMerged; ++i) count += counts_[i];
    if (count > 0) found.emplace_back(largest_of(first + kMerged - 1), count);
  }
  return found;
}

}  // namespace patina
