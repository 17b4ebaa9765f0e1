// Trials whose trace is incomplete: each is noticed, everything is compared, and the device is rolled back.
#include "executor/posix_file_system.h"
#include "testing/trial_testing.h"

namespace patina {
namespace {

class TrialFailure : public TrialTesting {
 protected:
  void SetUp() override {
    ImageTest::SetUp();
    if (IsSkipped()) return;
    loop_ = std::make_unique<LoopDevice>(scratch_ / "disk", kDiskBytes);
    require_program({"mkfs.ext4", "-q", loop_->path()});
    make_tree(mount()->folder());
    hold_image(loop_->path(), CaptureMode::kAllocated);
  }

  std::unique_ptr<Mount> mount() const {
    return std::make_unique<Mount>(loop_->path(), scratch_ / "mount", "ext4");
  }
  void work() const {
    const auto mounted = mount();
    require_program({"rm", "-r", mounted->folder() + "/folder3"});
    run_fio("--directory=" + mounted->folder(), {"--size=8m", "--ioengine=psync", "--fsync=8"});
  }
  void work_under_trace() {
    const auto trace = arm();
    work();
    EXPECT_TRUE(trace->end().ok());
  }
  // Returns why the delta is incomplete, so that everything was compared.
  std::string noticed_reason() {
    EXPECT_TRUE(make_delta().ok());
    EXPECT_EQ(sink_.last()["complete"], false);
    const nlohmann::ordered_json reason = sink_.last()["incomplete_reason"];
    expect_comes_back(delta_file_, reason);
    return reason;
  }

  static constexpr uint64_t kDiskBytes = 64ULL << 20U;
  std::unique_ptr<LoopDevice> loop_;
};

TEST_F(TrialFailure, OfATracerThatIsKilledIsNoticed) {
  TracingProgram tracer(device_, trace_file_, scratch_ / "events");
  const uintmax_t head_bytes = std::filesystem::file_size(trace_file_);
  std::thread worker([this] { work(); });
  wait_until("the trace has events", [&] { return std::filesystem::file_size(trace_file_) > head_bytes; });
  tracer.end(SIGKILL);
  worker.join();
  const std::string reason = noticed_reason();
  EXPECT_TRUE(reason == "tracer_died" || reason == "truncated") << reason;
}

TEST_F(TrialFailure, OfDroppedEventsIsNoticed) {
  TracingProgram tracer(device_, trace_file_, scratch_ / "events", {"--buffer-kb", "1"});
  tracer.signal(SIGSTOP);
  work();
  tracer.signal(SIGCONT);
  EXPECT_EQ(tracer.end(SIGTERM), 0);
  EXPECT_EQ(noticed_reason(), "dropped_events");
  EXPECT_GT(figure("written_bytes"), 0U);
}

TEST_F(TrialFailure, OfATraceThatWasCutShortIsNoticed) {
  work_under_trace();
  ASSERT_TRUE(make_delta().ok());
  EXPECT_EQ(sink_.last()["complete"], true);
  const std::string whole = read_whole_file(trace_file_);
  // The end last, since the rollback below uses the longest.
  for (size_t length = 0; length < whole.size(); length += length + 37 < whole.size() ? 37 : 1) {
    std::filesystem::resize_file(trace_file_, 0);
    write_at(trace_file_, 0, whole.substr(0, length));
    const Status made = make_delta();
    const bool is_noticed =
        made.ok() ? sink_.last()["complete"] == false : made.error().code == ErrorCode::kTraceInvalid;
    EXPECT_TRUE(is_noticed) << length << " of " << whole.size();
  }
  EXPECT_EQ(noticed_reason(), "truncated");
}

TEST_F(TrialFailure, OfATraceThatIsNoLongerOneLeavesNothingButToCompareAll) {
  work_under_trace();
  std::filesystem::resize_file(trace_file_, 20);
  expect_code(make_delta(), ErrorCode::kTraceInvalid, trace_file_);
  expect_comes_back("", "no_delta");
}

TEST_F(TrialFailure, OfAWriteBeforeItIsArmedIsNoticed) {
  write_at(device_, 50 << 20, "before it is armed");
  work_under_trace();
  EXPECT_EQ(noticed_reason(), "device_changed_before");
}

TEST_F(TrialFailure, OfAMountAfterItsEndIsNoticed) {
  work_under_trace();
  ASSERT_TRUE(make_delta().ok());
  EXPECT_EQ(sink_.last()["complete"], true);
  std::ofstream(mount()->folder() + "/late") << "after its end";
  expect_comes_back(delta_file_, "device_changed_since");
}

TEST_F(TrialFailure, OfADeviceThatIsStillMountedAtItsEndIsNoticed) {
  {
    const auto trace = arm();
    const auto mounted = mount();
    make_tree(mounted->folder());
    ASSERT_TRUE(trace->end().ok());
    run_fio("--directory=" + mounted->folder(), {"--size=4m", "--ioengine=psync", "--end_fsync=1"});
  }
  EXPECT_EQ(noticed_reason(), "device_busy_at_end");
}

// Writes past the queue of the traced device, so that no event reports it.
TEST_F(TrialFailure, OfAWriteToTheBackingFileIsNoticed) {
  const auto trace = arm();
  work();
  write_at(loop_->backing_file(), 50 << 20, "past the loop device");
  EXPECT_TRUE(trace->end().ok());
  EXPECT_EQ(noticed_reason(), "backing_file_shared");
}

TEST_F(TrialFailure, OfAnOpenBackingFileIsNoticed) {
  const Descriptor file(::open(loop_->backing_file().c_str(), O_RDWR | O_CLOEXEC));
  const auto trace = arm();
  work();
  EXPECT_EQ(::pwrite(file.get(), "past", 4, 50 << 20), 4);
  EXPECT_TRUE(trace->end().ok());
  EXPECT_EQ(noticed_reason(), "backing_file_shared");
}

TEST_F(TrialFailure, OfASecondLoopDeviceIsNoticed) {
  const LoopDevice second(loop_->backing_file(), kDiskBytes);
  hold_image(loop_->path(), CaptureMode::kAllocated);
  const auto trace = arm();
  write_at(second.path(), 50 << 20, "past the first");
  EXPECT_TRUE(trace->end().ok());
  EXPECT_EQ(noticed_reason(), "backing_file_shared");
}

TEST_F(TrialFailure, OfASecondLoopDeviceThatIsGoneAgainIsNoticed) {
  const auto trace = arm();
  write_at(LoopDevice(loop_->backing_file(), kDiskBytes).path(), 50 << 20, "past the first");
  EXPECT_TRUE(trace->end().ok());
  EXPECT_EQ(noticed_reason(), "backing_file_shared");
}

TEST_F(TrialFailure, IsNotThatTheBackingFileIsRead) {
  const auto trace = arm();
  work();
  const std::ifstream reading(loop_->backing_file());
  require_program({"cp", loop_->backing_file(), scratch_ / "copy"});
  EXPECT_TRUE(trace->end().ok());
  EXPECT_TRUE(make_delta().ok());
  EXPECT_EQ(sink_.last()["complete"], true);
}

}  // namespace
}  // namespace patina
