// The forecast against the figures of the published method, and its budgets.
#include "model/forecast.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "model/horizon.h"
#include "testing/profile_testing.h"

namespace patina {
namespace {

constexpr uint64_t kGiB = 1ULL << 30U;

ErrorCode error_of(const Profile& profile, const ForecastRequest& request) {
  Result<Forecast> forecast = make_forecast(profile, request);
  return forecast.ok() ? ErrorCode::kInternal : forecast.error().code;
}

TEST(Forecast, MatchesTheReferenceAtOneGibibyte) {
  const Forecast agrawal = forecast_of(built_in_profile("agrawal"), request_of(kGiB));
  EXPECT_NEAR(agrawal.expected_files, 6491, 0.5);
  EXPECT_EQ(agrawal.minimal_horizon_ops_count, 499'285U);
  EXPECT_EQ(agrawal.critical_age_bin, 2U);
  EXPECT_NEAR(agrawal.overwrites, 28, 1);
  const Forecast douceur = forecast_of(built_in_profile("douceur"), request_of(kGiB));
  EXPECT_NEAR(douceur.expected_files, 16'127, 0.5);
  EXPECT_NEAR(static_cast<double>(douceur.minimal_horizon_ops_count), 49.2e6, 0.05e6);
  const Forecast meyer = forecast_of(built_in_profile("meyer"), request_of(kGiB));
  EXPECT_NEAR(meyer.expected_files, 3177, 0.5);
  EXPECT_NEAR(static_cast<double>(meyer.minimal_horizon_ops_count), 76'237, 1);
}

TEST(Forecast, CostAgainstAccuracyMatchesTheReference) {
  const Profile douceur = built_in_profile("douceur");
  const Forecast full = forecast_of(douceur, request_of(kGiB));
  const auto minimal = static_cast<double>(full.minimal_horizon_ops_count);
  const auto percent = [&](double divisor) {
    return 100 * reachable_rmse(douceur.age, {.expected_files = full.expected_files}, minimal / divisor);
  };
  EXPECT_EQ(percent(1), 0);
  EXPECT_NEAR(percent(2), 0.114, 0.001);
  EXPECT_NEAR(percent(5), 0.356, 0.001);
  EXPECT_NEAR(percent(10), 0.630, 0.001);
  EXPECT_NEAR(percent(20), 1.351, 0.001);
}

TEST(Forecast, CurveDescendsToZero) {
  const Forecast forecast = forecast_of(built_in_profile("douceur"), request_of(kGiB));
  ASSERT_EQ(forecast.curve.size(), 32U);
  for (size_t i = 1; i < forecast.curve.size(); ++i) {
    EXPECT_GE(forecast.curve[i].ops_count, forecast.curve[i - 1].ops_count);
    EXPECT_LE(forecast.curve[i].age_rmse, forecast.curve[i - 1].age_rmse + 1e-12);
  }
  EXPECT_EQ(forecast.curve.back().age_rmse, 0);
}

TEST(Forecast, ReachableAgesAreAHistogramWithinTheCaps) {
  Random random(3);
  for (int i = 0; i < 200; ++i) {
    const Profile profile = *parse_profile(random_profile_text(random));
    const double files = 100 + random.below(10'000);
    const double full = std::max(files, minimal_horizon(profile.age, {.expected_files = files}).minimal);
    // Before the oldest window holds all of rapid aging, the RMSE may rise with the operations.
    const double rapid_fits = files / window_shares(profile.age).back();
    double previous = HUGE_VAL;
    for (const double share : {0.0, 0.1, 0.4, 0.8, 1.0}) {
      const double horizon = files + share * (full - files);
      const std::vector<double> ages = reachable_ages(profile.age, {.expected_files = files}, horizon);
      EXPECT_NEAR(std::accumulate(ages.begin(), ages.end(), 0.0), 1, 1e-9);
      const double error = reachable_rmse(profile.age, {.expected_files = files}, horizon);
      if (horizon >= rapid_fits) {
        EXPECT_LE(error, previous + 1e-9);
        previous = error;
      }
    }
    EXPECT_EQ(previous, 0);
    const double limit = random.below(200) / 1000.0;
    const double enough = kHorizonMargin * horizon_for_rmse(profile.age, {.expected_files = files}, limit);
    EXPECT_LE(reachable_rmse(profile.age, {.expected_files = files}, enough), limit);
  }
}

TEST(Forecast, BinsThatDoNotFitAreSetAsideAndNamed) {
  const Forecast meyer = forecast_of(built_in_profile("meyer"), request_of(kGiB));
  ASSERT_EQ(meyer.set_aside.size(), 3U);
  for (const SetAside& bin : meyer.set_aside) {
    EXPECT_STREQ(bin.histogram, "size");
    EXPECT_STREQ(bin.reason, "too_large");
    EXPECT_GT(bin.edge, kLargestBinShare * kGiB);
    EXPECT_GT(bin.fraction, 0);
  }
  double sum = 0;
  for (const SizeBin& bin : meyer.size) sum += bin.fraction;
  EXPECT_NEAR(sum, 1, 1e-12);
}

TEST(Forecast, RareBinsAreSetAsideAtASmallCapacity) {
  const Forecast forecast = forecast_of(built_in_profile("meyer"), request_of(4 << 20U));
  bool rare = false;
  for (const SetAside& bin : forecast.set_aside) rare = rare || std::string(bin.reason) == "too_rare";
  EXPECT_TRUE(rare);
  for (const SizeBin& bin : forecast.size) {
    EXPECT_TRUE(bin.fraction == 0 || bin.fraction * forecast.expected_files >= 0.5);
  }
}

TEST(Forecast, TooSmallADeviceDoesNotFit) {
  EXPECT_EQ(error_of(built_in_profile("agrawal"), request_of(64U << 10U)), ErrorCode::kProfileDoesNotFit);
  EXPECT_EQ(error_of(built_in_profile("wang-lanl"), request_of(128U << 10U)), ErrorCode::kProfileDoesNotFit);
}

TEST(Forecast, SenselessRequestsAreUsageErrors) {
  const Profile agrawal = built_in_profile("agrawal");
  for (const double fullness : {0.0, 1.2, -1.0, std::nan(""), 1.0}) {
    EXPECT_EQ(error_of(agrawal, request_of(kGiB, fullness)), ErrorCode::kUsage) << fullness;
  }
  EXPECT_EQ(error_of(agrawal, request_of(0)), ErrorCode::kUsage);
  ForecastRequest request = request_of(kGiB);
  request.block_size_bytes = 1000;
  EXPECT_EQ(error_of(agrawal, request), ErrorCode::kUsage);
  request = request_of(kGiB);
  request.budget = {BudgetKind::kMaxOverwrites, 0.1};
  EXPECT_EQ(error_of(agrawal, request), ErrorCode::kUsage);
  request.budget = {BudgetKind::kMaxOps, 10};
  EXPECT_EQ(error_of(agrawal, request), ErrorCode::kUsage);
}

TEST(Forecast, BudgetsBecomeHorizons) {
  const Profile douceur = built_in_profile("douceur");
  ForecastRequest request = request_of(kGiB);
  request.budget = {BudgetKind::kMaxOverwrites, 100};
  EXPECT_NEAR(forecast_of(douceur, request).overwrites, 100, 0.1);
  request.budget = {BudgetKind::kMaxOps, 1'000'000};
  EXPECT_EQ(forecast_of(douceur, request).horizon_ops_count, 1'000'000U);
  request.budget = {BudgetKind::kMaxRmse, 0.005};
  const Forecast accurate = forecast_of(douceur, request);
  EXPECT_LE(accurate.age_rmse, 0.005);
  EXPECT_GT(accurate.age_rmse, 0.004);
  // A larger budget gives no more than the full horizon.
  request.budget = {BudgetKind::kMaxOverwrites, 1e6};
  EXPECT_EQ(forecast_of(douceur, request).horizon_ops_count,
            forecast_of(douceur, request_of(kGiB)).horizon_ops_count);
}

}  // namespace
}  // namespace patina
