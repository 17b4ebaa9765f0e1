// The churn of files, and the size of the disk that it needs.
#include "shingle/capacity.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "shingle/file_churn.h"
#include "testing/device_testing.h"

namespace patina {
namespace {

CapacityOptions small(PlacementPolicy policy) {
  return {.policy = policy, .usable_bytes = uint64_t{256} << 20U, .operations_count = 40'000};
}

TEST(FileChurn, FillsFourToOneAndThenStaysAsFull) {
  constexpr uint64_t kUsable = 60'000;
  FileChurn churn(kUsable, 5);
  std::vector<uint64_t> live;
  uint64_t live_count = 0;
  uint64_t blocks = 0;
  uint64_t creates = 0;
  constexpr uint64_t kOperations = 200'000;
  for (uint64_t i = 0; i < kOperations; ++i) {
    const ChurnOperation operation = churn.next();
    if (operation.blocks_count > 0) {
      ASSERT_EQ(operation.file, live.size());
      live.push_back(operation.blocks_count);
      blocks += operation.blocks_count;
      ++live_count;
      ++creates;
    } else {
      ASSERT_GT(live.at(operation.file), 0U);
      blocks -= std::exchange(live[operation.file], 0);
      --live_count;
    }
    ASSERT_EQ(churn.live_blocks(), blocks);
    ASSERT_LE(blocks, kUsable);
    if (i == 5000) {
      EXPECT_NEAR(static_cast<double>(creates), 4000, 200);
    }
  }
  EXPECT_GT(blocks, kUsable * 8 / 10);
  EXPECT_NEAR(static_cast<double>(creates - live_count), static_cast<double>(kOperations) / 2, 8000);
}

TEST(ShingleCapacity, DependsOnItsOptionsOnly) {
  const Result<CapacityResult> first = measure_capacity(small(PlacementPolicy::kBest));
  const Result<CapacityResult> again = measure_capacity(small(PlacementPolicy::kBest));
  ASSERT_TRUE(first.ok() && again.ok());
  EXPECT_EQ(first->total_blocks, again->total_blocks);
  EXPECT_EQ(first->unusable_blocks, again->unusable_blocks);
  CapacityOptions other = small(PlacementPolicy::kBest);
  other.seed = 2;
  EXPECT_NE(measure_capacity(other)->unusable_blocks, first->unusable_blocks);
}

// As in the thesis: best and first fit leave many times the unusable blocks of the others.
TEST(ShingleCapacity, BestAndFirstFitWasteMostOfTheBlocksTooShort) {
  CapacityOptions options;
  const auto unusable = [&options](PlacementPolicy policy) {
    options.policy = policy;
    const Result<CapacityResult> result = measure_capacity(options);
    EXPECT_EQ(result->allocated_blocks + result->free_blocks, result->total_blocks);
    return result->unusable_blocks;
  };
  const uint64_t best = unusable(PlacementPolicy::kBest);
  const uint64_t first = unusable(PlacementPolicy::kFirst);
  for (const PlacementPolicy policy :
       {PlacementPolicy::kNext, PlacementPolicy::kLastPosition, PlacementPolicy::kWorst}) {
    EXPECT_LT(2 * unusable(policy), std::min(best, first));
  }
}

TEST(ShingleCapacity, RefusesWhatCannotBe) {
  const auto error_of = [](std::vector<std::string> options) {
    options.insert(options.begin(), {kCoreProgram, "shingle", "capacity"});
    const ProgramResult result = run_program(options);
    EXPECT_EQ(result.exit_code, 2) << result.output;
    return result.output;
  };
  EXPECT_NE(error_of({"--policy", "best", "--did", "4", "--dnor", "5"}).find("DNOR"), std::string::npos);
  EXPECT_NE(error_of({"--policy", "best", "--did", "4", "--usable", "4095"}).find("--usable"),
            std::string::npos);
  EXPECT_NE(error_of({"--policy", "better", "--did", "4"}).find("better"), std::string::npos);
  EXPECT_NE(error_of({"--policy", "best"}).find("--did"), std::string::npos);
  EXPECT_NE(error_of({"--policy", "best", "--did", "9000", "--usable", "256KiB"}).find("too small"),
            std::string::npos);
}

}  // namespace
}  // namespace patina
