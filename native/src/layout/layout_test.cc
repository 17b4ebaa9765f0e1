// The layout of real, fragmented file systems, compared with the file systems' own tools.
#include "layout/layout.h"

#include <memory>
#include <nlohmann/json.hpp>

#include "testing/device_testing.h"

namespace patina {
namespace {

constexpr uint64_t kDeviceBytes = 300 << 20;

uint64_t number_after(const std::string& text, const std::string& label) {
  const size_t at = text.find(label);
  EXPECT_NE(at, std::string::npos) << label << " in: " << text;
  return at == std::string::npos ? 0 : std::strtoull(&text[at + label.size()], nullptr, 10);
}

// The figures e2freefrag prints, from the bitmaps of the unmounted device.
struct E2freefrag {
  uint64_t free_blocks_count = 0;
  uint64_t extents_count = 0;
  uint64_t max_extent_kib = 0;
};

E2freefrag e2freefrag_of(const std::string& device) {
  const std::string output = require_program({"e2freefrag", device});
  return {.free_blocks_count = number_after(output, "Free blocks: "),
          .extents_count = number_after(output, "Num. free extent: "),
          .max_extent_kib = number_after(output, "Max. free extent: ")};
}

FreeExtents measure(const std::string& folder) {
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  EXPECT_EQ(::syncfs(fd), 0);
  const Result<SpaceMap> map = read_space_map(fd);
  ::close(fd);
  EXPECT_TRUE(map.ok());
  return map.ok() ? histogram_of_free_extents(*map) : FreeExtents{};
}

void expect_bins_add_up(const FreeExtents& layout) {
  uint64_t extents = 0;
  uint64_t blocks = 0;
  uint64_t min_blocks = 1;
  for (const FreeExtentBin& bin : layout.bins) {
    EXPECT_EQ(bin.min_blocks, min_blocks);
    EXPECT_GE(bin.blocks_count, bin.extents_count * bin.min_blocks);
    EXPECT_LE(bin.blocks_count, bin.extents_count * (2 * bin.min_blocks - 1));
    extents += bin.extents_count;
    blocks += bin.blocks_count;
    min_blocks *= 2;
  }
  EXPECT_EQ(extents, layout.extents_count);
  EXPECT_EQ(blocks, layout.free_blocks_count);
  EXPECT_GT(layout.bins.back().extents_count, 0U);
}

TEST(LayoutTest, Ext4FreeExtentsAreThoseThatE2freefragCounts) {
  PATINA_REQUIRE_ROOT();
  const ScratchFolder scratch;
  const LoopDevice device(scratch / "disk", kDeviceBytes);
  require_program({"mkfs.ext4", "-q", "-b", "4096", device.path()});
  FreeExtents layout;
  {
    const Mount mount(device.path(), scratch / "mount", "ext4");
    fragment_file_system(mount.folder(), 3000, false);
    layout = measure(mount.folder());
  }
  const E2freefrag judge = e2freefrag_of(device.path());
  EXPECT_GT(layout.extents_count, 500U);
  EXPECT_EQ(layout.free_blocks_count, judge.free_blocks_count);
  EXPECT_EQ(layout.extents_count, judge.extents_count);
  EXPECT_EQ(layout.max_extent_bytes, judge.max_extent_kib * 1024);
  EXPECT_EQ(layout.block_size_bytes, 4096U);
  expect_bins_add_up(layout);
}

TEST(LayoutTest, XfsFreeExtentsAreThoseThatXfsDbCounts) {
  PATINA_REQUIRE_ROOT();
  const ScratchFolder scratch;
  const LoopDevice device(scratch / "disk", kDeviceBytes);
  require_program({"mkfs.xfs", "-q", "-K", "-d", "agcount=4", device.path()});
  {
    const Mount mount(device.path(), scratch / "mount", "xfs");
    fragment_file_system(mount.folder(), 2000, false);
  }
  FreeExtents layout;
  {
    // xfs frees the blocks of deleted files in the background; the first unmount has waited for it.
    const Mount mount(device.path(), scratch / "mount", "xfs");
    layout = measure(mount.folder());
  }
  const std::string output = require_program({"xfs_db", "-r", "-c", "freesp -s", device.path()});
  const uint64_t judge_extents = number_after(output, "total free extents ");
  const uint64_t judge_blocks = number_after(output, "total free blocks ");
  EXPECT_GT(layout.extents_count, 200U);
  EXPECT_NEAR(static_cast<double>(layout.extents_count), static_cast<double>(judge_extents), 32.0);
  EXPECT_NEAR(static_cast<double>(layout.free_blocks_count), static_cast<double>(judge_blocks), 64.0);
  expect_bins_add_up(layout);
}

struct Measured {
  Status status = ok_status();
  nlohmann::ordered_json event;
};

Measured layout_of(const LayoutOptions& options) {
  CollectingSink sink;
  const std::atomic<bool> stop{false};
  Measured measured;
  measured.status = run_layout(options, sink, stop);
  measured.event = sink.last();
  return measured;
}

nlohmann::ordered_json layout_event_of(const LayoutOptions& options) {
  const Measured measured = layout_of(options);
  EXPECT_TRUE(measured.status.ok()) << measured.status.error().message;
  return measured.event;
}

Error error_of(const LayoutOptions& options) {
  const Measured measured = layout_of(options);
  EXPECT_FALSE(measured.status.ok());
  return measured.status.ok() ? Error{ErrorCode::kInternal, ""} : measured.status.error();
}

class LayoutOnEach : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    PATINA_REQUIRE_ROOT();
    device_ = std::make_unique<LoopDevice>(scratch_ / "disk", kDeviceBytes);
    const std::string type = GetParam();
    if (type == "ext4") require_program({"mkfs.ext4", "-q", "-b", "4096", device_->path()});
    if (type == "xfs") require_program({"mkfs.xfs", "-q", "-K", device_->path()});
    if (type == "btrfs") require_program({"mkfs.btrfs", "-q", "-K", device_->path()});
  }
  Mount mounted() const { return Mount(device_->path(), scratch_ / "mount", GetParam()); }

  const ScratchFolder scratch_;
  std::unique_ptr<LoopDevice> device_;
};

uint64_t sum_of(const nlohmann::ordered_json& numbers) {
  uint64_t sum = 0;
  for (const auto& number : numbers) sum += number.get<uint64_t>();
  return sum;
}

TEST_P(LayoutOnEach, TheBlockMapAgreesWithTheFilesAndTheFreeSpace) {
  const Mount mount = mounted();
  fragment_file_system(mount.folder(), 1000, false);
  write_at(mount.folder() + "/written", 0, random_bytes(1 << 20, 1));
  const auto event = layout_event_of({.mount = mount.folder(), .map_cells_count = 100});
  const auto& map = event["block_map"];
  const auto& files = event["files"];
  EXPECT_LE(map["free_blocks"].size(), 100U);
  EXPECT_GE(map["free_blocks"].size(), 95U);
  const uint64_t free_blocks = sum_of(map["free_blocks"]);
  const uint64_t unwritten_blocks = sum_of(map["unwritten_blocks"]);
  EXPECT_EQ(sum_of(map["data_blocks"]), 256U);
  EXPECT_EQ(unwritten_blocks, files["unwritten_blocks_count"].get<uint64_t>());
  EXPECT_EQ(256U + unwritten_blocks, files["blocks_count"].get<uint64_t>());
  EXPECT_EQ(free_blocks + unwritten_blocks + 256U + sum_of(map["metadata_blocks"]),
            map["device_bytes"].get<uint64_t>() / 4096);
  const auto free_for_data = event["free_extents"]["free_blocks_count"].get<uint64_t>();
  if (std::string(GetParam()) == "btrfs") {
    // It has free space that only metadata can use.
    EXPECT_GT(free_blocks, free_for_data);
  } else {
    EXPECT_EQ(free_blocks, free_for_data);
  }
}

TEST_P(LayoutOnEach, AnUnmountedDeviceHasTheSameLayoutAndStaysAsItIs) {
  std::string digest_when_mounted;
  std::string extents_digest_when_mounted;
  {
    const Mount mount = mounted();
    // Not by writing: ext4 keeps blocks beside small written files to itself for as long as it is mounted.
    fragment_file_system(mount.folder(), 1000, false);
    const auto event = layout_event_of({.mount = mount.folder()});
    digest_when_mounted = event["layout_digest"];
    extents_digest_when_mounted = event["files"]["extents_digest"];
  }
  require_program({"cp", "--sparse=always", device_->backing_file(), scratch_ / "before"});
  const auto event = layout_event_of({.device = device_->path()});
  EXPECT_EQ(event["layout_digest"], digest_when_mounted);
  EXPECT_EQ(event["files"]["extents_digest"], extents_digest_when_mounted);
  require_program({"cmp", device_->backing_file(), scratch_ / "before"});
}

TEST_P(LayoutOnEach, DeletedFilesAreGoneFromItAtOnce) {
  const Mount mount = mounted();
  fragment_file_system(mount.folder(), 2000, false);
  const auto first = layout_event_of({.mount = mount.folder()});
  ::usleep(300'000);
  const auto later = layout_event_of({.mount = mount.folder()});
  EXPECT_EQ(first["files"], later["files"]);
  EXPECT_EQ(first["layout_digest"], later["layout_digest"]);
}

TEST_P(LayoutOnEach, WritingDataInPlaceChangesNoExtent) {
  const Mount mount = mounted();
  fragment_file_system(mount.folder(), 600, false);
  const auto before = layout_event_of({.mount = mount.folder()});
  for (const auto& entry : std::filesystem::directory_iterator(mount.folder())) {
    if (!entry.is_regular_file()) continue;
    write_at(entry.path().string(), 0, random_bytes(entry.file_size(), 5));
  }
  const auto after = layout_event_of({.mount = mount.folder()});
  EXPECT_EQ(before["files"]["extents_digest"], after["files"]["extents_digest"]);
  EXPECT_EQ(before["files"]["extents_count"], after["files"]["extents_count"]);
  EXPECT_GT(before["files"]["unwritten_blocks_count"], 0);
  EXPECT_LT(after["files"]["unwritten_blocks_count"], before["files"]["unwritten_blocks_count"]);
}

INSTANTIATE_TEST_SUITE_P(FileSystems, LayoutOnEach, testing::Values("ext4", "xfs", "btrfs"),
                         [](const auto& type) { return std::string(type.param); });

// Their files have no unwritten extents, so that the tests of LayoutOnEach do not apply.
TEST(LayoutTest, Ext2AndExt3HaveTheFreeBlocksThatTheirOwnToolCounts) {
  PATINA_REQUIRE_ROOT();
  for (const std::string type : {"ext2", "ext3"}) {
    const ScratchFolder scratch;
    const LoopDevice device(scratch / "disk", kDeviceBytes);
    require_program({"mkfs." + type, "-q", "-b", "4096", device.path()});
    {
      const Mount mount(device.path(), scratch / "mount", type.c_str());
      fragment_file_system(mount.folder(), 600, true);
    }
    const auto event = layout_event_of({.device = device.path()});
    EXPECT_EQ(event["files"]["files_count"], 300) << type;
    EXPECT_GT(event["free_extents"]["extents_count"], 100) << type;
    const std::string output = require_program({"dumpe2fs", "-h", device.path()});
    const std::string label = "\nFree blocks:";
    EXPECT_EQ(event["free_extents"]["free_blocks_count"],
              std::stoull(output.substr(output.find(label) + label.size())))
        << type;
  }
}

TEST(LayoutTest, AFileSystemThatCannotTellIsRefused) {
  PATINA_REQUIRE_ROOT();
  const ScratchFolder scratch;
  const Mount mount("tmpfs", scratch / "mount", "tmpfs");
  EXPECT_EQ(error_of({.mount = mount.folder()}).code, ErrorCode::kLayoutUnsupported);
  EXPECT_EQ(error_of({.mount = "/proc"}).code, ErrorCode::kLayoutUnsupported);
}

TEST(LayoutTest, ACommandReportsHelloThenTheLayout) {
  PATINA_REQUIRE_ROOT();
  const ScratchFolder scratch;
  const LoopDevice device(scratch / "disk", kDeviceBytes);
  require_program({"mkfs.ext4", "-q", device.path()});
  const Mount mount(device.path(), scratch / "mount", "ext4");
  write_at(mount.folder() + "/file", 0, random_bytes(9000, 1));
  CollectingSink sink;
  const std::atomic<bool> stop{false};
  ASSERT_TRUE(run_layout({.mount = mount.folder()}, sink, stop).ok());
  ASSERT_EQ(sink.events.size(), 2U);
  EXPECT_EQ(sink.events[0]["type"], "hello");
  EXPECT_EQ(sink.events[1]["type"], "layout");
  expect_shaped_like_golden(sink, "layout");
  const auto& free_extents = sink.events[1]["free_extents"];
  EXPECT_GT(free_extents["free_blocks_count"].get<uint64_t>(), 50000U);
  EXPECT_GT(free_extents["mean_extent_bytes"].get<double>(), 1e6);
}

TEST(LayoutTest, NoCellsAreNoMap) {
  PATINA_REQUIRE_ROOT();
  const ScratchFolder scratch;
  const LoopDevice device(scratch / "disk", kDeviceBytes);
  require_program({"mkfs.ext4", "-q", device.path()});
  const auto event = layout_event_of({.device = device.path(), .map_cells_count = 0});
  EXPECT_TRUE(event["block_map"].is_null());
  EXPECT_EQ(event["layout_digest"].get<std::string>().size(), 64U);
}

TEST(LayoutTest, WhatIsNoMountIsNamed) {
  PATINA_REQUIRE_ROOT();
  const ScratchFolder scratch;
  write_at(scratch / "file", 0, "x");
  for (const std::string& place : {std::string("/nowhere/at/all"), scratch.path(), scratch / "file"}) {
    const Error error = error_of({.mount = place});
    EXPECT_EQ(error.code, ErrorCode::kMountUnusable);
    EXPECT_NE(error.message.find(place), std::string::npos);
  }
}

TEST(LayoutTest, ToldToStopOrUnreadItLeaves) {
  CollectingSink sink;
  const std::atomic<bool> stop{true};
  const Status stopped = run_layout({.mount = "/"}, sink, stop);
  ASSERT_FALSE(stopped.ok());
  EXPECT_EQ(stopped.error().code, ErrorCode::kCanceled);
  const std::atomic<bool> go_on{false};
  sink.on_event = [](const auto&) { return false; };
  EXPECT_EQ(run_layout({.mount = "/"}, sink, go_on).error().code, ErrorCode::kCanceled);
}

TEST(LayoutTest, AReaderThatLeavesBeforeTheLayoutCancelsIt) {
  PATINA_REQUIRE_ROOT();
  const ScratchFolder scratch;
  const LoopDevice device(scratch / "disk", kDeviceBytes);
  require_program({"mkfs.ext4", "-q", device.path()});
  CollectingSink sink;
  sink.on_event = [](const auto& event) { return event["type"] == "hello"; };
  const std::atomic<bool> stop{false};
  EXPECT_EQ(run_layout({.device = device.path()}, sink, stop).error().code, ErrorCode::kCanceled);
}

}  // namespace
}  // namespace patina
