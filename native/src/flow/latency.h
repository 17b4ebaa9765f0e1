// Latencies of one operation: a histogram whose buckets are a constant fraction of the value wide (HDR
// histogram, Tene 2012).
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace patina {

// Each power of two is divided into kHalf buckets, so a bucket is at most 1/128 of its values wide.
class LatencyHistogram {
 public:
  void add(uint64_t ns) {
    ++counts_[index_of(ns)];
    ++count_;
    sum_ns_ += ns;
    if (ns > max_ns_) max_ns_ = ns;
  }
  void add(const LatencyHistogram& other);

  uint64_t count() const { return count_; }
  uint64_t sum_ns() const { return sum_ns_; }
  uint64_t max_ns() const { return max_ns_; }
  double mean_ns() const {
    return count_ == 0 ? 0 : static_cast<double>(sum_ns_) / static_cast<double>(count_);
  }
  // Returns the largest value of the bucket that holds the value of rank ceil(fraction * count), at most
  // max_ns(). 0 without values.
  uint64_t quantile_ns(double fraction) const;
  // Returns (largest value, count) of each quarter of a power of two that has values, ascending.
  std::vector<std::pair<uint64_t, uint64_t>> coarse() const;

 private:
  static constexpr unsigned kBits = 8;
  static constexpr uint64_t kHalf = 1U << (kBits - 1);
  static constexpr unsigned kMaxBits = 40;  // 18 minutes; longer latencies count as that long

  static size_t index_of(uint64_t ns) {
    if (ns >= (uint64_t{1} << kMaxBits)) ns = (uint64_t{1} << kMaxBits) - 1;
    const auto bits = static_cast<unsigned>(std::bit_width(ns));
    if (bits <= kBits) return ns;
    const unsigned shift = bits - kBits;
    return shift * kHalf + (ns >> shift);
  }
  static uint64_t largest_of(size_t index);

  std::array<uint32_t, (kMaxBits - kBits + 2) * kHalf> counts_{};
  uint64_t count_ = 0;
  uint64_t sum_ns_ = 0;
  uint64_t max_ns_ = 0;
};

}  // namespace patina
