// Agings of real ext4 file systems on loop devices, by the program itself and by its parts.
#include "executor/posix_file_system.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <zstd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <set>

#include "age/age.h"
#include "testing/aging_testing.h"
#include "testing/device_testing.h"
#include "testing/profile_testing.h"
#include "testing/test_places.h"

namespace patina {
namespace {

// A fresh ext4 on a loop device, mounted.
class FreshExt4 {
 public:
  explicit FreshExt4(uint64_t bytes, const char* options = "")
      : loop_(folder_ / "device.img", bytes),
        mount_(made(loop_.path()), folder_ / "mount", "ext4", options) {}

  const std::string& folder() const { return mount_.folder(); }
  const std::string& device() const { return loop_.path(); }
  std::string scratch(const std::string& name) const { return folder_ / name; }

 private:
  static std::string made(const std::string& device) {
    require_program({"mkfs.ext4", "-q", "-b", "4096", "-m", "0", device});
    return device;
  }
  ScratchFolder folder_;
  LoopDevice loop_;
  Mount mount_;
};

struct Walked {
  uint64_t files_count = 0;
  uint64_t rounded_bytes = 0;
  uint64_t allocated_bytes = 0;
  std::set<std::string> names;  // with sizes
};

Walked walk(const std::string& folder) {
  Walked walked;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    struct stat found{};
    EXPECT_EQ(stat(entry.path().c_str(), &found), 0);
    ++walked.files_count;
    walked.rounded_bytes += round_up(static_cast<uint64_t>(found.st_size), 4096);
    walked.allocated_bytes += static_cast<uint64_t>(found.st_blocks) * 512;
    walked.names.insert(entry.path().lexically_relative(folder).string() + " " +
                        std::to_string(found.st_size));
  }
  return walked;
}

AgeOptions options_of(const FreshExt4& ext4, double fullness = 0.7) {
  AgeOptions options;
  options.forecast.profile_file = built_in_profile_file("agrawal");
  options.forecast.request.fullness = fullness;
  options.mount = ext4.folder();
  options.mode = AgingMode::kUnbounded;
  options.way_changes.threads_count = 2;
  return options;
}

ErrorCode error_of(const AgeOptions& options) {
  CollectingSink sink;
  const Status aged = run_age(options, sink, Switches{});
  return aged ? ErrorCode::kInternal : aged.error().code;
}

TEST(AgingExt4, WithItsJournalItIsRefusedInAModeThatPromisesNoReuseLag) {
  PATINA_REQUIRE_ROOT();
  const FreshExt4 ext4(64ULL << 20U);
  AgeOptions faithful = options_of(ext4);
  faithful.mode = AgingMode::kFaithful;
  EXPECT_EQ(error_of(faithful), ErrorCode::kMountUnusable);
}

TEST(AgingExt4, WhatIsThereIsWhatTheSummarySays) {
  PATINA_REQUIRE_ROOT();
  const FreshExt4 ext4(256ULL << 20U);
  CollectingSink sink;
  const Status aged = run_age(options_of(ext4), sink, Switches{});
  ASSERT_TRUE(aged.ok()) << aged.error().message;
  const auto& summary = sink.last();
  const Walked walked = walk(ext4.folder());
  EXPECT_EQ(summary["live_files_count"], walked.files_count);
  EXPECT_EQ(summary["live_bytes"], walked.rounded_bytes);
  // A file in many extents has blocks for its extent tree beside its data.
  EXPECT_GE(walked.allocated_bytes, walked.rounded_bytes);
  EXPECT_LT(walked.allocated_bytes, walked.rounded_bytes * 101 / 100);
  EXPECT_EQ(summary["stop_reason"], "converged");
  EXPECT_EQ(summary["no_space_count"], 0);
  EXPECT_NEAR(summary["fullness_statfs"].get<double>(), 0.7, 0.03);
  EXPECT_GT(summary["free_extents"]["extents_count"].get<int>(), 50);
}

TEST(AgingExt4, WhatMkfsNilfs2LeavesInARootIsNoContent) {
  PATINA_REQUIRE_ROOT();
  const FreshExt4 ext4(64ULL << 20U);
  std::ofstream(ext4.folder() + "/.nilfs") << "";
  AgeOptions options = options_of(ext4);
  options.forecast.request.horizon_ops_count = 1;
  EXPECT_NE(error_of(options), ErrorCode::kMountUnusable);
  std::ofstream(ext4.folder() + "/.other") << "";
  EXPECT_EQ(error_of(options), ErrorCode::kMountUnusable);
}

std::vector<nlohmann::ordered_json> of_type(const CollectingSink& sink, const std::string& type) {
  std::vector<nlohmann::ordered_json> found;
  for (const auto& event : sink.events) {
    if (event["type"] == type) found.push_back(event);
  }
  return found;
}

TEST(AgingExt4, ADeviceThatKeepsUpIsSampledTwiceASecond) {
  PATINA_REQUIRE_ROOT();
  const FreshExt4 ext4(256ULL << 20U);
  CollectingSink sink;
  AgeOptions options = options_of(ext4);
  options.forecast.request.horizon_ops_count = 100'000'000;
  options.settings.max_seconds = 4;
  ASSERT_TRUE(run_age(options, sink, Switches{}).ok());
  const auto samples = of_type(sink, "sample");
  ASSERT_GE(samples.size(), 5U);
  std::vector<double> intervals_s;
  for (size_t i = 1; i < samples.size(); ++i) {
    intervals_s.push_back(samples[i]["elapsed_s"].get<double>() - samples[i - 1]["elapsed_s"].get<double>());
  }
  // Takes the median, since another program may take the machine for a while.
  std::ranges::nth_element(intervals_s, intervals_s.begin() + static_cast<ptrdiff_t>(intervals_s.size() / 2));
  EXPECT_LE(intervals_s[intervals_s.size() / 2], 0.5);
}

TEST(AgingExt4, WithTheFreeExtentsItSaysWhereTheyAreAndOnceMoreAtTheEnd) {
  PATINA_REQUIRE_ROOT();
  const FreshExt4 ext4(256ULL << 20U);
  CollectingSink sink;
  AgeOptions options = options_of(ext4);
  options.settings.layout_interval_s = 0.01;
  ASSERT_TRUE(run_age(options, sink, Switches{}).ok());
  const auto layouts = of_type(sink, "layout");
  const auto spaces = of_type(sink, "space");
  ASSERT_GE(layouts.size(), 1U);
  ASSERT_EQ(spaces.size(), layouts.size() + 1);
  for (size_t i = 0; i < spaces.size(); ++i) {
    const auto& beside = i < layouts.size() ? layouts[i] : sink.last();
    EXPECT_EQ(spaces[i]["ops_count"], beside["ops_count"]);
    EXPECT_EQ(spaces[i]["device_bytes"], 256ULL << 20U);
    const auto cells = spaces[i]["free_blocks"].get<std::vector<uint64_t>>();
    EXPECT_EQ(cells.size(), 1024U);
    EXPECT_LE(std::ranges::max(cells) * 4096, spaces[i]["cell_bytes"].get<uint64_t>());
    const uint64_t free_blocks = std::accumulate(cells.begin(), cells.end(), uint64_t{0});
    EXPECT_EQ(free_blocks, beside["free_extents"]["free_blocks_count"]);
  }
}

TEST(AgingExt4, WriteAndSparseLeaveTheSameFilesWithAndWithoutData) {
  PATINA_REQUIRE_ROOT();
  const FreshExt4 written(64ULL << 20U);
  const FreshExt4 sparse(64ULL << 20U);
  CollectingSink sink;
  AgeOptions options = options_of(written);
  options.forecast.request.horizon_ops_count = 4000;
  options.settings.data_mode = DataMode::kWrite;
  ASSERT_TRUE(run_age(options, sink, Switches{}).ok());
  EXPECT_EQ(sink.last()["data_mode"], "write");
  options.mount = sparse.folder();
  options.settings.data_mode = DataMode::kSparse;
  ASSERT_TRUE(run_age(options, sink, Switches{}).ok());
  const Walked with_data = walk(written.folder());
  const Walked without = walk(sparse.folder());
  EXPECT_EQ(with_data.names, without.names);
  EXPECT_GE(with_data.allocated_bytes, with_data.rounded_bytes);
  EXPECT_EQ(without.allocated_bytes, 0U);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(written.folder())) {
    if (!entry.is_regular_file() || entry.file_size() < 4096) continue;
    const std::string bytes = read_whole_file(entry.path().string());
    EXPECT_GT(std::set<char>(bytes.begin(), bytes.end()).size(), 200U) << "compressible";
    break;
  }
}

TEST(AgingExt4, KilledAndResumedItHoldsTheFilesOfAnUndisturbedRun) {
  PATINA_REQUIRE_ROOT();
  const FreshExt4 undisturbed(128ULL << 20U);
  const FreshExt4 killed(128ULL << 20U);
  CollectingSink sink;
  ASSERT_TRUE(run_age(options_of(undisturbed), sink, Switches{}).ok());
  const std::string checkpoint = killed.scratch("checkpoint");
  const std::vector<std::string> command = {
      kCoreProgram,   "age",           "--mode",    "unbounded",
      "--mount",      killed.folder(), "--profile", built_in_profile_file("agrawal"),
      "--fullness",   "0.7",           "--threads", "2",
      "--checkpoint", checkpoint};
  RunningAge aging(command);
  // After its first checkpoint a kill may come at any moment.
  ASSERT_TRUE(aging.reaches(1)) << aging.error_message();
  aging.kill_and_wait();

  std::vector<std::string> again = command;
  again.insert(again.end(), {"--resume", checkpoint});
  const ProgramResult resumed = run_program(again);
  EXPECT_EQ(resumed.exit_code, 0) << resumed.output;
  EXPECT_EQ(walk(killed.folder()).names, walk(undisturbed.folder()).names);
  EXPECT_NE(resumed.output.find(sink.last()["plan_digest"].get<std::string>()), std::string::npos);
}

TEST(AgingExt4, SigtermMeansCheckpointSummaryAndSuccess) {
  PATINA_REQUIRE_ROOT();
  const FreshExt4 ext4(256ULL << 20U);
  const std::string checkpoint = ext4.scratch("checkpoint");
  const std::string gate = ext4.scratch("age.1000");
  ASSERT_EQ(mkfifo(gate.c_str(), 0600), 0);
  RunningAge aging({"env", "PATINA_GATES=" + ext4.scratch(""), kCoreProgram, "age", "--mode", "unbounded",
                    "--mount", ext4.folder(), "--profile", built_in_profile_file("douceur"), "--fullness",
                    "0.7", "--checkpoint", checkpoint});
  {
    const Descriptor held = aging.stands_at(gate);
    ASSERT_TRUE(held.valid()) << aging.error_message();
    aging.signal(SIGTERM);
  }
  EXPECT_EQ(aging.wait_for_exit(), 0) << aging.error_message();
  ASSERT_NE(aging.last("summary"), nullptr);
  EXPECT_EQ((*aging.last("summary"))["stop_reason"], "canceled");
  EXPECT_TRUE(read_checkpoint(checkpoint).ok());
}

TEST(AgingExt4, AFileSystemFilledByOthersIsCountedOrStopsTheRun) {
  PATINA_REQUIRE_ROOT();
  const FreshExt4 ext4(64ULL << 20U);
  const DirectoryTree tree({1});
  Result<std::unique_ptr<PosixFileSystem>> file_system = PosixFileSystem::open(ext4.folder(), false);
  ASSERT_TRUE(file_system.ok());
  ASSERT_TRUE((*file_system)->make_directories(tree).ok());
  EXPECT_EQ((*file_system)->carry_out({.file = 1, .bytes = 1ULL << 40U}), ENOSPC);
  EXPECT_EQ(walk(ext4.folder()).files_count, 0U) << "a refused create left a file";
  EXPECT_EQ((*file_system)->carry_out({.file = 1, .kind = OperationKind::kDelete}), 0)
      << "removing what is gone is fine";
}

TEST(AgingExt4, DoneAgainAModificationFindsAFileThatWasRenamedSince) {
  PATINA_REQUIRE_ROOT();
  const FreshExt4 ext4(64ULL << 20U);
  Result<std::unique_ptr<PosixFileSystem>> file_system = PosixFileSystem::open(ext4.folder(), false);
  (*file_system)->fill_with({.mode = DataMode::kWrite});
  ASSERT_TRUE(file_system.ok());
  ASSERT_TRUE((*file_system)->make_directories(DirectoryTree({1})).ok());
  const auto done = [&file_system](OperationKind kind) {
    return (*file_system)->carry_out({.file = 1, .bytes = 9000, .kind = kind, .place = 30'000});
  };
  ASSERT_EQ(done(OperationKind::kCreate), 0);
  ASSERT_EQ(done(OperationKind::kRename), 0);
  // A power cut leaves the rename but not the append before it, which a resumed run repeats.
  EXPECT_EQ(done(OperationKind::kAppend), 0);
  EXPECT_EQ(done(OperationKind::kRename), 0);
  EXPECT_EQ(walk(ext4.folder()).names, (std::set<std::string>{"g1 9000"}));
}

TEST(AgingExt4, AReadOnlyMountStopsWithReadOnly) {
  PATINA_REQUIRE_ROOT();
  const FreshExt4 ext4(64ULL << 20U, "");
  require_program({"mount", "-o", "remount,ro", ext4.folder()});
  EXPECT_EQ(error_of(options_of(ext4)), ErrorCode::kReadOnly);
}

TEST(AgingExt4, MountsThatCannotBeAgedAreRefused) {
  PATINA_REQUIRE_ROOT();
  const FreshExt4 ext4(64ULL << 20U);
  AgeOptions options = options_of(ext4);
  options.mount = "/nonexistent";
  EXPECT_EQ(error_of(options), ErrorCode::kMountUnusable);
  options.mount = built_in_profile_file("agrawal");
  EXPECT_EQ(error_of(options), ErrorCode::kMountUnusable);
  options.mount = "/";
  EXPECT_EQ(error_of(options), ErrorCode::kMountUnusable);
  options.mount = ext4.folder() + "/lost+found";
  EXPECT_EQ(error_of(options), ErrorCode::kMountUnusable);
  options = options_of(ext4);
  options.settings.checkpoint_file = ext4.folder() + "/checkpoint";
  EXPECT_EQ(error_of(options), ErrorCode::kUsage);
  options = options_of(ext4);
  options.settings.record_file = ext4.folder() + "/operations.log";
  EXPECT_EQ(error_of(options), ErrorCode::kUsage);
  std::filesystem::create_directory(ext4.folder() + "/somebodys");
  EXPECT_EQ(error_of(options_of(ext4)), ErrorCode::kMountUnusable);
}

TEST(AgingExt4, TooFewInodesDoNotFit) {
  PATINA_REQUIRE_ROOT();
  const ScratchFolder folder;
  const LoopDevice loop(folder / "device.img", 64ULL << 20U);
  require_program({"mkfs.ext4", "-q", "-N", "200", loop.path()});
  const Mount mount(loop.path(), folder / "mount", "ext4", "noload");
  AgeOptions options;
  options.forecast.profile_file = built_in_profile_file("agrawal");
  options.mount = mount.folder();
  EXPECT_EQ(error_of(options), ErrorCode::kProfileDoesNotFit);
}

TEST(AgingExt4, WithFewDescriptorsItWorksByPaths) {
  PATINA_REQUIRE_ROOT();
  const FreshExt4 ext4(64ULL << 20U);
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  // Runs in a child process, because a lowered hard limit would persist. 128 are reserved, so some 70
  // directories get handles.
  const pid_t child = fork();
  if (child == 0) {
    const rlimit few{200, 200};
    setrlimit(RLIMIT_NOFILE, &few);
    AgeOptions options = options_of(ext4);
    options.forecast.request.horizon_ops_count = 4000;
    CollectingSink sink;
    _exit(run_age(options, sink, Switches{}).ok() && sink.last()["live_files_count"] > 100 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT_GT(walk(ext4.folder()).files_count, 100U);
}

TEST(AgingExt4, WrittenFilesCompressAsMuchAsWasAskedFor) {
  PATINA_REQUIRE_ROOT();
  for (const double compressible : {0.0, 0.25, 1.0}) {
    const FreshExt4 ext4(64ULL << 20U);
    auto file_system = PosixFileSystem::open(ext4.folder(), false);
    (*file_system)->fill_with({.mode = DataMode::kWrite, .compressible_fraction = compressible});
    ASSERT_TRUE(file_system.ok());
    ASSERT_TRUE((*file_system)->make_directories(DirectoryTree()).ok());
    const Operation file{1, 1'000'000, 0, OperationKind::kCreate, 0, 0};
    ASSERT_EQ((*file_system)->carry_out(file), 0);
    std::ifstream in(ext4.folder() + "/f1", std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    ASSERT_EQ(bytes.size(), file.bytes);
    std::vector<char> packed(ZSTD_compressBound(bytes.size()));
    const auto size =
        static_cast<double>(ZSTD_compress(packed.data(), packed.size(), bytes.data(), bytes.size(), 1));
    EXPECT_NEAR(size / 1e6, 1 - compressible, 0.01);
  }
}

}  // namespace
}  // namespace patina
