// Agings killed at random moments, alone or with a power cut of their device: resumed, they end as an
// undisturbed run.
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "model/observation.h"
#include "testing/emulated_aging_testing.h"
#include "testing/property_testing.h"

namespace patina {
namespace {

class CrashOn : public testing::TestWithParam<MadeFileSystem> {
 protected:
  void SetUp() override { PATINA_REQUIRE_ROOT(); }

  // The last two of three use a mix, the last writes data: crashes leave different states of them.
  AgingOrder order(uint32_t round) const {
    AgingOrder order;
    order.seed = 100 + round;
    order.horizon_ops_count = 7000;
    if (round % 3 > 0) {
      order.mix = {.append = 0.1, .overwrite = 0.05, .truncate = 0.08, .rename = 0.1, .punch_hole = 0.05};
    }
    if (round % 3 == 2) order.data_mode = "write";
    return order;
  }

  // Kills it at any moment after its first checkpoint: at a tick drawn from all, and a little later.
  void kill_at_a_random_moment(RunningAge& aging, const AgingOrder& order) {
    aging.reaches(random_.below(static_cast<uint32_t>(order.horizon_ops_count)));
    std::this_thread::sleep_for(std::chrono::microseconds(random_.below(15'000)));
    aging.kill_and_wait();
  }

  // Half of the time the file system has just committed names and sizes, but not the content of the files;
  // half of the time a random part of what was not flushed survives.
  void cut_power_at_a_random_moment(RunningAge& aging, const AgingOrder& order, EmulatedAgedDevice& device) {
    aging.reaches(random_.below(static_cast<uint32_t>(order.horizon_ops_count)));
    std::this_thread::sleep_for(std::chrono::microseconds(random_.below(15'000)));
    if (random_.coin()) {
      const Descriptor root(open(device.folder().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
      EXPECT_EQ(fsync(root.get()), 0);
    }
    device.cut_power(random_.coin() ? "random" : "all", random_.below(1000));
    aging.kill_and_wait();
    device.restart();
  }

  void expect_end_of_an_undisturbed_aging(const AgingOrder& order, const std::string& folder,
                                          const std::string& checkpoint) {
    RunningAge resumed(order.resume_command(folder, checkpoint));
    EXPECT_EQ(resumed.wait_for_exit(), 0) << resumed.error_message();
    const RunningAge::Json* summary = resumed.last("summary");
    ASSERT_NE(summary, nullptr);
    const Forecast forecast = order.forecast(folder);
    const UndisturbedAging undisturbed(forecast);
    EXPECT_EQ((*summary)["plan_digest"], undisturbed.planner.stream_digest());
    EXPECT_EQ((*summary)["ops_count"], order.horizon_ops_count);
    const Observations wanted = observe(forecast, undisturbed.planner.state());
    const RunningAge::Json& disk = (*summary)["disk"];
    EXPECT_EQ(disk["histograms"]["size"]["observed_fractions"], RunningAge::Json(wanted.size.observed));
    EXPECT_EQ(disk["histograms"]["depth"]["observed_fractions"], RunningAge::Json(wanted.depth.observed));
    EXPECT_EQ(disk["histograms"]["age"]["observed_fractions"], RunningAge::Json(wanted.age.observed));
    for (const char* difference : {"missing_count", "stray_count", "wrong_size_count", "lacking_count"}) {
      EXPECT_EQ(disk[difference], 0) << difference;
    }
    EXPECT_EQ(names_and_sizes(folder), undisturbed.names);
  }

  Random random_{2024U + static_cast<unsigned char>(GetParam().type[0])};
};

TEST_P(CrashOn, KilledAtRandomMomentsItEndsAsIfNothingHappened) {
  for (uint32_t round = 0; round < crash_cases(3); ++round) {
    SCOPED_TRACE(round);
    const AgingOrder asked = order(round);
    const AgedDevice device(GetParam());
    const std::string checkpoint = device.scratch("checkpoint");
    {
      RunningAge aging(asked.command(device.folder(), checkpoint));
      kill_at_a_random_moment(aging, asked);
    }
    if (round == 1) {
      RunningAge again(asked.resume_command(device.folder(), checkpoint));
      kill_at_a_random_moment(again, asked);
    }
    expect_end_of_an_undisturbed_aging(asked, device.folder(), checkpoint);
  }
}

TEST_P(CrashOn, WithItsPowerCutAtRandomMomentsItEndsAsIfNothingHappened) {
  for (uint32_t round = 0; round < crash_cases(3); ++round) {
    SCOPED_TRACE(round);
    const AgingOrder asked = order(round);
    EmulatedAgedDevice device(GetParam(), {"--keep-all"});
    const std::string checkpoint = device.scratch("checkpoint");
    {
      RunningAge aging(asked.command(device.folder(), checkpoint));
      cut_power_at_a_random_moment(aging, asked, device);
    }
    if (round == 2) {
      RunningAge again(asked.resume_command(device.folder(), checkpoint));
      cut_power_at_a_random_moment(again, asked, device);
    }
    expect_end_of_an_undisturbed_aging(asked, device.folder(), checkpoint);
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, CrashOn, testing::ValuesIn(file_systems_of_emulated_disks()), name_of_kind);

}  // namespace
}  // namespace patina
