// What the layout of a real, fragmented file system says, against the file system's own tools.
#include "layout.h"

#include <nlohmann/json.hpp>

#include "device_testing.h"

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
  const Result<FreeExtents> result = measure_free_extents(fd);
  ::close(fd);
  EXPECT_TRUE(result.ok());
  return result.ok() ? *result : FreeExtents{};
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

TEST(LayoutTest, BtrfsIsRefusedByName) {
  PATINA_REQUIRE_ROOT();
  const ScratchFolder scratch;
  const LoopDevice device(scratch / "disk", kDeviceBytes);
  require_program({"mkfs.btrfs", "-q", "-K", device.path()});
  const Mount mount(device.path(), scratch / "mount", "btrfs");
  CollectingSink sink;
  const std::atomic<bool> stop{false};
  const Status status = run_layout({.mount = mount.folder()}, sink, stop);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::kLayoutUnsupported);
  EXPECT_NE(status.error().message.find("btrfs"), std::string::npos);
}

TEST(LayoutTest, AFileSystemWithoutGetfsmapIsRefused) {
  CollectingSink sink;
  const std::atomic<bool> stop{false};
  const Status status = run_layout({.mount = "/proc"}, sink, stop);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::kLayoutUnsupported);
}

TEST(LayoutTest, ACommandReportsHelloThenTheLayout) {
  PATINA_REQUIRE_ROOT();
  const ScratchFolder scratch;
  const LoopDevice device(scratch / "disk", kDeviceBytes);
  require_program({"mkfs.ext4", "-q", device.path()});
  const Mount mount(device.path(), scratch / "mount", "ext4");
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

TEST(LayoutTest, AMissingMountIsNamed) {
  CollectingSink sink;
  const std::atomic<bool> stop{false};
  const Status status = run_layout({.mount = "/nowhere/at/all"}, sink, stop);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::kMountUnusable);
  EXPECT_NE(status.error().message.find("/nowhere/at/all"), std::string::npos);
}

}  // namespace
}  // namespace patina
