// A statfs goal is split into files and metadata.
#include "executor/fullness_goal.h"

#include <gtest/gtest.h>

#include "age/report.h"
#include "model/plan.h"
#include "testing/profile_testing.h"

namespace patina {
namespace {

constexpr uint64_t kGib = 1ULL << 30U;

ForecastRequest asked(double fullness) {
  ForecastRequest request;
  request.capacity_bytes = kGib;
  request.fullness = fullness;
  return request;
}

TEST(FullnessGoal, TheFilesGetWhatMetadataLeave) {
  const Profile profile = built_in_profile("agrawal");
  const auto aimed = aimed_at_statfs(profile, asked(0.7), kGib / 20, "xfs");
  ASSERT_TRUE(aimed.ok());
  EXPECT_EQ(aimed->fullness_statfs, 0.7);
  EXPECT_LT(aimed->fullness, 0.65);  // 0.05 are used already, and files and directories need inodes
  EXPECT_GT(aimed->fullness, 0.63);
  EXPECT_EQ(aimed->capacity_bytes, kGib);
}

TEST(FullnessGoal, AFileSystemWithoutARowHasACostAsWell) {
  const auto aimed = aimed_at_statfs(built_in_profile("agrawal"), asked(0.7), 0, "zfs");
  ASSERT_TRUE(aimed.ok());
  EXPECT_LT(aimed->fullness, 0.7);
}

TEST(FullnessGoal, AGoalThatMetadataReachAloneIsRefused) {
  const auto aimed = aimed_at_statfs(built_in_profile("agrawal"), asked(0.3), kGib / 3, "xfs");
  ASSERT_FALSE(aimed.ok());
  EXPECT_EQ(aimed.error().code, ErrorCode::kProfileDoesNotFit);
  EXPECT_NE(aimed.error().message.find("metadata take 33.6 % of the capacity"), std::string::npos)
      << aimed.error().message;
}

TEST(FullnessGoal, AMissOfStatfsIsNotCalledConverged) {
  ForecastRequest request = asked(0.6);
  request.fullness_statfs = 0.65;
  const Forecast forecast = forecast_of(built_in_profile("agrawal"), request);
  PlanState met;
  met.live_bytes = static_cast<uint64_t>(0.6 * kGib);
  EXPECT_STREQ(horizon_stop_reason(forecast, met, 0.655), "converged");
  EXPECT_STREQ(horizon_stop_reason(forecast, met, 0.665), "fullness_missed");
  EXPECT_STREQ(horizon_stop_reason(forecast, met, 0.635), "fullness_missed");
  EXPECT_STREQ(horizon_stop_reason(forecast, met), "converged") << "a simulation has the files alone";
}

}  // namespace
}  // namespace patina
