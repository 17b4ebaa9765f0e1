// What each interface moves, and the limits of both.
#include "shingle/cleaning.h"

#include <gtest/gtest.h>

#include "testing/device_testing.h"

namespace patina {
namespace {

CleaningResult measured(const CleaningOptions& options) {
  const std::atomic<bool> stop = false;
  const Result<CleaningResult> result = measure_cleaning(options, stop);
  EXPECT_TRUE(result.ok());
  return *result;
}

CleaningOptions on_caveat(double fullness) {
  return {.policy = &kPlacementPolicies[0], .size_bytes = uint64_t{128} << 20U, .fullness = fullness};
}

CleaningOptions on_bands(const CleaningPolicy& policy, double fullness) {
  return {.cleaning = &policy,
          .size_bytes = uint64_t{512} << 20U,
          .band_bytes = uint64_t{8} << 20U,
          .fullness = fullness};
}

TEST(Cleaning, ACaveatDiskMovesNothingAndIsFullOnce) {
  const CleaningResult half = measured(on_caveat(0.5));
  EXPECT_FALSE(half.is_full);
  EXPECT_GE(half.written_blocks, half.total_blocks * 5 / 2);
  EXPECT_EQ(half.moved_blocks, 0U);
  EXPECT_LE(half.live_blocks, half.total_blocks / 2);
  EXPECT_TRUE(measured(on_caveat(1.0)).is_full);
}

TEST(Cleaning, AStrictAppendDiskMovesMoreTheFullerItIs) {
  for (const CleaningPolicy& policy : kCleaningPolicies) {
    uint64_t before = 0;
    for (const double fullness : {0.5, 0.75, 0.85}) {
      const CleaningResult result = measured(on_bands(policy, fullness));
      EXPECT_FALSE(result.is_full) << policy.name << " " << fullness;
      EXPECT_GE(result.written_blocks, result.total_blocks * 5 / 2);
      EXPECT_GE(result.moved_blocks, before) << policy.name << " " << fullness;
      before = result.moved_blocks;
    }
    EXPECT_GT(before, 0U);
  }
}

TEST(Cleaning, EqualSeedsGiveEqualFigures) {
  const CleaningOptions options = on_bands(kCleaningPolicies[1], 0.85);
  EXPECT_EQ(measured(options).moved_blocks, measured(options).moved_blocks);
  CleaningOptions other = options;
  other.seed = 2;
  EXPECT_NE(measured(options).moved_blocks, measured(other).moved_blocks);
}

TEST(Cleaning, StopsWhenAsked) {
  const std::atomic<bool> stop = true;
  EXPECT_EQ(measure_cleaning(on_caveat(0.5), stop).error().code, ErrorCode::kCanceled);
}

TEST(Cleaning, RefusesWhatIsNoDisk) {
  const auto refused = [](std::vector<std::string> options) {
    options.insert(options.begin(), {kCoreProgram, "shingle", "cleaning"});
    return run_program(options).exit_code;
  };
  EXPECT_EQ(refused({}), 2);
  EXPECT_EQ(refused({"--policy", "best", "--clean", "greedy"}), 2);
  EXPECT_EQ(refused({"--policy", "best", "--dnor", "17"}), 2);
  EXPECT_EQ(refused({"--clean", "greedy", "--band", "1GiB"}), 2);
  EXPECT_EQ(refused({"--clean", "greedy", "--band", "1KiB"}), 2);
  EXPECT_EQ(refused({"--clean", "greedy", "--size", "64MiB", "--times", "0.1"}), 0);
}

}  // namespace
}  // namespace patina
