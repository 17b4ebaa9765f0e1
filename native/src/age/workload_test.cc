// Workloads and replays, on a file system in memory and on real ones.
#include "age/workload.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "age/age.h"
#include "age/operation_log.h"
#include "age/plan_course.h"
#include "executor/posix_file_system.h"
#include "testing/aging_testing.h"
#include "testing/device_testing.h"
#include "testing/memory_file_system.h"
#include "testing/profile_testing.h"

namespace patina {
namespace {

WorkloadRequest workload_of(WorkloadKind kind, double fullness = 0.5) {
  WorkloadRequest request;
  request.kind = kind;
  request.capacity_bytes = 64ULL << 20U;
  request.fullness = fullness;
  request.rounds_count = 30;
  request.ops_count = 20'000;
  return request;
}

std::unique_ptr<Course> made(const WorkloadRequest& request) {
  Result<std::unique_ptr<Course>> course = make_workload(request);
  EXPECT_TRUE(course.ok()) << (course.ok() ? "" : course.error().message);
  return std::move(*course);
}

std::vector<Operation> all_of(Course& course) {
  std::vector<Operation> operations;
  std::array<Operation, 300> block;
  while (!course.finished()) {
    Result<size_t> next = course.next(block);
    EXPECT_TRUE(next.ok()) << (next.ok() ? "" : next.error().message);
    if (!next) break;
    operations.insert(operations.end(), block.begin(), block.begin() + static_cast<std::ptrdiff_t>(*next));
  }
  return operations;
}

uint64_t bytes_of(const std::vector<Operation>& files) {
  uint64_t bytes = 0;
  for (const Operation& file : files) bytes += file.bytes;
  return bytes;
}

TEST(Fresh, HasNoOperations) {
  const auto fresh = made(workload_of(WorkloadKind::kFresh, 0));
  EXPECT_TRUE(all_of(*fresh).empty());
  EXPECT_TRUE(fresh->finished());
  EXPECT_TRUE(fresh->live_files().empty());
  EXPECT_STREQ(fresh->stop_reason({}), "completed");
}

TEST(Fsfb, RoundsReplaceATwentiethInNewDirectoriesAndKeepTheTotal) {
  WorkloadRequest filled = workload_of(WorkloadKind::kFsfb);
  filled.rounds_count = 0;
  const auto unaged = made(filled);
  all_of(*unaged);
  const auto aged = made(workload_of(WorkloadKind::kFsfb));
  const std::vector<Operation> operations = all_of(*aged);

  EXPECT_EQ(bytes_of(aged->live_files()), bytes_of(unaged->live_files()));
  EXPECT_EQ(aged->tree().count(), 1001U + 30U);
  uint64_t deleted_bytes = 0;
  uint64_t made_bytes = 0;
  uint32_t directory = 0;
  for (const Operation& operation : operations) {
    if (operation.kind == OperationKind::kMakeDirectory) {
      directory = operation.directory;
      made_bytes = 0;
    } else if (operation.is_delete()) {
      if (made_bytes > 0) deleted_bytes = 0;
      made_bytes = 0;
      deleted_bytes += operation.bytes;
    } else if (directory > 0) {
      ASSERT_EQ(operation.directory, directory) << "created elsewhere than in the round's directory";
      made_bytes += operation.bytes;
      ASSERT_LE(made_bytes, deleted_bytes);
    }
    ASSERT_LE(operation.bytes, 150U << 10U);
  }
  EXPECT_EQ(made_bytes, deleted_bytes);
  EXPECT_NEAR(static_cast<double>(deleted_bytes), 0.05 * static_cast<double>(bytes_of(aged->live_files())),
              150 << 10U);
}

TEST(Churn, FillsFourToOneAndThenStaysAtItsFullness) {
  const auto churn = made(workload_of(WorkloadKind::kChurn));
  std::map<OperationKind, double> filling;
  uint64_t live_bytes = 0;
  uint64_t most_bytes = 0;
  uint64_t least_bytes = UINT64_MAX;
  bool steady = false;
  const std::vector<Operation> operations = all_of(*churn);
  EXPECT_EQ(operations.size(), 20'000U);
  for (const Operation& operation : operations) {
    if (!steady) filling[operation.kind] += 1;
    live_bytes = operation.is_create() ? live_bytes + operation.bytes : live_bytes - operation.bytes;
    steady = steady || live_bytes >= (32U << 20U);
    if (!steady) continue;
    most_bytes = std::max(most_bytes, live_bytes);
    least_bytes = std::min(least_bytes, live_bytes);
  }
  ASSERT_TRUE(steady);
  EXPECT_NEAR(filling[OperationKind::kCreate] / filling[OperationKind::kDelete], 4, 1);
  EXPECT_LE(most_bytes, 40U << 20U);
  EXPECT_GE(least_bytes, 24U << 20U);
}

TEST(Workload, SameSeedSameStreamAndAnotherSeedAnother) {
  for (const WorkloadKind kind : {WorkloadKind::kFsfb, WorkloadKind::kChurn}) {
    WorkloadRequest request = workload_of(kind);
    const auto first = made(request);
    const auto second = made(request);
    request.seed = 2;
    const auto other = made(request);
    EXPECT_EQ(all_of(*first), all_of(*second));
    all_of(*other);
    EXPECT_EQ(first->stream_digest(), second->stream_digest());
    EXPECT_NE(first->stream_digest(), other->stream_digest());
  }
}

TEST(Workload, ChurnTooShortToReachItsFullnessSaysSo) {
  WorkloadRequest request = workload_of(WorkloadKind::kChurn);
  request.ops_count = 50;
  const auto churn = made(request);
  all_of(*churn);
  EXPECT_STREQ(churn->stop_reason({}), "fullness_missed");
  const auto longer = made(workload_of(WorkloadKind::kChurn));
  all_of(*longer);
  EXPECT_STREQ(longer->stop_reason({}), "completed");
}

TEST(Workload, FullnessOutOfRangeIsRefused) {
  EXPECT_EQ(make_workload(workload_of(WorkloadKind::kFsfb, 1.2)).error().code, ErrorCode::kUsage);
  EXPECT_EQ(make_workload(workload_of(WorkloadKind::kChurn, 0)).error().code, ErrorCode::kUsage);
  EXPECT_EQ(make_workload(workload_of(WorkloadKind::kNone, 0.5)).error().code, ErrorCode::kUsage);
}

class WorkloadAging : public testing::Test {
 protected:
  AgeSettings settings() const {
    AgeSettings settings;
    settings.way.threads_count = 2;
    settings.checkpoint_file = folder_ / "checkpoint";
    settings.checkpoint_interval_s = 0;  // at every block
    return settings;
  }

  ScratchFolder folder_;
  Switches switches_;
  CollectingSink sink_;
};

TEST_F(WorkloadAging, ResumesAfterACrashToTheSameTree) {
  for (const WorkloadKind kind : {WorkloadKind::kFsfb, WorkloadKind::kChurn}) {
    MemoryFileSystem undisturbed;
    const auto whole = made(workload_of(kind));
    ASSERT_TRUE(age_file_system(*whole, undisturbed, settings(), sink_, switches_).ok());

    MemoryFileSystem file_system;
    file_system.fault = [](bool, uint64_t operations) { return operations == 1200 ? EIO : 0; };
    const auto broken = made(workload_of(kind));
    ASSERT_FALSE(age_file_system(*broken, file_system, settings(), sink_, switches_).ok());
    file_system.crash();
    file_system.fault = [](bool, uint64_t) { return 0; };

    AgeSettings resumed = settings();
    Result<Checkpoint> checkpoint = read_checkpoint(resumed.checkpoint_file);
    ASSERT_TRUE(checkpoint.ok());
    ASSERT_GT(checkpoint->tick, 0U);
    resumed.resume_from = *checkpoint;
    const auto again = made(workload_of(kind));
    const Status aged = age_file_system(*again, file_system, resumed, sink_, switches_);
    ASSERT_TRUE(aged.ok()) << aged.error().message;
    EXPECT_EQ(file_system.files(), undisturbed.files());
    EXPECT_EQ(again->stream_digest(), whole->stream_digest());
  }
}

TEST_F(WorkloadAging, CheckpointOfAnotherWorkloadIsRefused) {
  MemoryFileSystem file_system;
  ASSERT_TRUE(
      age_file_system(*made(workload_of(WorkloadKind::kFsfb)), file_system, settings(), sink_, switches_)
          .ok());
  AgeSettings resumed = settings();
  resumed.resume_from = *read_checkpoint(resumed.checkpoint_file);
  WorkloadRequest longer = workload_of(WorkloadKind::kFsfb);
  longer.rounds_count = 31;
  const Status aged = age_file_system(*made(longer), file_system, resumed, sink_, switches_);
  ASSERT_FALSE(aged.ok());
  EXPECT_EQ(aged.error().code, ErrorCode::kCheckpointInvalid);
  EXPECT_NE(aged.error().message.find("its workload differs"), std::string::npos);
}

TEST_F(WorkloadAging, BudgetGivenOnTheWayIsRefusedAndTheRunGoesOn) {
  MemoryFileSystem file_system;
  switches_.wishes.add({"max-rmse 0.01", parse_control_line("max-rmse 0.01")});
  ASSERT_TRUE(
      age_file_system(*made(workload_of(WorkloadKind::kChurn)), file_system, settings(), sink_, switches_)
          .ok());
  const auto control = std::find_if(sink_.events.begin(), sink_.events.end(),
                                    [](const auto& event) { return event["type"] == "control"; });
  ASSERT_NE(control, sink_.events.end());
  EXPECT_NE((*control)["message"].get<std::string>().find("no budget"), std::string::npos);
  EXPECT_EQ(sink_.events.back()["stop_reason"], "completed");
}

class Recorded : public WorkloadAging {
 protected:
  std::string log() const { return folder_ / "operations.log"; }
  WorkloadRequest replay(bool survivors = false) const {
    WorkloadRequest request;
    request.kind = WorkloadKind::kReplay;
    request.capacity_bytes = 1ULL << 30U;
    request.log_file = log();
    request.survivors = survivors;
    return request;
  }
  // Records an aging of a profile with every kind of operation, stopped and resumed on the way.
  void record(MemoryFileSystem& file_system) {
    ForecastRequest request = request_of(kSmallCapacityBytes);
    request.mix = {0.1, 0.1, 0.05, 0.1, 0.05};
    const Forecast forecast = forecast_of(built_in_profile("agrawal"), request);
    AgeSettings recording = settings();
    recording.record_file = log();
    file_system.fault = [](bool, uint64_t operations) { return operations == 9000 ? EIO : 0; };
    PlanCourse broken(forecast, {});
    ASSERT_FALSE(age_file_system(broken, file_system, recording, sink_, switches_).ok());
    ASSERT_FALSE(std::filesystem::exists(log()));
    file_system.fault = [](bool, uint64_t) { return 0; };
    recording.resume_from = *read_checkpoint(recording.checkpoint_file);
    PlanCourse course(forecast, recording.resume_from);
    const Status aged = age_file_system(course, file_system, recording, sink_, switches_);
    ASSERT_TRUE(aged.ok()) << aged.error().message;
    digest_ = course.stream_digest();
    live_files_ = course.live_files();
  }

  std::string digest_;
  std::vector<Operation> live_files_;
};

TEST_F(Recorded, ReplayMakesTheSameTreeAndTheSameDigest) {
  MemoryFileSystem original;
  record(original);
  MemoryFileSystem twin;
  const auto course = made(replay());
  const Status aged = age_file_system(*course, twin, settings(), sink_, switches_);
  ASSERT_TRUE(aged.ok()) << aged.error().message;
  EXPECT_EQ(twin.files(), original.files());
  EXPECT_EQ(course->stream_digest(), digest_);
  EXPECT_EQ(course->live_files(), live_files_);
  EXPECT_EQ(sink_.events.back()["disk"]["missing_count"], 0);
}

TEST_F(Recorded, SurvivorsAreWrittenOnceAndInOrder) {
  MemoryFileSystem original;
  record(original);
  MemoryFileSystem twin;
  const auto course = made(replay(/*survivors=*/true));
  ASSERT_TRUE(age_file_system(*course, twin, settings(), sink_, switches_).ok());
  EXPECT_EQ(twin.files(), original.files());
  EXPECT_EQ(twin.operations(), live_files_.size());
}

TEST_F(Recorded, LogThatMakesNoSenseIsRefusedBeforeAnythingIsDone) {
  const DirectoryTree tree;
  const auto refusal = [&](const std::vector<Operation>& operations) {
    auto writer = OperationLogWriter::create(log(), tree);
    EXPECT_TRUE(writer.ok() && (*writer)->add(operations).ok() &&
                (*writer)->finish(std::string(64, '0')).ok());
    const auto course = make_workload(replay());
    EXPECT_FALSE(course.ok());
    if (course.ok()) return std::string();
    EXPECT_EQ(course.error().code, ErrorCode::kLogInvalid);
    return course.error().message;
  };
  const Operation file{1, 4096, 0, OperationKind::kCreate, 0, 0};
  Operation other = file;
  other.kind = OperationKind::kDelete;
  EXPECT_NE(refusal({other}).find("there is no such file"), std::string::npos);
  EXPECT_NE(refusal({file, file}).find("there is such a file already"), std::string::npos);
  other.bytes = 1;
  EXPECT_NE(refusal({file, other}).find("another size"), std::string::npos);
}

TEST_F(Recorded, TheSurvivorsOfAnAgingAreReplayedInTheOrderOfTheirCreates) {
  MemoryFileSystem aged;
  AgeSettings settings;
  settings.survivors_file = log();
  ASSERT_TRUE(age_as_forecast(small_forecast(), aged, settings, sink_, switches_).ok());
  const auto course = made(replay());
  MemoryFileSystem twin;
  ASSERT_TRUE(age_file_system(*course, twin, AgeSettings{}, sink_, switches_).ok());
  EXPECT_EQ(twin.files(), aged.files());
  EXPECT_EQ(sink_.events.back()["delete_ops_count"], 0);
  EXPECT_EQ(sink_.events.back()["create_ops_count"], aged.files().size());
}

TEST_F(Recorded, RealFileSystemsHoldTheSameFiles) {
  PATINA_REQUIRE_ROOT();
  const auto aged_on = [&](const char* type, std::vector<std::string> mkfs, const WorkloadRequest& wanted,
                           const std::string& record) {
    const LoopDevice loop(folder_ / (std::string(type) + ".img"), 512ULL << 20U);
    mkfs.push_back(loop.path());
    require_program(mkfs);
    const Mount mount(loop.path(), folder_ / type, type);
    AgeOptions options;
    options.workload = wanted;
    options.mount = mount.folder();
    options.mode = AgingMode::kUnbounded;
    options.way_changes.threads_count = 2;
    options.settings.record_file = record;
    const Status aged = run_age(options, sink_, switches_);
    EXPECT_TRUE(aged.ok()) << type << ": " << (aged.ok() ? "" : aged.error().message);
    return sink_.events.back();
  };
  WorkloadRequest fsfb = workload_of(WorkloadKind::kFsfb, 0.4);
  fsfb.rounds_count = 103;
  const auto recorded = aged_on("ext4", {"mkfs.ext4", "-q"}, fsfb, log());
  const auto replayed = aged_on("xfs", {"mkfs.xfs", "-q", "-K"}, replay(), "");
  EXPECT_EQ(recorded["plan_digest"], replayed["plan_digest"]);
  EXPECT_EQ(recorded["rounds_count"], 103);
  std::vector<uint64_t> measured_rounds;
  for (const auto& event : sink_.events) {
    if (event["type"] == "layout" && !event["rounds_count"].is_null()) {
      measured_rounds.push_back(event["rounds_count"]);
    }
  }
  ASSERT_EQ(measured_rounds.size(), 53U);  // every second one, and the last
  EXPECT_EQ(measured_rounds[1], 2U);
  EXPECT_EQ(measured_rounds.back(), 103U);
  for (const auto& summary : {recorded, replayed}) {
    EXPECT_EQ(summary["disk"]["files_count"], summary["live_files_count"]);
    EXPECT_EQ(summary["disk"]["missing_count"], 0);
    EXPECT_EQ(summary["disk"]["stray_count"], 0);
    EXPECT_EQ(summary["disk"]["wrong_size_count"], 0);
  }
}

}  // namespace
}  // namespace patina
