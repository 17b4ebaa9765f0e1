// Quantiles compared with those of the sorted values.
#include "flow/latency.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/random.h"

namespace patina {
namespace {

// Returns values over all magnitudes from nanoseconds to minutes.
std::vector<uint64_t> values_of(uint64_t seed, size_t count) {
  Random random(seed);
  std::vector<uint64_t> values(count);
  for (uint64_t& value : values) value = random.next() >> (24 + random.below(40));
  return values;
}

TEST(LatencyHistogram, QuantilesDifferByLessThanABucketFromTheSortedValues) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    std::vector<uint64_t> values = values_of(seed, 1 + seed * seed * 37);
    LatencyHistogram histogram;
    for (const uint64_t value : values) histogram.add(value);
    std::sort(values.begin(), values.end());
    ASSERT_EQ(histogram.count(), values.size());
    EXPECT_EQ(histogram.max_ns(), values.back());
    for (const double fraction : {0.001, 0.01, 0.25, 0.5, 0.9, 0.99, 0.999, 1.0}) {
      const auto rank = static_cast<size_t>(std::ceil(fraction * static_cast<double>(values.size())));
      const uint64_t exact = values[std::max<size_t>(rank, 1) - 1];
      EXPECT_GE(histogram.quantile_ns(fraction), exact) << "seed " << seed << ", fraction " << fraction;
      EXPECT_LE(histogram.quantile_ns(fraction), exact + exact / 128)
          << "seed " << seed << ", fraction " << fraction;
    }
  }
}

TEST(LatencyHistogram, SumsOfThreadsAreThoseOfAllValues) {
  const std::vector<uint64_t> values = values_of(7, 5000);
  LatencyHistogram all;
  LatencyHistogram first;
  LatencyHistogram second;
  for (size_t i = 0; i < values.size(); ++i) {
    all.add(values[i]);
    (i % 3 == 0 ? first : second).add(values[i]);
  }
  first.add(second);
  EXPECT_EQ(first.count(), all.count());
  EXPECT_EQ(first.sum_ns(), all.sum_ns());
  EXPECT_EQ(first.coarse(), all.coarse());
  EXPECT_EQ(first.quantile_ns(0.99), all.quantile_ns(0.99));
}

TEST(LatencyHistogram, CoarseBucketsHoldEveryValueInOrder) {
  const std::vector<uint64_t> values = values_of(11, 3000);
  LatencyHistogram histogram;
  for (const uint64_t value : values) histogram.add(value);
  uint64_t count = 0;
  uint64_t below = 0;
  for (const auto& bucket : histogram.coarse()) {
    const uint64_t largest_ns = bucket.first;
    EXPECT_TRUE(count == 0 || largest_ns > below);
    count += bucket.second;
    below = largest_ns;
    const auto exact =
        std::count_if(values.begin(), values.end(), [&](uint64_t value) { return value <= largest_ns; });
    EXPECT_EQ(static_cast<uint64_t>(exact), count);
  }
  EXPECT_EQ(count, values.size());
}

TEST(LatencyHistogram, EmptyAndLongestValuesAreCounted) {
  LatencyHistogram histogram;
  EXPECT_EQ(histogram.quantile_ns(0.5), 0U);
  EXPECT_TRUE(histogram.coarse().empty());
  histogram.add(0);
  histogram.add(UINT64_MAX);
  EXPECT_EQ(histogram.quantile_ns(0.5), 0U);
  EXPECT_EQ(histogram.max_ns(), UINT64_MAX);
  EXPECT_EQ(histogram.count(), 2U);
}

}  // namespace
}  // namespace patina
