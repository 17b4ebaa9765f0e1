// Agings of every supported kind of file system: a mix of operations, and files filled in place.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <memory>
#include <vector>

#include "age/age.h"
#include "executor/materialize.h"
#include "executor/posix_file_system.h"
#include "model/plan.h"
#include "testing/device_testing.h"
#include "testing/profile_testing.h"

namespace patina {
namespace {

struct Kind {
  const char* type;
  std::vector<std::string> mkfs;
  const char* mount_options;
};

class AgingOf : public testing::TestWithParam<Kind> {
 protected:
  void SetUp() override {
    PATINA_REQUIRE_ROOT();
    loop_ = std::make_unique<LoopDevice>(scratch_ / "device.img", 512ULL << 20U);
    std::vector<std::string> command = GetParam().mkfs;
    command.push_back(loop_->path());
    require_program(command);
    mount_ =
        std::make_unique<Mount>(loop_->path(), scratch_ / "mount", GetParam().type, GetParam().mount_options);
  }

  AgeOptions options() const {
    AgeOptions options;
    options.forecast.profile_file = built_in_profile_file("agrawal");
    options.forecast.request.fullness = 0.5;
    options.forecast.request.horizon_ops_count = 20'000;
    options.mount = mount_->folder();
    options.mode = AgingMode::kUnbounded;
    options.way_changes.threads_count = 2;
    return options;
  }

  ScratchFolder scratch_;
  std::unique_ptr<LoopDevice> loop_;
  std::unique_ptr<Mount> mount_;
};

struct Placed {
  std::vector<uint64_t> blocks;  // physical, in logical order, in units of 4 KiB
  uint64_t unwritten_extents_count = 0;
};

Placed placed(const std::filesystem::path& file) {
  Placed result;
  const Descriptor fd(open(file.c_str(), O_RDONLY | O_CLOEXEC));
  constexpr uint32_t kMostExtents = 8192;  // 32 MiB of single blocks
  std::vector<char> buffer(sizeof(fiemap) + kMostExtents * sizeof(fiemap_extent), 0);
  auto* query = reinterpret_cast<fiemap*>(buffer.data());
  query->fm_length = FIEMAP_MAX_OFFSET;
  query->fm_flags = FIEMAP_FLAG_SYNC;
  query->fm_extent_count = kMostExtents;
  EXPECT_EQ(ioctl(fd.get(), FS_IOC_FIEMAP, query), 0) << file;
  EXPECT_LT(query->fm_mapped_extents, kMostExtents);
  for (uint32_t i = 0; i < query->fm_mapped_extents; ++i) {
    const fiemap_extent& extent = query->fm_extents[i];
    if ((extent.fe_flags & FIEMAP_EXTENT_UNWRITTEN) != 0) ++result.unwritten_extents_count;
    for (uint64_t at = 0; at < extent.fe_length; at += 4096)
      result.blocks.push_back((extent.fe_physical + at) / 4096);
  }
  return result;
}

std::map<std::string, Placed> all_placed(const std::string& folder) {
  std::map<std::string, Placed> result;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) result[entry.path().string()] = placed(entry.path());
  }
  return result;
}

TEST_P(AgingOf, AMixWithDrawnSizesIsOnTheDiskAsTheModelHasIt) {
  AgeOptions mixed = options();
  mixed.forecast.request.mix = {
      .append = 0.1, .overwrite = 0.1, .truncate = 0.06, .rename = 0.1, .punch_hole = 0.06};
  mixed.forecast.request.size_draw = SizeDraw::kLogUniform;
  CollectingSink sink;
  const Status aged = run_age(mixed, sink, Switches{});
  ASSERT_TRUE(aged.ok()) << aged.error().message;
  const auto& summary = sink.last();
  EXPECT_GT(summary["modification_ops_count"].get<int>(), 5000);
  EXPECT_EQ(summary["disk"]["files_count"], summary["live_files_count"]);
  EXPECT_EQ(summary["disk"]["lacking_count"], 0);
  for (const char* histogram : {"size", "depth", "age"}) {
    EXPECT_EQ(summary["disk"]["histograms"][histogram]["rmse"], summary["histograms"][histogram]["rmse"])
        << histogram;
  }
  uint64_t holes = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(mount_->folder())) {
    struct stat status{};
    if (!entry.is_regular_file() || stat(entry.path().c_str(), &status) != 0) continue;
    if (static_cast<uint64_t>(status.st_blocks) * 512 + 4096 < static_cast<uint64_t>(status.st_size)) ++holes;
  }
  EXPECT_EQ(holes, 0U) << "a punched hole was not filled again";
}

TEST_P(AgingOf, AGoalOfStatfsIsMetByStatfsAndKeptByAResumedRun) {
  AgeOptions whole = options();
  whole.fullness_of = FullnessOf::kStatfs;
  whole.settings.checkpoint_file = scratch_ / "checkpoint";
  CollectingSink sink;
  const Status aged = run_age(whole, sink, Switches{});
  ASSERT_TRUE(aged.ok()) << aged.error().message;
  const auto summary = sink.last();
  EXPECT_NEAR(summary["fullness_statfs"].get<double>(), 0.5, kFullnessTolerance);
  EXPECT_EQ(summary["fullness_statfs_target"], 0.5);
  EXPECT_LT(summary["fullness_target"].get<double>(), 0.5);
  EXPECT_NE(summary["stop_reason"], "fullness_missed");

  AgeOptions longer = whole;
  longer.resume_file = longer.settings.checkpoint_file;
  longer.forecast.request.horizon_ops_count = 22'000;
  CollectingSink resumed;
  const Status gone_on = run_age(longer, resumed, Switches{});
  ASSERT_TRUE(gone_on.ok()) << gone_on.error().message;
  EXPECT_EQ(resumed.last()["fullness_target"], summary["fullness_target"]);
  EXPECT_EQ(resumed.last()["ops_count"], 22'000);

  longer.fullness_of = FullnessOf::kFiles;
  CollectingSink other;
  EXPECT_EQ(run_age(longer, other, Switches{}).error().code, ErrorCode::kCheckpointInvalid);
}

TEST_P(AgingOf, FilledFilesHoldDataWhereTheirSpaceWas) {
  AgeOptions reserved = options();
  CollectingSink sink;
  ASSERT_TRUE(run_age(reserved, sink, Switches{}).ok());
  const std::map<std::string, Placed> before = all_placed(mount_->folder());

  auto file_system = PosixFileSystem::open(mount_->folder(), /*may_hold_files=*/true);
  (*file_system)->fill_with({.mode = DataMode::kMaterialize});
  ASSERT_TRUE(file_system.ok());
  ForecastRequest request = reserved.forecast.request;
  request.block_size_bytes = (*file_system)->block_size_bytes();
  for (const auto& event : sink.events) {
    if (event["type"] == "plan") request.capacity_bytes = event["capacity_bytes"];
  }
  Planner planner(forecast_of(built_in_profile("agrawal"), request));
  std::vector<Operation> block(4096);
  while (!planner.finished()) planner.next(block);
  ASSERT_TRUE((*file_system)->make_directories(planner.tree()).ok());
  uint64_t done_bytes = 0;
  const Status filled =
      materialize(**file_system, planner.live_files(), 2, [&](const MaterializeProgress& made) {
        done_bytes = made.done_bytes;
        return true;
      });
  ASSERT_TRUE(filled.ok()) << filled.error().message;
  EXPECT_GT(done_bytes, 100ULL << 20U);
  ASSERT_EQ((*file_system)->sync(), 0);

  const std::map<std::string, Placed> after = all_placed(mount_->folder());
  ASSERT_EQ(after.size(), before.size());
  uint64_t moved = 0;
  uint64_t unwritten_before = 0;
  for (const auto& [path, was] : before) {
    const Placed& is = after.at(path);
    unwritten_before += was.unwritten_extents_count;
    if (is.blocks != was.blocks) ++moved;
    EXPECT_EQ(is.unwritten_extents_count, 0U) << path;
  }
  EXPECT_GT(unwritten_before, before.size() / 2);
  EXPECT_EQ(moved, 0U) << "files moved while they were filled";
}

TEST_P(AgingOf, MaterializeAsADataModeEndsWithFilesFullOfData) {
  AgeOptions fills = options();
  fills.settings.data_mode = DataMode::kMaterialize;
  fills.forecast.request.horizon_ops_count = 4000;
  CollectingSink sink;
  const Status aged = run_age(fills, sink, Switches{});
  ASSERT_TRUE(aged.ok()) << aged.error().message;
  EXPECT_EQ(sink.last()["data_mode"], "materialize");
  for (const auto& [path, is] : all_placed(mount_->folder()))
    EXPECT_EQ(is.unwritten_extents_count, 0U) << path;
}

// Each mode on each kind.
class AgingInMode : public testing::TestWithParam<std::tuple<std::vector<std::string>, AgingMode>> {};

TEST_P(AgingInMode, EndsWithReadableFilesOnACleanFileSystem) {
  PATINA_REQUIRE_ROOT();
  const auto& [mkfs, mode] = GetParam();
  const std::string type = mkfs[0].substr(mkfs[0].find('.') + 1);
  const ScratchFolder scratch;
  const LoopDevice loop(scratch / "device.img", 512ULL << 20U);
  std::vector<std::string> make = mkfs;
  make.push_back(loop.path());
  require_program(make);
  CollectingSink sink;
  {
    const Mount mount(loop.path(), scratch / "mount", type.c_str(), way_of(type, mode).mount_options);
    AgeOptions options;
    options.forecast.profile_file = built_in_profile_file("agrawal");
    options.forecast.request.fullness = 0.5;
    options.forecast.request.horizon_ops_count = 3000;
    options.mount = mount.folder();
    options.mode = mode;
    options.settings.data_mode = DataMode::kMaterialize;
    const Status aged = run_age(options, sink, Switches{});
    ASSERT_TRUE(aged.ok()) << aged.error().message;
    for (const auto& [path, placed] : all_placed(mount.folder())) {
      EXPECT_EQ(placed.unwritten_extents_count, 0U) << path;
    }
  }
  EXPECT_EQ(sink.last()["way"]["mode"], aging_mode_name(mode));
  EXPECT_EQ(sink.last()["way"]["writes_files"], way_of(type, mode).writes_files);
  EXPECT_EQ(sink.last()["disk"]["missing_count"], 0);
  if (type.starts_with("ext")) require_program({"e2fsck", "-fn", loop.path()});
}

INSTANTIATE_TEST_SUITE_P(
    All, AgingInMode,
    testing::Combine(testing::Values(std::vector<std::string>{"mkfs.ext2", "-q", "-b", "4096", "-m", "0"},
                                     std::vector<std::string>{"mkfs.ext3", "-q", "-b", "4096", "-m", "0"},
                                     std::vector<std::string>{"mkfs.ext4", "-q", "-b", "4096", "-m", "0"},
                                     std::vector<std::string>{"mkfs.xfs", "-q", "-K"},
                                     std::vector<std::string>{"mkfs.btrfs", "-q", "-K"}),
                     testing::Values(AgingMode::kFaithful, AgingMode::kFast, AgingMode::kReference,
                                     AgingMode::kUnbounded)),
    [](const auto& param_info) {
      const std::string& program = std::get<0>(param_info.param)[0];
      return program.substr(program.find('.') + 1) + "_" + aging_mode_name(std::get<1>(param_info.param));
    });

INSTANTIATE_TEST_SUITE_P(Kinds, AgingOf,
                         testing::Values(Kind{"ext4", {"mkfs.ext4", "-q", "-b", "4096", "-m", "0"}, ""},
                                         Kind{"xfs", {"mkfs.xfs", "-q", "-K"}, ""},
                                         Kind{"btrfs", {"mkfs.btrfs", "-q", "-K"}, ""}),
                         [](const auto& kind) { return std::string(kind.param.type); });

}  // namespace
}  // namespace patina
