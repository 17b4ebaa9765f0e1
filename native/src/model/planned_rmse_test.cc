// The planned age RMSE against the planner's own.
#include "model/planned_rmse.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "model/observation.h"
#include "testing/profile_testing.h"

namespace patina {
namespace {

// Returns the largest distance between the points and the planner at the same operations.
double distance_of(const std::vector<PlannedRmsePoint>& points, const Forecast& forecast, Planner& planner) {
  double largest = 0;
  for (const PlannedRmsePoint& point : points) {
    std::vector<Operation> block(point.ops_count - planner.tick());
    planner.next(block);
    const double age_rmse = observe(forecast, planner.state()).age.rmse;
    largest = std::max(largest, std::abs(age_rmse - point.age_rmse));
  }
  return largest;
}

TEST(PlannedRmse, IsThePlannersOwn) {
  for (const char* name : {"agrawal", "meyer", "wang-lanl", "wang-os"}) {
    SCOPED_TRACE(name);
    const Forecast forecast = forecast_of(built_in_profile(name), request_of(1ULL << 30U));
    const std::vector<PlannedRmsePoint> points = planned_rmse(forecast);
    Planner planner(forecast);
    EXPECT_LE(distance_of(points, forecast, planner), 0.005);
    EXPECT_EQ(points.front().ops_count, 1U);
    EXPECT_EQ(points.back().ops_count, forecast.horizon_ops_count);
    EXPECT_LE(points.back().age_rmse, 0.0005);
  }
}

TEST(PlannedRmse, EndsAtWhatABudgetCanReach) {
  ForecastRequest request = request_of(256ULL << 20U);
  request.budget = {BudgetKind::kMaxOverwrites, 4};
  const Forecast forecast = forecast_of(built_in_profile("agrawal"), request);
  EXPECT_NEAR(planned_rmse(forecast).back().age_rmse, forecast.age_rmse, 0.001);
}

TEST(PlannedRmse, GoesOnFromTheMiddleOfARevisedPlan) {
  const Forecast first = forecast_of(built_in_profile("agrawal"), request_of(512ULL << 20U));
  Planner planner(first);
  std::vector<Operation> block(first.horizon_ops_count / 3);
  planner.next(block);
  Forecast wanted = first;
  wanted.request.horizon_ops_count = first.horizon_ops_count * 2 / 3;
  const Result<Forecast> revised = revise_forecast(wanted, turnover_of(first, planner), planner.tick());
  ASSERT_TRUE(revised.ok());
  planner.revise(*revised);
  const std::vector<PlannedRmsePoint> points = planned_rmse(*revised, planner.state());
  EXPECT_EQ(points.front().ops_count, planner.tick());
  EXPECT_LE(distance_of(points, *revised, planner), 0.01);
}

TEST(PlannedRmse, AscendsForProfilesOfAnyShape) {
  Random random(5);
  for (int i = 0; i < 200; ++i) {
    SCOPED_TRACE(i);
    const Result<Profile> profile = parse_profile(random_profile_text(random));
    ASSERT_TRUE(profile.ok());
    const Result<Forecast> forecast = make_forecast(*profile, request_of(64ULL << 20U));
    if (!forecast) continue;
    const std::vector<PlannedRmsePoint> points = planned_rmse(*forecast);
    ASSERT_FALSE(points.empty());
    EXPECT_EQ(points.back().ops_count, forecast->horizon_ops_count);
    for (size_t j = 1; j < points.size(); ++j) {
      EXPECT_GT(points[j].ops_count, points[j - 1].ops_count);
      EXPECT_TRUE(points[j].age_rmse >= 0 && points[j].age_rmse <= 1);
    }
  }
}

}  // namespace
}  // namespace patina
