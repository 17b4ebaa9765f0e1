// Any number of threads carries out the same plan and leaves the same tree.
#include <gtest/gtest.h>

#include "testing/aging_testing.h"
#include "testing/memory_file_system.h"

namespace patina {
namespace {

constexpr int kMostThreads = 8;

const Mix kMix = {.append = 0.1, .overwrite = 0.05, .truncate = 0.08, .rename = 0.1, .punch_hole = 0.05};

TEST(Threads, AnyNumberOfThemLeavesTheSameTreeInMemory) {
  ForecastRequest request = request_of(100ULL << 20U);
  request.mix = kMix;
  request.size_draw = SizeDraw::kLogUniform;
  request.horizon_ops_count = 30'000;
  const Forecast forecast = forecast_of(built_in_profile("agrawal"), request);
  const UndisturbedAging undisturbed(forecast);
  MemoryFileSystem::Files first;
  for (int threads = 1; threads <= kMostThreads; ++threads) {
    SCOPED_TRACE(threads);
    AgeSettings settings;
    settings.way.threads_count = threads;
    MemoryFileSystem file_system;
    CollectingSink sink;
    ASSERT_TRUE(age_as_forecast(forecast, file_system, settings, sink, Switches{}).ok());
    EXPECT_EQ(sink.last()["threads_count"], threads);
    EXPECT_EQ(sink.last()["plan_digest"], undisturbed.planner.stream_digest());
    if (threads == 1) first = file_system.files();
    EXPECT_EQ(file_system.files(), first);
    EXPECT_EQ(first.size(), undisturbed.names.size());
  }
}

class ThreadsOn : public testing::TestWithParam<MadeFileSystem> {};

TEST_P(ThreadsOn, OneOrManyLeaveTheSameTree) {
  PATINA_REQUIRE_ROOT();
  AgingOrder order;
  order.horizon_ops_count = 5000;
  order.mix = kMix;
  for (const int threads : {1, kMostThreads}) {
    SCOPED_TRACE(threads);
    const AgedDevice device(GetParam());
    order.threads_count = threads;
    RunningAge aging(order.command(device.folder(), device.scratch("checkpoint")));
    ASSERT_EQ(aging.wait_for_exit(), 0) << aging.error_message();
    const UndisturbedAging undisturbed(order.forecast(device.folder()));
    EXPECT_EQ((*aging.last("summary"))["plan_digest"], undisturbed.planner.stream_digest());
    EXPECT_EQ(names_and_sizes(device.folder()), undisturbed.names);
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, ThreadsOn, testing::ValuesIn(made_file_systems()), name_of_kind);

}  // namespace
}  // namespace patina
