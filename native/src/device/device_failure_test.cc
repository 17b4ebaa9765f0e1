// Agings whose device fails on the way, on every kind of file system: filled up by another process, turned
// read-only, unmounted. Each ends by itself, reports why, and can be resumed where the file system
// survives.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/fs.h>
#include <sys/ioctl.h>

#include "executor/checkpoint.h"
#include "testing/aging_testing.h"

namespace patina {
namespace {

class FailureOf : public testing::TestWithParam<MadeFileSystem> {
 protected:
  void SetUp() override {
    PATINA_REQUIRE_ROOT();
    device_ = std::make_unique<AgedDevice>(GetParam());
    checkpoint_ = device_->scratch("checkpoint");
  }

  // Long enough for every disturbance on the way.
  static AgingOrder order() {
    AgingOrder order;
    order.horizon_ops_count = 15'000;
    return order;
  }
  // Returns the command, which is held at the gates below.
  std::vector<std::string> command(const AgingOrder& order) const {
    std::vector<std::string> command = order.command(device_->folder(), checkpoint_);
    command.insert(command.begin(), {"env", "PATINA_GATES=" + device_->scratch("")});
    return command;
  }
  // Makes the gate at which the command waits after so many operations.
  std::string gate_at(int ops_count) const {
    const std::string gate = device_->scratch(fmt::format("age.{}", ops_count));
    EXPECT_EQ(mkfifo(gate.c_str(), 0600), 0);
    return gate;
  }
  // Expects that it ended by itself with one of the errors and named the valid checkpoint.
  static void expect_error(RunningAge& aging, const std::vector<ErrorCode>& codes) {
    const int exit_code = aging.wait_for_exit();
    const auto code = std::find_if(codes.begin(), codes.end(), [exit_code](ErrorCode expected) {
      return static_cast<int>(expected) == exit_code;
    });
    ASSERT_NE(code, codes.end()) << exit_code << ": " << aging.error_message();
    const RunningAge::Json* error = aging.last("error");
    ASSERT_NE(error, nullptr);
    EXPECT_EQ((*error)["code"], error_code_name(*code));
    EXPECT_NE(aging.error_message().find("are durable, with their checkpoint"), std::string::npos)
        << aging.error_message();
  }
  // Expects all files except the creates that were abandoned for lack of space.
  void expect_resumed_to_the_end(const AgingOrder& order, bool spares_nothing = true) {
    ASSERT_TRUE(read_checkpoint(checkpoint_).ok());
    RunningAge resumed(order.resume_command(device_->folder(), checkpoint_));
    EXPECT_EQ(resumed.wait_for_exit(), 0) << resumed.error_message();
    const RunningAge::Json* summary = resumed.last("summary");
    ASSERT_NE(summary, nullptr);
    const UndisturbedAging undisturbed(order.forecast(device_->folder()));
    EXPECT_EQ((*summary)["plan_digest"], undisturbed.planner.stream_digest());
    if (spares_nothing) {
      EXPECT_EQ(names_and_sizes(device_->folder()), undisturbed.names);
    }
  }

  std::unique_ptr<AgedDevice> device_;
  std::string checkpoint_;
};

// Takes all free space in a file that does not belong to the aging.
void take_all_space(const std::string& file) {
  const Descriptor out(open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  ASSERT_TRUE(out.valid());
  off_t at = 0;
  for (off_t piece = 64 << 20U; piece >= 4096;) {
    if (fallocate(out.get(), 0, at, piece) == 0) {
      at += piece;
    } else {
      piece /= 2;
    }
  }
}

TEST_P(FailureOf, FilledUpByOthersWhileItFillsItStopsWithNoSpaceAndGoesOnWhenThereIsSpaceAgain) {
  // Small files: filling takes long enough to be disturbed. No deletes make room for them.
  AgingOrder small = order();
  const std::string profile = device_->scratch("small.json");
  write_at(profile, 0,
           R"({"size":[{"bytes":8192,"weight":1}],"depth":[{"depth":1,"weight":1,"subdirs":50}],)"
           R"("age":[{"age":1,"weight":1},{"age":3,"weight":1}]})");
  small.profile = profile;
  small.fullness = 0.3;
  const std::string gate = gate_at(2000);
  RunningAge aging(command(small));
  {
    const Descriptor held = aging.stands_at(gate);
    ASSERT_TRUE(held.valid()) << aging.error_message();
    take_all_space(device_->folder() + "/somebodys");
  }
  expect_error(aging, {ErrorCode::kNoSpace});
  RunningAge too_early(small.resume_command(device_->folder(), checkpoint_));
  expect_error(too_early, {ErrorCode::kNoSpace});

  ASSERT_EQ(unlink((device_->folder() + "/somebodys").c_str()), 0);
  expect_resumed_to_the_end(small, /*spares_nothing=*/false);
}

TEST_P(FailureOf, FilledUpByOthersInStableAgingItGoesOnAndCountsOrStops) {
  const AgingOrder asked = order();
  const std::string gate = gate_at(3000);
  const std::string later_gate = gate_at(9000);
  RunningAge aging(command(asked));
  const std::string others = device_->folder() + "/d1/somebodys";
  {
    const Descriptor held = aging.stands_at(gate);
    ASSERT_TRUE(held.valid()) << aging.error_message();
    take_all_space(others);
  }
  {
    const Descriptor held = aging.stands_at(later_gate);
    ASSERT_EQ(unlink(others.c_str()), 0);
  }
  const int code = aging.wait_for_exit();
  if (code == 0) {
    EXPECT_GT((*aging.last("summary"))["no_space_count"], 0);
  } else {
    EXPECT_EQ(code, static_cast<int>(ErrorCode::kNoSpace)) << aging.error_message();
    expect_resumed_to_the_end(asked, /*spares_nothing=*/false);
  }
}

TEST_P(FailureOf, TurnedReadOnlyItSaysSoAndGoesOnWhenItIsWritableAgain) {
  const AgingOrder asked = order();
  const std::string gate = gate_at(3000);
  RunningAge aging(command(asked));
  {
    // A remount is refused while a file is open for writing. At a gate none is.
    const Descriptor held = aging.stands_at(gate);
    ASSERT_TRUE(held.valid()) << aging.error_message();
    ASSERT_EQ(mount(nullptr, device_->folder().c_str(), nullptr, MS_REMOUNT | MS_RDONLY | MS_NOATIME, ""), 0)
        << "errno " << errno;
  }
  expect_error(aging, {ErrorCode::kReadOnly});

  ASSERT_EQ(mount(nullptr, device_->folder().c_str(), nullptr, MS_REMOUNT | MS_NOATIME, ""), 0);
  expect_resumed_to_the_end(asked);
}

// btrfs cannot be shut down by a call.
class ShutDownOf : public FailureOf {};

// Shuts down as a file system does by itself on a failing device: changes not in the journal are lost.
TEST_P(ShutDownOf, ItEndsWithAnErrorAndGoesOnWhenItIsMountedAgain) {
  const AgingOrder asked = order();
  const std::string gate = gate_at(3000);
  RunningAge aging(command(asked));
  {
    const Descriptor held = aging.stands_at(gate);
    ASSERT_TRUE(held.valid()) << aging.error_message();
    constexpr unsigned long kShutdown = _IOR('X', 125, uint32_t);
    uint32_t without_flushing_the_log = 2;
    const Descriptor root(open(device_->folder().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    ASSERT_EQ(ioctl(root.get(), kShutdown, &without_flushing_the_log), 0) << "errno " << errno;
  }
  expect_error(aging, {ErrorCode::kIoError, ErrorCode::kReadOnly});

  device_->unmount();
  device_->mount();
  expect_resumed_to_the_end(asked);
}

TEST_P(FailureOf, UnmountedLazilyAndDetachedItAgesOnToTheEnd) {
  const AgingOrder asked = order();
  const UndisturbedAging undisturbed(asked.forecast(device_->folder()));
  const std::string gate = gate_at(3000);
  RunningAge aging(command(asked));
  {
    const Descriptor held = aging.stands_at(gate);
    ASSERT_TRUE(held.valid()) << aging.error_message();
    device_->vanish();
  }
  EXPECT_EQ(aging.wait_for_exit(), 0) << aging.error_message();
  device_->appear();
  EXPECT_EQ(names_and_sizes(device_->folder()), undisturbed.names);
}

INSTANTIATE_TEST_SUITE_P(Kinds, FailureOf, testing::ValuesIn(made_file_systems()), name_of_kind);
INSTANTIATE_TEST_SUITE_P(Kinds, ShutDownOf,
                         testing::Values(made_file_systems().at(0), made_file_systems().at(1)), name_of_kind);

}  // namespace
}  // namespace patina
