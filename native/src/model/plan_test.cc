// The planner: a pure function that meets its histograms.
#include "model/plan.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "model/observation.h"
#include "testing/profile_testing.h"

namespace patina {
namespace {

std::string digest_with_blocks_of(const Forecast& forecast, size_t block_ops) {
  Planner planner(forecast);
  std::vector<Operation> block(block_ops);
  while (!planner.finished()) planner.next(block);
  return planner.stream_digest();
}

PlanState end_of(const Forecast& forecast) {
  Planner planner(forecast);
  std::vector<Operation> block(4096);
  while (!planner.finished()) planner.next(block);
  return planner.state();
}

TEST(Planner, SameInputSameStreamForAnyBlocks) {
  const Forecast forecast = small_forecast();
  const std::string digest = digest_with_blocks_of(forecast, 4096);
  EXPECT_EQ(digest_with_blocks_of(forecast, 1), digest);
  EXPECT_EQ(digest_with_blocks_of(forecast, 777), digest);
  EXPECT_NE(digest_with_blocks_of(small_forecast(2), 4096), digest);
}

// Published in recipes: a planner change that alters it needs a new name for the stream ("patina plan 1").
TEST(Planner, StreamOfAgrawalIsTheOneOfRecordAtOneGibibyte) {
  const Forecast forecast = forecast_of(built_in_profile("agrawal"), request_of(1ULL << 30U));
  EXPECT_EQ(digest_with_blocks_of(forecast, 4096),
            "8ef92fa16856ad8e8e931404081c2a578c119db8a450c3405db9dd6e79183f75");
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

// A second model of the files, kept beside the planner.
class Ledger {
 public:
  void take(const Operation& op) {
    ++counts_[static_cast<size_t>(op.kind)];
    if (op.is_create()) {
      EXPECT_EQ(op.file, ++created_) << "a name used twice";
      files_[op.file] = op;
      if (op.place != 0) lacking_.insert(op.file);
      return;
    }
    const auto found = files_.find(op.file);
    ASSERT_NE(found, files_.end()) << operation_kind_name(op.kind) << " of a file that is not there";
    EXPECT_EQ(found->second.directory, op.directory);
    EXPECT_EQ(found->second.bytes, op.bytes) << "a file's size changes";
    EXPECT_EQ(found->second.renamed, op.renamed) << "not by its current name";
    const bool lacks = lacking_.contains(op.file);
    if (op.is_delete()) files_.erase(found);
    if (op.is_delete() || op.kind == OperationKind::kAppend) lacking_.erase(op.file);
    if (op.kind == OperationKind::kAppend) {
      EXPECT_TRUE(lacks) << "nothing to append";
    }
    if (op.kind == OperationKind::kRename) found->second.renamed ^= 1U;
    if (op.kind == OperationKind::kTruncate || op.kind == OperationKind::kPunchHole) {
      EXPECT_FALSE(lacks);
      lacking_.insert(op.file);
    }
  }
  const std::map<uint64_t, Operation>& files() const { return files_; }
  const std::set<uint64_t>& lacking() const { return lacking_; }
  uint64_t count(OperationKind kind) const { return counts_[static_cast<size_t>(kind)]; }

 private:
  std::map<uint64_t, Operation> files_;
  std::set<uint64_t> lacking_;  // files that lack some of their bytes
  std::array<uint64_t, kOperationKindsCount> counts_{};
  uint64_t created_ = 0;
};

// The profile whose bins a forecast could represent.
Profile forecast_profile(const Forecast& forecast) {
  return {forecast.size, forecast.depth, forecast.age, forecast.profile_digest};
}

// Fullness of 0.3 to 0.89, 20 to 100 MiB, and few operations.
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

Mix random_mix(Random& random) {
  const auto part = [&random] { return random.below(3) == 0 ? 0 : random.below(18) / 100.0; };
  return {part(), part(), part(), part(), part()};
}

void take_all(Planner& planner, Ledger& ledger, uint64_t until) {
  std::vector<Operation> block(1000);
  while (planner.tick() < until) {
    const size_t planned =
        planner.next(std::span(block).first(std::min<size_t>(block.size(), until - planner.tick())));
    for (const Operation& op : std::span(block).first(planned)) ledger.take(op);
  }
}

TEST(Planner, AMixOfOperationsLeavesEveryFileWholeAtTheHorizon) {
  Random random(23);
  for (int round = 0; round < 60; ++round) {
    SCOPED_TRACE(round);
    Forecast forecast = random_forecast(random);
    ForecastRequest request = forecast.request;
    request.mix = random_mix(random);
    request.size_draw = random.coin() ? SizeDraw::kExact : SizeDraw::kLogUniform;
    Result<Forecast> mixed = make_forecast(forecast_profile(forecast), request);
    if (!mixed) continue;  // drawn sizes may fit worse
    Planner planner(*mixed);
    Ledger ledger;
    take_all(planner, ledger, planner.horizon());
    const PlanState state = planner.state();
    EXPECT_TRUE(ledger.lacking().empty()) << ledger.lacking().size();
    EXPECT_EQ(state.live_files(), ledger.files().size());
    EXPECT_EQ(state.creates_count + state.deletes_count + state.modifications_count, state.tick);
  }
}

TEST(Planner, AMixHasTheFractionsThatWereAskedForAndConverges) {
  ForecastRequest request = request_of(1ULL << 30U);
  request.mix = {.append = 0.1, .overwrite = 0.15, .truncate = 0.05, .rename = 0.05, .punch_hole = 0.04};
  const Forecast forecast = forecast_of(built_in_profile("agrawal"), request);
  Planner planner(forecast);
  Ledger ledger;
  take_all(planner, ledger, planner.horizon());
  const auto stable = static_cast<double>(planner.tick()) - forecast.expected_files;
  EXPECT_NEAR(static_cast<double>(ledger.count(OperationKind::kOverwrite)) / stable, 0.15, 0.01);
  EXPECT_NEAR(static_cast<double>(ledger.count(OperationKind::kAppend)) / stable, 0.1, 0.01);
  EXPECT_NEAR(static_cast<double>(ledger.count(OperationKind::kTruncate)) / stable, 0.05, 0.005);
  EXPECT_NEAR(static_cast<double>(ledger.count(OperationKind::kRename)) / stable, 0.05, 0.005);
  EXPECT_NEAR(static_cast<double>(ledger.count(OperationKind::kPunchHole)) / stable, 0.04, 0.005);
  const Observations observed = observe(forecast, planner.state());
  EXPECT_LT(observed.age.rmse, 3 * forecast.rmse_floor);
  EXPECT_LT(observed.size.rmse, 3 * forecast.rmse_floor);
  EXPECT_LT(observed.depth.rmse, 3 * forecast.rmse_floor);
  const PlanState state = planner.state();
  EXPECT_NEAR(static_cast<double>(state.written_bytes), forecast.written_bytes,
              0.06 * forecast.written_bytes);
}

TEST(Planner, DrawnSizesStayInTheirBinsAndAverageAsForecast) {
  ForecastRequest request = request_of(1ULL << 30U);
  request.size_draw = SizeDraw::kLogUniform;
  const Forecast forecast = forecast_of(built_in_profile("agrawal"), request);
  Planner planner(forecast);
  Ledger ledger;
  take_all(planner, ledger, planner.horizon());
  std::vector<uint64_t> counts(forecast.size.size());
  std::set<uint64_t> sizes;
  for (const auto& [ordinal, op] : ledger.files()) {
    size_t bin = 0;
    while (bin + 1 < counts.size() && op.bytes > forecast.size[bin].bytes) ++bin;
    ++counts[bin];
    sizes.insert(op.bytes);
  }
  const PlanState state = planner.state();
  EXPECT_EQ(counts, state.size_counts);
  EXPECT_GT(sizes.size(), 2000U);
  EXPECT_NEAR(static_cast<double>(state.live_files()), forecast.expected_files,
              0.02 * forecast.expected_files);
}

TEST(Planner, ARevisedPlanConvergesAtItsNewHorizon) {
  const Profile profile = built_in_profile("agrawal");
  for (const double stopped : {0.02, 0.3, 0.8, 1.0}) {
    for (const bool mixes : {false, true}) {
      SCOPED_TRACE(stopped);
      ForecastRequest request = request_of(1ULL << 30U);
      if (mixes) request.mix = {.append = 0.05, .truncate = 0.1};
      Forecast forecast = forecast_of(profile, request);
      Planner planner(forecast);
      Ledger ledger;
      const auto first = static_cast<uint64_t>(static_cast<double>(forecast.horizon_ops_count) * stopped);
      take_all(planner, ledger, first);
      forecast.request.horizon_ops_count = forecast.horizon_ops_count * 2;
      Result<Forecast> revised =
          revise_forecast(forecast, turnover_of(forecast, planner), first + planner.owing_count());
      ASSERT_TRUE(revised.ok()) << revised.error().message;
      EXPECT_LT(revised->age_rmse, 1e-9);
      planner.revise(*revised);
      take_all(planner, ledger, planner.horizon());
      EXPECT_EQ(planner.tick(), forecast.horizon_ops_count * 2);
      const Observations observed = observe(*revised, planner.state());
      EXPECT_LT(observed.age.rmse, 3 * forecast.rmse_floor);
      EXPECT_LT(observed.size.rmse, 3 * forecast.rmse_floor);
      EXPECT_TRUE(ledger.lacking().empty());
      EXPECT_EQ(planner.state().live_files(), ledger.files().size());
    }
  }
}

TEST(Planner, ARevisedPlanEndsAsWellAsItsForecastSays) {
  Random random(31);
  int compared = 0;
  for (int round = 0; round < 60; ++round) {
    SCOPED_TRACE(round);
    Forecast forecast = random_forecast(random);
    if (forecast.expected_files < 200) continue;
    Planner planner(forecast);
    Ledger ledger;
    const uint64_t first = forecast.horizon_ops_count / (1 + random.below(4));
    take_all(planner, ledger, first);
    forecast.request.horizon_ops_count =
        std::max(first, static_cast<uint64_t>(forecast.expected_files) + 1) + random.below(300'000);
    Result<Forecast> revised = revise_forecast(forecast, turnover_of(forecast, planner), first);
    ASSERT_TRUE(revised.ok()) << revised.error().message;
    planner.revise(*revised);
    take_all(planner, ledger, planner.horizon());
    const Observations observed = observe(*revised, planner.state());
    EXPECT_NEAR(observed.age.rmse, revised->age_rmse, std::max(0.005, 3 * forecast.rmse_floor)) << first;
    ++compared;
  }
  EXPECT_GT(compared, 20);
}

TEST(Planner, RandomProfilesKeepTheInvariants) {
  Random random(11);
  for (int round = 0; round < 60; ++round) {
    SCOPED_TRACE(round);
    const Forecast forecast = random_forecast(random);
    Planner planner(forecast);
    Ledger ledger;
    std::vector<Operation> block(1000);
    while (!planner.finished()) {
      const size_t planned = planner.next(block);
      for (const Operation& op : std::span(block).first(planned)) ledger.take(op);
    }
    const PlanState state = planner.state();
    EXPECT_EQ(state.tick, forecast.horizon_ops_count);
    EXPECT_EQ(state.live_files(), ledger.files().size());
    uint64_t bytes = 0;
    for (const auto& [ordinal, op] : ledger.files()) {
      bytes += round_up(op.bytes, forecast.request.block_size_bytes);
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
