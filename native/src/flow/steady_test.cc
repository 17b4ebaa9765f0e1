// When a pace counts as steady.
#include "flow/steady.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace patina {
namespace {

// One sample each second of a pace that depends on the time.
std::vector<PaceSample> samples_of(size_t count, const std::function<double(double)>& pace) {
  std::vector<PaceSample> samples;
  double ops_count = 0;
  for (size_t i = 1; i <= count; ++i) {
    ops_count += pace(static_cast<double>(i) - 0.5);
    samples.push_back({static_cast<double>(i), static_cast<uint64_t>(ops_count)});
  }
  return samples;
}

// Returns an impossible pace where there is no steady one.
SteadyPace steady_of(const std::vector<PaceSample>& samples) {
  return steady_pace(samples).value_or(SteadyPace{-1, -1});
}

TEST(SteadyPace, AConstantPaceIsSteadyFromTheBegin) {
  const SteadyPace steady = steady_of(samples_of(50, [](double) { return 1000; }));
  EXPECT_EQ(steady.from_s, 0);
  EXPECT_NEAR(steady.ops_per_s, 1000, 1);
}

TEST(SteadyPace, SmallVariationsStaySteady) {
  const SteadyPace steady =
      steady_of(samples_of(60, [](double at) { return 1000 + 300 * std::sin(at * 3); }));
  EXPECT_EQ(steady.from_s, 0);
}

TEST(SteadyPace, AfterARampTheRestIsSteady) {
  const SteadyPace steady =
      steady_of(samples_of(100, [](double at) { return at < 20 ? 5000 - 200 * at : 1000; }));
  EXPECT_GT(steady.from_s, 10);
  EXPECT_LE(steady.from_s, 21);
  EXPECT_NEAR(steady.ops_per_s, 1000, 50);
}

TEST(SteadyPace, ADriftIsNeverSteady) {
  EXPECT_FALSE(steady_pace(samples_of(100, [](double at) { return 1000 + 20 * at; })).has_value());
  EXPECT_FALSE(steady_pace(samples_of(100, [](double at) { return 3000 - 25 * at; })).has_value());
}

TEST(SteadyPace, AFifthThatDiffersIsNotSteady) {
  EXPECT_FALSE(steady_pace(samples_of(50, [](double at) { return at > 40 ? 1300 : 1000; })).has_value());
}

TEST(SteadyPace, NothingDoneIsNotSteady) {
  EXPECT_FALSE(steady_pace(samples_of(50, [](double) { return 0; })).has_value());
}

TEST(SteadyPace, NeedsSamples) {
  EXPECT_FALSE(steady_pace({}).has_value());
  for (size_t count = 1; count < kMinSteadySamples; ++count) {
    EXPECT_FALSE(steady_pace(samples_of(count, [](double) { return 1000; })).has_value()) << count;
  }
  EXPECT_TRUE(steady_pace(samples_of(kMinSteadySamples, [](double) { return 1000; })).has_value());
}

}  // namespace
}  // namespace patina
