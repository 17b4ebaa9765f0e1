// The planner: a pure function that meets its histograms.
#include "plan.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numeric>

#include "observation.h"
#include "profile_testing.h"

namespace patina {
namespace {

std::string digest_with_blocks_of(const Forecast& forecast, size_t block_ops) {
  Planner planner(forecast);
  std::vector<PlanOp> block(block_ops);
  while (!planner.finished()) planner.next(block);
  return planner.stream_digest();
}

PlanState end_of(const Forecast& forecast) {
  Planner planner(forecast);
  std::vector<PlanOp> block(4096);
  while (!planner.finished()) planner.next(block);
  return planner.state();
}

TEST(Planner, SameInputSameStreamWhateverTheBlocks) {
  const Forecast forecast = small_forecast();
  const std::string digest = digest_with_blocks_of(forecast, 4096);
  EXPECT_EQ(digest_with_blocks_of(forecast, 1), digest);
  EXPECT_EQ(digest_with_blocks_of(forecast, 777), digest);
  EXPECT_NE(digest_with_blocks_of(small_forecast(2), 4096), digest);
}

// Published in recipes: a change of the planner that moves it needs a new name for the stream ("patina plan
// 1").
TEST(Planner, StreamOfAgrawalIsTheOneOfRecordAtOneGibibyte) {
  const Forecast forecast = forecast_of(built_in_profile("agrawal"), request_of(1ULL << 30U));
  EXPECT_EQ(digest_with_blocks_of(forecast, 4096),
            "10056059d5daa14b8cab0e538da374a6dcfdf5a0fc4de78bf0d54e1a8e8f14c5");
}

TEST(Planner, MeetsTheHistogramsOfTheBuiltInProfiles) {
  for (const char* name : {"agrawal", "meyer", "wang-lanl", "wang-os"}) {
    const Forecast forecast = forecast_of(built_in_profile(name), request_of(1ULL << 30U));
    const PlanState state = end_of(forecast);
    const Observations observed = observe(forecast, state);
    EXPECT_LE(observed.size.rmse, 0.0002) << name;
    EXPECT_LE(observed.depth.rmse, 0.0002) << name;
    EXPECT_LE(observed.age.rmse, 0.0002) << name;
    const double fullness = static_cast<double>(state.live_bytes) / static_cast<double>(1ULL << 30U);
    // Half a file of Meyer's largest bin is 0.8 points.
    EXPECT_NEAR(fullness, 0.7, 0.011) << name;
    EXPECT_GT(chi_squared(observed.age).p_value, 0.99) << name;
  }
}

// The model kept beside the planner, file by file.
class Ledger {
 public:
  void take(const PlanOp& op) {
    if (op.is_delete()) {
      const auto found = files_.find(op.file());
      ASSERT_NE(found, files_.end()) << "deleted before it was created, or twice";
      EXPECT_EQ(found->second.directory, op.directory);
      EXPECT_EQ(found->second.size_bin, op.size_bin);
      files_.erase(found);
    } else {
      EXPECT_EQ(op.file(), ++created_) << "a name used twice";
      files_[op.file()] = op;
    }
  }
  const std::map<uint64_t, PlanOp>& files() const { return files_; }

 private:
  std::map<uint64_t, PlanOp> files_;
  uint64_t created_ = 0;
};

// Fullness of 0.3 to 0.89, 20 to 100 MiB, and never more than a moment's operations.
Forecast random_forecast(Random& random) {
  Result<Profile> profile = parse_profile(random_profile_text(random));
  EXPECT_TRUE(profile.ok()) << profile.error().message;
  ForecastRequest request =
      request_of((20ULL + random.below(80)) << 20U, 0.3 + random.below(60) / 100.0, random.next() >> 11U);
  Forecast forecast = forecast_of(*profile, request);
  if (forecast.horizon_ops_count > 200'000) {
    request.horizon_ops_count =
        std::max<uint64_t>(200'000, static_cast<uint64_t>(forecast.expected_files) + 1);
    forecast = forecast_of(*profile, request);
  }
  return forecast;
}

TEST(Planner, RandomProfilesKeepTheInvariants) {
  Random random(11);
  for (int round = 0; round < 60; ++round) {
    SCOPED_TRACE(round);
    const Forecast forecast = random_forecast(random);
    Planner planner(forecast);
    Ledger ledger;
    std::vector<PlanOp> block(1000);
    while (!planner.finished()) {
      const size_t planned = planner.next(block);
      for (const PlanOp& op : std::span(block).first(planned)) ledger.take(op);
    }
    const PlanState state = planner.state();
    EXPECT_EQ(state.tick, forecast.horizon_ops_count);
    EXPECT_EQ(state.live_files(), ledger.files().size());
    uint64_t bytes = 0;
    for (const auto& [ordinal, op] : ledger.files()) {
      bytes += round_up(planner.file_bytes()[op.size_bin], forecast.request.block_size_bytes);
      EXPECT_LT(op.directory, planner.tree().count());
    }
    EXPECT_EQ(state.live_bytes, bytes);
    for (size_t i = 0; i < forecast.size.size(); ++i) {
      if (forecast.size[i].fraction > 0) continue;
      EXPECT_EQ(state.size_counts[i], 0U) << "zero weight, yet files";
    }
    for (const std::vector<uint64_t>& counts : {state.size_counts, state.depth_counts, state.age_counts}) {
      EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), uint64_t{0}), state.live_files());
    }
    EXPECT_NEAR(static_cast<double>(bytes) / static_cast<double>(forecast.request.capacity_bytes),
                forecast.request.fullness, 0.06);
    const Observations observed = observe(forecast, state);
    // A few files a bin at most, where the horizon suffices.
    const double few = 4 / static_cast<double>(state.live_files());
    EXPECT_LE(observed.size.rmse, few);
    EXPECT_LE(observed.depth.rmse, few);
    EXPECT_LE(observed.age.rmse, forecast.age_rmse + 10 * few);
  }
}

TEST(Planner, AgrawalAt256MebibytesIsPlannedToTheEnd) {
  const Forecast forecast = forecast_of(built_in_profile("agrawal"), request_of(256ULL << 20U));
  const PlanState state = end_of(forecast);
  EXPECT_EQ(state.tick, forecast.horizon_ops_count);
  EXPECT_NEAR(static_cast<double>(state.live_bytes) / static_cast<double>(256ULL << 20U), 0.7, 0.02);
}

TEST(Planner, BudgetedHorizonStillEndsNearTheBestItCanBuy) {
  ForecastRequest request = request_of(256ULL << 20U);
  request.budget = {BudgetKind::kMaxOverwrites, 100};
  const Forecast forecast = forecast_of(built_in_profile("douceur"), request);
  ASSERT_GT(forecast.age_rmse, 0.005);
  const Observations observed = observe(forecast, end_of(forecast));
  EXPECT_NEAR(observed.age.rmse, forecast.age_rmse, 0.05 * forecast.age_rmse);
}

TEST(ChiSquared, PoolsSmallBinsAndKnowsItsDegreesOfFreedom) {
  Observation observation;
  observation.target = {0.01, 0.01, 0.48, 0.5};
  observation.counts = {1, 1, 48, 50};
  const ChiSquared exact = chi_squared(observation);
  EXPECT_EQ(exact.degrees_of_freedom, 1U);
  EXPECT_NEAR(exact.statistic, 0, 1e-12);
  EXPECT_NEAR(exact.p_value, 1, 1e-9);
  observation.counts = {0, 0, 30, 70};
  const ChiSquared wrong = chi_squared(observation);
  EXPECT_NEAR(wrong.statistic, 16, 1e-9);
  EXPECT_NEAR(wrong.p_value, 6.334e-5, 1e-7);
}

TEST(Random, IsUniformBelowAnyBound) {
  Random random(1);
  for (const uint32_t bound : {1U, 2U, 3U, 10U, 1000U}) {
    std::vector<int> counts(bound, 0);
    const int draws = 100'000;
    for (int i = 0; i < draws; ++i) ++counts[random.below(bound)];
    const double expected = draws / static_cast<double>(bound);
    for (const int count : counts) EXPECT_NEAR(count, expected, 6 * std::sqrt(expected) + 1);
  }
}

}  // namespace
}  // namespace patina
