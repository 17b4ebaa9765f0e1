// Capturing real loop devices: casync agrees on every byte, holes are not read, a crash or a full store harms
// nothing.
#include <sys/ioctl.h>

#include <ctime>

#include "store/index.h"
#include "testing/image_testing.h"
#include "testing/test_places.h"

namespace patina {
namespace {

using CaptureTest = ImageTest;

TEST_F(CaptureTest, CasyncExtractsTheVeryBytes) {
  const auto device = make_device("disk");
  ASSERT_TRUE(capture(device->path()).ok());
  require_program({"casync", "extract", "--store=" + store_, index_, scratch_ / "out.img"});
  expect_same(scratch_ / "out.img", device->path());
}

TEST_F(CaptureTest, CasyncExtractsAFragmentedExt4OfOddSizeWithOtherChunks) {
  const LoopDevice device(scratch_ / "disk", (100 << 20) + 512 * 7);
  require_program({"mkfs.ext4", "-q", device.path()});
  {
    const Mount mount(device.path(), scratch_ / "mount", "ext4");
    fragment_file_system(mount.folder(), 400, true);
  }
  for (const uint64_t chunk_size_bytes : {4096U, 65536U, 1U << 20}) {
    ASSERT_TRUE(capture(device.path(), chunk_size_bytes).ok());
    std::filesystem::remove(scratch_ / "out.img");
    require_program({"casync", "extract", "--store=" + store_, index_, scratch_ / "out.img"});
    expect_same(scratch_ / "out.img", device.path());
  }
}

TEST_F(CaptureTest, TheSummaryCountsWhatWasDone) {
  const auto device = make_device("disk");
  ASSERT_TRUE(capture(device->path()).ok());
  const auto& summary = sink_.last();
  EXPECT_EQ(sink_.events.front()["type"], "hello");
  EXPECT_EQ(summary["type"], "summary");
  EXPECT_EQ(summary["device_bytes"], kDeviceBytes);
  EXPECT_EQ(summary["chunks_count"], 64);
  // Data: both ends, a piece, a pair of twins; and the zero chunk.
  EXPECT_EQ(summary["distinct_chunks_count"], 5);
  EXPECT_EQ(summary["new_chunks_count"], 5);
  EXPECT_EQ(summary["new_bytes"], summary["stored_bytes"]);
  EXPECT_EQ(summary["zero_bytes"], 59 * kChunkBytes);
  // Holes were not read; written zeroes were, unless the kernel made holes of them.
  EXPECT_GE(summary["read_bytes"], 2 * kChunkBytes + uint64_t{4} * 4096);
  EXPECT_LE(summary["read_bytes"], 4 * kChunkBytes + uint64_t{8} * 4096);
  EXPECT_EQ(summary["index_digest"].get<std::string>(), require_program({"sha256sum", index_}).substr(0, 64));
}

TEST_F(CaptureTest, ItsEventsAreShapedLikeTheGoldenOnes) {
  const auto device = make_device("disk");
  ASSERT_TRUE(capture(device->path()).ok());
  expect_shaped_like_golden(sink_, "capture");
}

TEST_F(CaptureTest, TheSecondCaptureStoresNothingNew) {
  const auto device = make_device("disk");
  ASSERT_TRUE(capture(device->path()).ok());
  const auto first = sink_.last();
  ASSERT_TRUE(capture(device->path()).ok());
  EXPECT_EQ(sink_.last()["new_chunks_count"], 0);
  EXPECT_EQ(sink_.last()["new_bytes"], 0);
  EXPECT_EQ(sink_.last()["stored_bytes"], first["stored_bytes"]);
  EXPECT_EQ(sink_.last()["index_digest"], first["index_digest"]);
}

TEST_F(CaptureTest, ARegularFileIsCapturedLikeADevice) {
  write_at(scratch_ / "file", 3 * kChunkBytes, random_bytes(300000, 5));
  ASSERT_EQ(::truncate((scratch_ / "file").c_str(), static_cast<off_t>(7 * kChunkBytes + 1234)), 0);
  ASSERT_TRUE(capture(scratch_ / "file").ok());
  EXPECT_LT(sink_.last()["read_bytes"], 310000);
  require_program({"casync", "extract", "--store=" + store_, index_, scratch_ / "out.img"});
  expect_same(scratch_ / "out.img", scratch_ / "file");
}

TEST_F(CaptureTest, ALoopDeviceAtAnOffsetKnowsItsHoles) {
  write_at(scratch_ / "disk", 0, random_bytes(1 << 20, 6));
  const LoopDevice device(scratch_ / "disk", 8 << 20, 1 << 20);
  write_at(device.path(), 5 << 20, random_bytes(4096, 7));
  ASSERT_TRUE(capture(device.path()).ok());
  EXPECT_EQ(sink_.last()["read_bytes"], 4096);
  require_program({"casync", "extract", "--store=" + store_, index_, scratch_ / "out.img"});
  expect_same(scratch_ / "out.img", device.path());
}

TEST_F(CaptureTest, ADeletedBackingFileIsReadInFull) {
  const auto device = make_device("disk");
  std::filesystem::remove(device->backing_file());
  ASSERT_TRUE(capture(device->path()).ok());
  EXPECT_EQ(sink_.last()["read_bytes"], kDeviceBytes);
  require_program({"casync", "extract", "--store=" + store_, index_, scratch_ / "out.img"});
  expect_same(scratch_ / "out.img", device->path());
}

TEST_F(CaptureTest, AnotherFileUnderTheBackingFilesNameIsNotBelieved) {
  const auto device = make_device("disk");
  std::filesystem::rename(device->backing_file(), scratch_ / "moved");
  std::filesystem::remove(device->backing_file());
  write_at(device->backing_file(), 0, "an impostor");
  ASSERT_TRUE(capture(device->path()).ok());
  require_program({"casync", "extract", "--store=" + store_, index_, scratch_ / "out.img"});
  expect_same(scratch_ / "out.img", device->path());
}

TEST_F(CaptureTest, AShortenedBackingFileIsAnIoErrorAndNotZeroes) {
  const auto device = make_device("disk");
  ASSERT_EQ(::truncate(device->backing_file().c_str(), 1 << 20), 0);
  expect_code(capture(device->path()), ErrorCode::kIoError, device->path());
  EXPECT_FALSE(std::filesystem::exists(index_));
}

TEST_F(CaptureTest, OfATebibyteWithLittleDataOnlyTheDataIsRead) {
  constexpr uint64_t kTebibyte = uint64_t{1} << 40;
  const LoopDevice device(scratch_ / "disk", kTebibyte);
  write_at(device.path(), kTebibyte / 2, random_bytes(10000, 8));
  ASSERT_TRUE(capture(device.path(), 1 << 20).ok());
  EXPECT_EQ(sink_.last()["chunks_count"], 1 << 20);
  EXPECT_LT(sink_.last()["read_bytes"], 20000);
  EXPECT_TRUE(IndexReader::open(index_).ok());
}

TEST_F(CaptureTest, AFullFileInMemoryCostsNoMoreAByteThanASparseOne) {
  // Finding where the data end takes time in proportion to them; done for each chunk it would take minutes,
  // of the processor's time, which other processes do not lengthen.
  const std::string data = random_bytes(64 << 20, 11);
  for (uint64_t i = 0; i < 6; ++i) write_at(scratch_ / "file", i * data.size(), data);
  const std::clock_t started = std::clock();
  ASSERT_TRUE(capture(scratch_ / "file", 4096).ok());
  EXPECT_LT(std::clock() - started, 60 * CLOCKS_PER_SEC);
  EXPECT_EQ(sink_.last()["read_bytes"], 6 * data.size());
  EXPECT_EQ(sink_.last()["distinct_chunks_count"], data.size() / 4096);
}

TEST_F(CaptureTest, ADeviceHeldExclusivelyIsBusy) {
  const auto device = make_device("disk");
  const int holder = ::open(device->path().c_str(), O_RDONLY | O_EXCL | O_CLOEXEC);
  ASSERT_GE(holder, 0);
  expect_code(capture(device->path()), ErrorCode::kDeviceBusy, "another program");
  ::close(holder);
  EXPECT_FALSE(std::filesystem::exists(store_)) << "a refused capture leaves nothing";
}

TEST_F(CaptureTest, AMountedDeviceIsBusyAndItsMountIsNamed) {
  const LoopDevice device(scratch_ / "disk", 32 << 20);
  require_program({"mkfs.ext4", "-q", device.path()});
  const Mount mount(device.path(), scratch_ / "mount", "ext4");
  expect_code(capture(device.path()), ErrorCode::kDeviceBusy, mount.folder());
  expect_code(capture(device.backing_file()), ErrorCode::kDeviceBusy, device.path());
}

TEST_F(CaptureTest, WhatIsNoDeviceIsUnusable) {
  expect_code(capture(scratch_ / "missing"), ErrorCode::kDeviceUnusable, "missing");
  expect_code(capture(scratch_.path()), ErrorCode::kDeviceUnusable, scratch_.path());
  expect_code(capture("/dev/null"), ErrorCode::kDeviceUnusable, "/dev/null");
  write_at(scratch_ / "empty", 0, "");
  expect_code(capture(scratch_ / "empty"), ErrorCode::kDeviceUnusable, "no size");
}

TEST_F(CaptureTest, OddChunkSizesAreUsageErrors) {
  const auto device = make_device("disk");
  for (const uint64_t size : {0U, 1U, 2048U, 5000U, 32U << 20}) {
    expect_code(capture(device->path(), size), ErrorCode::kUsage, "chunk size");
  }
}

TEST_F(CaptureTest, AFullStoreKeepsTheOldImageAndLeavesNothingOfTheNew) {
  const auto device = make_device("disk");
  const Mount tiny("tmpfs", scratch_ / "tiny", "tmpfs", "size=1m");
  store_ = tiny.folder() + "/store";
  ASSERT_TRUE(capture(device->path()).ok());
  const std::string before = read_whole_file(index_);
  write_at(device->path(), 20 * kChunkBytes, random_bytes(4 * kChunkBytes, 9));
  expect_code(capture(device->path()), ErrorCode::kStoreNoSpace, "full");
  EXPECT_EQ(read_whole_file(index_), before);
  for (const auto& entry : std::filesystem::directory_iterator(store_)) {
    EXPECT_EQ(entry.path().filename().string().size(), 4U) << entry.path();
  }
}

TEST_F(CaptureTest, AFullExt4StoreSaysSoToo) {
  const auto device = make_device("disk");
  write_at(device->path(), 16 * kChunkBytes, random_bytes(8 << 20, 9));
  const LoopDevice store_device(scratch_ / "store-disk", 8 << 20);
  require_program({"mkfs.ext4", "-q", store_device.path()});
  const Mount mount(store_device.path(), scratch_ / "store-mount", "ext4");
  store_ = mount.folder() + "/store";
  expect_code(capture(device->path()), ErrorCode::kStoreNoSpace, "full");
  EXPECT_FALSE(std::filesystem::exists(index_));
}

TEST_F(CaptureTest, AnIndexWithoutSpaceIsAFullStore) {
  const auto device = make_device("disk");
  const Mount tiny("tmpfs", scratch_ / "tiny", "tmpfs", "size=64k");
  index_ = tiny.folder() + "/image.caibx";
  expect_code(capture(device->path(), 4096), ErrorCode::kStoreNoSpace, index_);
  EXPECT_TRUE(std::filesystem::is_empty(tiny.folder()));
}

TEST_F(CaptureTest, AStoreThatIsAFileIsAnIoError) {
  const auto device = make_device("disk");
  write_at(store_, 0, "x");
  expect_code(capture(device->path()), ErrorCode::kStoreIoError, store_);
}

TEST_F(CaptureTest, AStopAndALostReaderCancelAndPublishNothing) {
  const auto device = make_device("disk");
  stop_.store(true);
  expect_code(capture(device->path()), ErrorCode::kCanceled, device->path());
  stop_.store(false);
  sink_.on_event = [](const auto&) { return false; };
  expect_code(capture(device->path()), ErrorCode::kCanceled, "stdout is closed");
  EXPECT_FALSE(std::filesystem::exists(index_));
}

TEST_F(CaptureTest, ADamagedChunkInTheStoreIsHealedByTheNextCapture) {
  const auto device = make_device("disk");
  ASSERT_TRUE(capture(device->path()).ok());
  const std::string chunk = a_chunk_file();
  ASSERT_EQ(::chmod(chunk.c_str(), 0600), 0);
  ASSERT_EQ(::truncate(chunk.c_str(), 0), 0);
  ASSERT_TRUE(capture(device->path()).ok());
  EXPECT_EQ(sink_.last()["new_chunks_count"], 1);
  require_program({"casync", "extract", "--store=" + store_, index_, scratch_ / "out.img"});
  expect_same(scratch_ / "out.img", device->path());
}

}  // namespace
}  // namespace patina
