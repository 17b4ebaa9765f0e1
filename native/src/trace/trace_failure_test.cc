#include <gtest/gtest.h>
#include <linux/fs.h>

#include "device/device_generation.h"
#include "device/kernel_file_system.h"
#include "testing/test_places.h"
#include "testing/trace_testing.h"
#include "trace/trace.h"

namespace patina {
namespace {

constexpr uint64_t kDeviceBytes = 64ULL << 20U;

// Fakes failures that are hard to cause in the kernel.
class FakeSource final : public TraceSource {
 public:
  struct Behaviour {
    bool can_read = true;
    bool can_finish = true;
    uint64_t dropped_count = 0;
    BlockEvent event;
  };
  explicit FakeSource(Behaviour behaviour) : behaviour_(behaviour) {}

  static std::vector<TraceSourceKind> kinds(Behaviour behaviour) {
    return {{"fake", [behaviour](const TracedDevice&, uint64_t) {
               return Result<std::unique_ptr<TraceSource>>(std::make_unique<FakeSource>(behaviour));
             }}};
  }
  static TraceSourceKind missing(const char* name, const char* reason) {
    return {name, [reason](const TracedDevice&, uint64_t) {
              return Result<std::unique_ptr<TraceSource>>(Error{ErrorCode::kTraceUnavailable, reason});
            }};
  }

  const char* name() const override { return "fake"; }
  Result<bool> read(const Visit&) override {
    if (behaviour_.can_read) return false;
    return Error{ErrorCode::kTraceUnavailable, "it does not answer"};
  }
  Status finish(const Visit& visit) override {
    visit(behaviour_.event);
    if (behaviour_.can_finish) return ok_status();
    return Error{ErrorCode::kTraceUnavailable, "it does not end"};
  }
  uint64_t dropped_count() override { return behaviour_.dropped_count; }

 private:
  Behaviour behaviour_;
};

class TraceFailure : public testing::Test {
 protected:
  void SetUp() override {
    PATINA_REQUIRE_ROOT();
    loop_ = std::make_unique<LoopDevice>(scratch_ / "device.img", kDeviceBytes);
  }

  TraceOptions options() const { return {.device = loop_->path(), .trace_file = scratch_ / "trace"}; }
  Status run_once(const TraceOptions& wanted, const std::vector<TraceSourceKind>& kinds) {
    const std::atomic<bool> stop{true};
    return run_trace(wanted, sink_, stop, kinds);
  }
  static void expect_code(const Status& status, ErrorCode code, const std::string& mentions) {
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().code, code) << status.error().message;
    EXPECT_NE(status.error().message.find(mentions), std::string::npos) << status.error().message;
  }
  Delta delta_of(const std::string& trace_file) {
    const Status made = run_delta(
        {.trace_files = {trace_file}, .device_bytes = kDeviceBytes, .delta_file = scratch_ / "delta"}, sink_);
    EXPECT_TRUE(made.ok()) << made.error().message;
    const Result<Delta> read = read_delta(scratch_ / "delta");
    return read ? *read : Delta{};
  }

  std::unique_ptr<TracingProgram> start_program(const std::vector<std::string>& more = {}) const {
    return std::make_unique<TracingProgram>(loop_->path(), scratch_ / "trace", scratch_ / "events", more);
  }
  // Counts the trace instances of a process.
  static int instances_of(pid_t pid) {
    const auto tracefs = KernelFileSystem::open("tracefs");
    EXPECT_TRUE(tracefs.ok());
    int count = 0;
    const std::string folder = "/proc/self/fd/" + std::to_string(tracefs->root_fd()) + "/instances";
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().filename().string().starts_with("patina-" + std::to_string(pid) + "-")) ++count;
    }
    return count;
  }

  ScratchFolder scratch_;
  std::unique_ptr<LoopDevice> loop_;
  CollectingSink sink_;
};

TEST_F(TraceFailure, WithoutAnySourceNamesWhatWasTriedAndWhy) {
  const auto kinds = {FakeSource::missing("blktrace", "is locked"),
                      FakeSource::missing("tracefs", "is not there")};
  const Status status = run_once(options(), kinds);
  expect_code(status, ErrorCode::kTraceUnavailable, "blktrace: is locked; tracefs: is not there");
  TraceOptions one = options();
  one.source = "tracefs";
  const Status of_one = run_once(one, kinds);
  expect_code(of_one, ErrorCode::kTraceUnavailable, "here; tracefs: is not there");
  EXPECT_FALSE(std::filesystem::exists(scratch_ / "trace"));
}

TEST_F(TraceFailure, OfOneSourceTakesTheNextAndSaysSo) {
  auto kinds = FakeSource::kinds({});
  kinds.insert(kinds.begin(), FakeSource::missing("first", "is locked"));
  ASSERT_TRUE(run_once(options(), kinds).ok());
  EXPECT_EQ(sink_.events[1]["source"], "fake");
  EXPECT_EQ(sink_.events[1]["unavailable_sources"][0]["source"], "first");
  EXPECT_EQ(sink_.events[1]["unavailable_sources"][0]["reason"], "is locked");
}

TEST_F(TraceFailure, OfTheSourceMakesTheTraceIncomplete) {
  const auto reason_of = [this](const FakeSource::Behaviour& behaviour) {
    sink_.events.clear();
    EXPECT_TRUE(run_once(options(), FakeSource::kinds(behaviour)).ok());
    const std::string reason =
        sink_.last()["incomplete_reason"].is_null() ? "" : sink_.last()["incomplete_reason"];
    EXPECT_EQ(delta_of(scratch_ / "trace").incomplete_reason, reason);
    return reason;
  };
  EXPECT_EQ(reason_of({}), "");
  EXPECT_EQ(reason_of({.dropped_count = 1, .event = {}}), "dropped_events");
  EXPECT_EQ(reason_of({.can_finish = false, .event = {}}), "source_failed");
  EXPECT_EQ(reason_of({.event = {.bytes = 512, .has_no_place = true}}), "passed_through_command");
  RunningTrace trace(options(), FakeSource::kinds({.can_read = false, .event = {}}));
  trace.wait_for_progress();
  EXPECT_EQ(trace.delta(kDeviceBytes).incomplete_reason, "source_failed");
}

TEST_F(TraceFailure, ToReportWhatTheKernelCountsAsWrittenIsNoticed) {
  RunningTrace trace(options(), FakeSource::kinds({}));
  write_at(loop_->path(), 8192, "x");
  EXPECT_EQ(trace.delta(kDeviceBytes).incomplete_reason, "unseen_writes");
}

TEST_F(TraceFailure, OfAFullBufferIsNoticed) {
  const auto program = start_program({"--buffer-kb", "1"});
  // A stopped tracer does not empty the buffer.
  program->signal(SIGSTOP);
  for (uint64_t i = 0; i < 3000; ++i) write_at(loop_->path(), i * 8192, "x");
  program->signal(SIGCONT);
  EXPECT_EQ(program->end(SIGTERM), 0);
  const Delta delta = delta_of(scratch_ / "trace");
  EXPECT_EQ(delta.incomplete_reason, "dropped_events");
  EXPECT_GT(delta.dropped_count, 0U);
}

TEST_F(TraceFailure, OfAKilledTracerIsNoticedAndTidiedUpByTheNext) {
  const auto program = start_program();
  write_at(loop_->path(), 8192, "x");
  program->wait_for("\"touched_bytes\":4096");
  const pid_t killed = program->pid();
  EXPECT_EQ(instances_of(killed), 1);
  program->end(SIGKILL);
  const Delta delta = delta_of(scratch_ / "trace");
  EXPECT_EQ(delta.incomplete_reason, "tracer_died");
  EXPECT_TRUE(holds_block(delta, 2));
  {
    RunningTrace next({.device = loop_->path(), .trace_file = scratch_ / "next"});
    EXPECT_EQ(instances_of(killed), 0);
    EXPECT_EQ(instances_of(::getpid()), 1);
    EXPECT_TRUE(next.delta(kDeviceBytes).complete());
  }
  EXPECT_EQ(instances_of(::getpid()), 0);
}

TEST_F(TraceFailure, OfATruncatedTraceIsNoticed) {
  RunningTrace trace(options());
  write_at(loop_->path(), 8192, "x");
  EXPECT_TRUE(trace.delta(kDeviceBytes).complete());
  const uint64_t size = std::filesystem::file_size(scratch_ / "trace");
  std::filesystem::resize_file(scratch_ / "trace", size - 1);
  EXPECT_EQ(delta_of(scratch_ / "trace").incomplete_reason, "truncated");
}

TEST_F(TraceFailure, OfADeviceThatIsMountedComesBeforeAnythingIsWritten) {
  require_program({"mkfs.ext4", "-q", loop_->path()});
  const Mount mounted(loop_->path(), scratch_ / "mount", "ext4");
  const Status status = run_once(options(), kernel_trace_sources());
  expect_code(status, ErrorCode::kDeviceBusy, "mounted on");
  EXPECT_FALSE(std::filesystem::exists(scratch_ / "trace"));
}

TEST_F(TraceFailure, ToBeUnmountedInTimeMakesItIncomplete) {
  require_program({"mkfs.ext4", "-q", loop_->path()});
  RunningTrace trace(options());
  const Mount mounted(loop_->path(), scratch_ / "mount", "ext4");
  const Delta delta = trace.delta(kDeviceBytes);
  EXPECT_EQ(delta.incomplete_reason, "device_busy_at_end");
  EXPECT_EQ(delta.generation_end, "");
}

TEST_F(TraceFailure, ToKnowTheGenerationMakesItIncomplete) {
  const std::string file = "/sys/block/" + loop_->path().substr(5) + "/queue/iostats";
  std::ofstream(file) << "0";
  RunningTrace trace(options());
  EXPECT_EQ(trace.delta(kDeviceBytes).incomplete_reason, "unknown_generation");
  std::ofstream(file) << "1";
}

TEST_F(TraceFailure, OfTheReaderOfTheEventsEndsItWhole) {
  RunningTrace trace(options());
  write_at(loop_->path(), 8192, "x");
  trace.is_read = false;
  trace.wait_for_end();
  expect_code(trace.end(), ErrorCode::kCanceled, "stdout is closed");
  EXPECT_TRUE(delta_of(scratch_ / "trace").complete());
}

TEST_F(TraceFailure, ToSwitchOnAgainWhatAnotherProcessSwitchedOffIsNoticed) {
  RunningTrace trace({.device = loop_->path(), .trace_file = scratch_ / "trace", .source = "tracefs"});
  {
    const auto tracefs = KernelFileSystem::open("tracefs");
    const std::string instance =
        "instances/patina-" + std::to_string(::getpid()) + "-" + loop_->path().substr(5);
    ASSERT_TRUE(write_file_at(tracefs->root_fd(), instance + "/tracing_on", "0").ok());
  }
  EXPECT_EQ(trace.delta(kDeviceBytes).incomplete_reason, "source_failed");
}

TEST_F(TraceFailure, OfWhatCannotBeTracedOrWritten) {
  TraceOptions wanted = options();
  wanted.device = loop_->backing_file();
  const Status of_file = run_once(wanted, kernel_trace_sources());
  expect_code(of_file, ErrorCode::kDeviceUnusable, "no block device");
  wanted = options();
  wanted.trace_file = scratch_ / "no/such/folder";
  const Status nowhere = run_once(wanted, kernel_trace_sources());
  expect_code(nowhere, ErrorCode::kIoError, "the trace");
}

TEST_F(TraceFailure, LeavesTheProgramWithTheDocumentedCode) {
  EXPECT_EQ(start_program()->end(SIGTERM), 0);
  EXPECT_TRUE(delta_of(scratch_ / "trace").complete());
  const std::string told = require_program({"sh", "-c",
                                            std::string("echo stop | ") + kCoreProgram + " trace --device " +
                                                loop_->path() + " --out " + (scratch_ / "told")});
  EXPECT_NE(told.find("\"complete\":true"), std::string::npos) << told;
  EXPECT_EQ(run_program({kCoreProgram, "trace", "--device", "/dev/null", "--out", scratch_ / "t"}).exit_code,
            21);
  EXPECT_EQ(run_program({kCoreProgram, "trace", "--device", loop_->path()}).exit_code, 2);
  EXPECT_EQ(run_program({kCoreProgram, "delta", "--trace", scratch_ / "device.img", "--device-size", "64MiB",
                         "--out", scratch_ / "d"})
                .exit_code,
            37);
}

}  // namespace
}  // namespace patina
