#include "trace/trace.h"

#include <gtest/gtest.h>
#include <linux/fs.h>

#include <random>

#include "device/device_generation.h"
#include "testing/trace_testing.h"

namespace patina {
namespace {

struct TracedKind {
  const char* type;
  std::vector<std::string> mkfs;
  uint64_t device_bytes;
};

// Writes pieces that are no whole blocks, in place, with a journal commit every few of them.
void write_randomly(const std::string& file, int count) {
  std::mt19937 generator(11);
  const std::string bytes = random_bytes(7168, 3);
  const int fd = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  for (int i = 0; i < count; ++i) {
    const auto at = static_cast<off_t>(generator() % (24U << 20U));
    EXPECT_EQ(::pwrite(fd, bytes.data(), bytes.size(), at), static_cast<ssize_t>(bytes.size()));
    EXPECT_TRUE(i % 16 != 0 || ::fsync(fd) == 0);
  }
  ::close(fd);
}

class TraceOnFileSystem : public testing::TestWithParam<TracedKind> {
 protected:
  void SetUp() override { PATINA_REQUIRE_ROOT(); }

  void make_file_system(const std::string& device) const {
    std::vector<std::string> command = GetParam().mkfs;
    command.push_back(device);
    require_program(command);
  }
  std::unique_ptr<Mount> mount(const std::string& device, const char* options = "") const {
    return std::make_unique<Mount>(device, scratch_ / "mount", GetParam().type, options);
  }
  // Traces what `work` does to the device, and compares the trace with the changed blocks.
  void expect_all_seen(const std::string& device, const char* what, const std::function<void()>& work) {
    SCOPED_TRACE(what);
    const std::string before = scratch_ / "before";
    require_program({"cp", "--sparse=always", device, before});
    const uint64_t device_bytes = std::filesystem::file_size(before);
    RunningTrace trace({.device = device, .trace_file = scratch_ / "trace"});
    ASSERT_TRUE(trace.armed()) << trace.end().error().message;
    work();
    const Delta delta = trace.delta(device_bytes);
    expect_shaped_like_golden(trace.sink, "trace");
    EXPECT_EQ(delta.incomplete_reason, "");
    EXPECT_EQ(delta.generation_end, *device_generation(device));
    EXPECT_NE(delta.generation_begin, delta.generation_end);
    const std::vector<uint64_t> differing = differing_blocks(before, device);
    EXPECT_FALSE(differing.empty());
    uint64_t missed_count = 0;
    for (const uint64_t block : differing) missed_count += holds_block(delta, block) ? 0 : 1;
    EXPECT_EQ(missed_count, 0U) << "of " << differing.size();
  }
  void expect_all_seen_of_everything(const std::string& device) {
    expect_all_seen(device, "random writes",
                    [&] { write_randomly(mount(device)->folder() + "/file", 1000); });
    expect_all_seen(device, "a new tree", [&] { make_tree(mount(device)->folder()); });
    expect_all_seen(device, "a removed tree", [&] {
      const auto mounted = mount(device);
      std::filesystem::remove_all(mounted->folder() + "/folder3");
    });
    expect_all_seen(device, "discards at once", [&] {
      const auto mounted = mount(device, "discard");
      std::filesystem::remove_all(mounted->folder() + "/folder5");
      std::filesystem::remove_all(mounted->folder() + "/file");
      write_randomly(mounted->folder() + "/second", 100);
    });
    expect_all_seen(device, "fstrim", [&] {
      const auto mounted = mount(device);
      std::filesystem::remove_all(mounted->folder() + "/folder1");
      require_program({"fstrim", mounted->folder()});
    });
    expect_all_seen(device, "sectors", [&] {
      for (const uint64_t sector : {9UL, 1021UL, 2048UL, 30001UL, 65535UL}) {
        write_at(device, sector * 512, random_bytes(512, static_cast<uint32_t>(sector)));
      }
    });
    expect_all_seen(device, "another file system", [&] { require_program({"mkfs.ext4", "-qF", device}); });
  }

  ScratchFolder scratch_;
};

TEST_P(TraceOnFileSystem, SeesEveryBlockThatChanges) {
  const LoopDevice loop(scratch_ / "device.img", GetParam().device_bytes);
  make_file_system(loop.path());
  expect_all_seen_of_everything(loop.path());
}

TEST_P(TraceOnFileSystem, SeesEveryBlockOfAPartitionThatChanges) {
  const LoopDevice loop(scratch_ / "device.img", GetParam().device_bytes + (8 << 20));
  const LoopPartition partition(loop, 3 << 20, GetParam().device_bytes);
  make_file_system(partition.path());
  expect_all_seen_of_everything(partition.path());
}

TEST_P(TraceOnFileSystem, TellsMetadataFromData) {
  constexpr uint64_t kDataBytes = 4 << 20;
  const LoopDevice loop(scratch_ / "device.img", GetParam().device_bytes);
  make_file_system(loop.path());
  RunningTrace trace({.device = loop.path(), .trace_file = scratch_ / "trace"});
  {
    const auto mounted = mount(loop.path());
    write_at(mounted->folder() + "/file", 0, random_bytes(kDataBytes, 1));
    make_tree(mounted->folder());
  }
  ASSERT_TRUE(trace.end().ok());
  const auto written = trace.sink.last()["written_bytes"].get<uint64_t>();
  const auto metadata = trace.sink.last()["metadata_written_bytes"].get<uint64_t>();
  EXPECT_GT(metadata, 0U);
  EXPECT_GE(written - metadata, kDataBytes);
}

INSTANTIATE_TEST_SUITE_P(Kinds, TraceOnFileSystem,
                         testing::Values(TracedKind{"ext4", {"mkfs.ext4", "-q"}, 128ULL << 20U},
                                         TracedKind{"xfs", {"mkfs.xfs", "-q", "-f"}, 320ULL << 20U}),
                         [](const auto& kind) { return std::string(kind.param.type); });

class TraceTest : public testing::Test {
 protected:
  void SetUp() override { PATINA_REQUIRE_ROOT(); }

  TraceOptions options(const std::string& device) const {
    return {.device = device, .trace_file = scratch_ / "trace"};
  }
  static std::vector<std::pair<uint64_t, uint64_t>> sectors_of(const Delta& delta) {
    std::vector<std::pair<uint64_t, uint64_t>> sectors;
    for (const ByteRange& extent : delta.extents) {
      sectors.emplace_back(extent.begin_bytes / 512, extent.end_bytes / 512);
    }
    return sectors;
  }

  static constexpr uint64_t kSmallBytes = (32ULL << 20U) + 512;
  using Sectors = std::vector<std::pair<uint64_t, uint64_t>>;
  ScratchFolder scratch_;
};

TEST_F(TraceTest, RoundsOutToBlocksAndKeepsTheLastOneShort) {
  const LoopDevice loop(scratch_ / "device.img", kSmallBytes);
  RunningTrace trace(options(loop.path()));
  write_at(loop.path(), 9 * 512, std::string(512, 'x'));
  write_at(loop.path(), kSmallBytes - 512, std::string(512, 'x'));
  EXPECT_EQ(sectors_of(trace.delta(kSmallBytes)), (Sectors{{8, 16}, {65536, 65537}}));
}

// Reads pieces of the device past the page cache, in this order.
void read_pieces(const std::string& path, const std::vector<uint64_t>& pieces) {
  constexpr size_t kPieceBytes = 16384;
  const int fd = ::open(path.c_str(), O_RDONLY | O_DIRECT | O_CLOEXEC);
  ASSERT_GE(fd, 0);
  void* const buffer = ::aligned_alloc(4096, kPieceBytes);
  for (const uint64_t piece : pieces) {
    EXPECT_EQ(::pread(fd, buffer, kPieceBytes, static_cast<off_t>(piece * kPieceBytes)),
              static_cast<ssize_t>(kPieceBytes));
  }
  ::free(buffer);
  ::close(fd);
}

TEST_F(TraceTest, CountsTheJumpsBetweenReads) {
  const LoopDevice loop(scratch_ / "device.img", kSmallBytes);
  const auto jumps = [&](const std::vector<uint64_t>& pieces) {
    RunningTrace trace(options(loop.path()));
    read_pieces(loop.path(), pieces);
    EXPECT_TRUE(trace.end().ok());
    const nlohmann::ordered_json& summary = trace.sink.last();
    EXPECT_EQ(summary["reads_count"], pieces.size());
    EXPECT_EQ(summary["read_bytes"], pieces.size() * 16384);
    return summary["read_jumps_count"].get<uint64_t>();
  };
  EXPECT_EQ(jumps({0, 1, 2, 3, 4, 5}), 1U);
  EXPECT_EQ(jumps({5, 4, 3, 2, 1, 0}), 6U);
  EXPECT_EQ(jumps({10, 11, 2, 3, 12}), 3U);
}

TEST_F(TraceTest, SeesDiscardsAndZeroes) {
  const LoopDevice loop(scratch_ / "device.img", kSmallBytes);
  RunningTrace trace(options(loop.path()));
  const int fd = ::open(loop.path().c_str(), O_RDWR | O_CLOEXEC);
  std::array<uint64_t, 2> discarded = {1 << 20, 8192};
  EXPECT_EQ(::ioctl(fd, BLKDISCARD, discarded.data()), 0);
  std::array<uint64_t, 2> zeroed = {2 << 20, 4096};
  EXPECT_EQ(::ioctl(fd, BLKZEROOUT, zeroed.data()), 0);
  ::close(fd);
  EXPECT_EQ(sectors_of(trace.delta(kSmallBytes)), (Sectors{{2048, 2064}, {4096, 4104}}));
}

TEST_F(TraceTest, OfAPartitionCountsFromItsStartAndOfItsDiskFromTheDisks) {
  const LoopDevice loop(scratch_ / "device.img", kSmallBytes);
  const LoopPartition partition(loop, 1 << 20, 16 << 20);
  {
    RunningTrace trace(options(partition.path()));
    write_at(partition.path(), 8192, std::string(4096, 'p'));
    write_at(loop.path(), (1 << 20) + 4096 * 5, std::string(4096, 'd'));
    write_at(loop.path(), 30 << 20, std::string(4096, 'd'));
    write_at(loop.path(), 4096, std::string(4096, 'd'));
    EXPECT_EQ(sectors_of(trace.delta(16 << 20)), (Sectors{{16, 24}, {40, 48}}));
  }
  RunningTrace trace(options(loop.path()));
  write_at(partition.path(), 8192, std::string(4096, 'q'));
  EXPECT_EQ(sectors_of(trace.delta(kSmallBytes)), (Sectors{{2048 + 16, 2048 + 24}}));
}

TEST_F(TraceTest, OfTwoDevicesDoNotMix) {
  const LoopDevice first(scratch_ / "first.img", kSmallBytes);
  const LoopDevice second(scratch_ / "second.img", kSmallBytes);
  RunningTrace trace_of_first(options(first.path()));
  RunningTrace trace_of_second({.device = second.path(), .trace_file = scratch_ / "second.trace"});
  for (uint64_t i = 0; i < 100; ++i) {
    write_at(first.path(), i * 16384, "a");
    write_at(second.path(), i * 16384 + 8192, "b");
  }
  const Delta of_first = trace_of_first.delta(kSmallBytes);
  const Delta of_second = trace_of_second.delta(kSmallBytes);
  EXPECT_TRUE(of_first.complete() && of_second.complete());
  ASSERT_EQ(of_first.extents.size(), 100U);
  ASSERT_EQ(of_second.extents.size(), 100U);
  for (uint64_t i = 0; i < 100; ++i) {
    EXPECT_EQ(of_first.extents[i].begin_bytes, i * 16384);
    EXPECT_EQ(of_second.extents[i].begin_bytes, i * 16384 + 8192);
  }
}

TEST_F(TraceTest, StaysSmallHoweverOftenABlockIsTouched) {
  const LoopDevice loop(scratch_ / "device.img", kSmallBytes);
  RunningTrace trace(options(loop.path()));
  for (int i = 0; i < 2000; ++i) write_at(loop.path(), 4096, random_bytes(512, static_cast<uint32_t>(i)));
  const Delta delta = trace.delta(kSmallBytes);
  EXPECT_GE(delta.events_count, 4000U);
  EXPECT_EQ(delta.touched_bytes(), 4096U);
  EXPECT_LT(std::filesystem::file_size(scratch_ / "trace"), 2000U);
}

TEST_F(TraceTest, ReportsProgressAndTakesTheGenerationAtItsWord) {
  const LoopDevice loop(scratch_ / "device.img", kSmallBytes);
  TraceOptions expecting = options(loop.path());
  expecting.generation = *device_generation(loop.path());
  {
    RunningTrace trace(expecting);
    trace.wait_for_progress();
    EXPECT_EQ(trace.delta(kSmallBytes).incomplete_reason, "");
    EXPECT_EQ(trace.sink.events[1]["generation"], expecting.generation);
    EXPECT_EQ(trace.sink.events[2]["type"], "progress");
    expect_shaped_like_golden(trace.sink, "trace");
  }
  write_at(loop.path(), 4096, "before it is armed");
  RunningTrace trace(expecting);
  ASSERT_TRUE(trace.armed());
  const Delta delta = trace.delta(kSmallBytes);
  EXPECT_EQ(delta.incomplete_reason, "device_changed_before");
  EXPECT_EQ(trace.sink.last()["complete"], false);
  const std::string after = *device_generation(loop.path());
  EXPECT_EQ(delta.generation_end, after);
  write_at(loop.path(), 4096, "after the stop");
  EXPECT_NE(*device_generation(loop.path()), after);
}

TEST_F(TraceTest, IsPrintedByBlkparse) {
  const LoopDevice loop(scratch_ / "device.img", kSmallBytes);
  TraceOptions as_blktrace = options(loop.path());
  as_blktrace.trace_file = scratch_ / "trace.blktrace.0";
  RunningTrace trace(as_blktrace);
  write_at(loop.path(), 8192, std::string(4096, 'x'));
  write_at(loop.path(), 65536, std::string(8192, 'x'));
  const Delta own = trace.delta(kSmallBytes);
  const std::string printed = require_program({"blkparse", "-q", "-D", scratch_.path(), "-i", "trace"});
  EXPECT_NE(printed.find("Q   W 16 + 8 "), std::string::npos) << printed;
  EXPECT_NE(printed.find("\"type\":\"patina_trace_end\""), std::string::npos) << printed;
  std::ofstream(scratch_ / "text") << require_program({"blkparse", "-D", scratch_.path(), "-i", "trace"});
  CollectingSink sink;
  ASSERT_TRUE(run_delta({.trace_files = {scratch_ / "text"},
                         .device_bytes = kSmallBytes,
                         .delta_file = scratch_ / "delta",
                         .assume_complete = true},
                        sink)
                  .ok());
  EXPECT_EQ(sectors_of(*read_delta(scratch_ / "delta")), sectors_of(own));
}

}  // namespace
}  // namespace patina
