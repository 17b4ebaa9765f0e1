// Rolling real loop devices back: touched blocks are rewritten; in doubt, all blocks are compared.
#include <chrono>
#include <random>
#include <thread>

#include "device/device_generation.h"
#include "image/delta.h"
#include "testing/image_testing.h"

namespace patina {
namespace {

class RollbackTest : public ImageTest {
 protected:
  void SetUp() override {
    ImageTest::SetUp();
    if (IsSkipped()) return;
    device_ = make_device("disk");
    ASSERT_TRUE(capture(device_->path()).ok());
    digest_ = digest_of_device();
  }

  std::string digest_of_device() const {
    return require_program({"sha256sum", device_->path()}).substr(0, 64);
  }

  // Writes as a trial does, and records it as a trace does.
  void touch(uint64_t offset_bytes, const std::string& bytes) {
    write_at(device_->path(), offset_bytes, bytes);
    note(offset_bytes, bytes.size());
  }

  void note(uint64_t offset_bytes, uint64_t length_bytes) {
    const uint64_t begin = offset_bytes / kDeltaBlockBytes * kDeltaBlockBytes;
    const uint64_t end =
        (offset_bytes + length_bytes + kDeltaBlockBytes - 1) / kDeltaBlockBytes * kDeltaBlockBytes;
    delta_.extents.push_back({begin, std::min(end, kDeviceBytes)});
  }

  std::string write_delta_file() {
    std::sort(delta_.extents.begin(), delta_.extents.end(),
              [](const auto& one, const auto& other) { return one.begin_bytes < other.begin_bytes; });
    std::vector<ByteRange> joined;
    for (const ByteRange& extent : delta_.extents) {
      if (!joined.empty() && extent.begin_bytes <= joined.back().end_bytes) {
        joined.back().end_bytes = std::max(joined.back().end_bytes, extent.end_bytes);
      } else {
        joined.push_back(extent);
      }
    }
    delta_.extents = joined;
    delta_.source = "tracefs";
    delta_.device_bytes = kDeviceBytes;
    delta_.generation_end = *device_generation(device_->path());
    EXPECT_TRUE(write_delta(scratch_ / "delta", delta_).ok());
    return scratch_ / "delta";
  }

  Status rollback(const std::string& delta_file, bool verify_all = false) {
    sink_.events.clear();
    return run_rollback({.index_file = index_,
                         .store = store_,
                         .device = device_->path(),
                         .delta_file = delta_file,
                         .verify_all = verify_all,
                         .threads = 3},
                        sink_, stop_);
  }

  void expect_rolled_back(const std::string& compared, const nlohmann::ordered_json& reason = nullptr) const {
    EXPECT_EQ(digest_of_device(), digest_);
    EXPECT_EQ(sink_.last()["compared"], compared);
    EXPECT_EQ(sink_.last()["full_reason"], reason);
  }

  std::unique_ptr<LoopDevice> device_;
  std::string digest_;
  Delta delta_;
};

TEST_F(RollbackTest, OnlyWhatWasTouchedIsRewritten) {
  touch(100, "x");
  touch(4 * kChunkBytes + 5000, random_bytes(9000, 31));
  touch(30 * kChunkBytes, random_bytes(3 * kChunkBytes + 512, 32));
  touch(kDeviceBytes - 1, "y");
  ASSERT_TRUE(rollback(write_delta_file()).ok());
  expect_rolled_back("touched");
  EXPECT_EQ(figure("touched_bytes"), 4096U + 12288 + (3 * kChunkBytes + 4096) + 4096);
  EXPECT_EQ(figure("verified_bytes"), figure("touched_bytes"));
  EXPECT_EQ(figure("written_bytes") + figure("zeroed_bytes"), figure("touched_bytes"));
}

TEST_F(RollbackTest, ItsEventsAreShapedLikeTheGoldenOnes) {
  touch(100, "x");
  ASSERT_TRUE(rollback("").ok());
  expect_shaped_like_golden(sink_, "rollback");
}

TEST_F(RollbackTest, WhatWasZeroTakesNoSpaceAgain) {
  struct stat before = {};
  ASSERT_EQ(::stat(device_->backing_file().c_str(), &before), 0);
  touch(12 * kChunkBytes, random_bytes(40 * kChunkBytes, 33));
  ASSERT_TRUE(rollback(write_delta_file()).ok());
  expect_rolled_back("touched");
  EXPECT_EQ(figure("written_bytes"), 0U);
  struct stat after = {};
  ASSERT_EQ(::stat(device_->backing_file().c_str(), &after), 0);
  EXPECT_LE(after.st_blocks, before.st_blocks);
}

TEST_F(RollbackTest, DiscardedBlocksComeBack) {
  require_program({"blkdiscard", "--offset", std::to_string(4 * kChunkBytes), "--length",
                   std::to_string(2 * kChunkBytes), device_->path()});
  note(4 * kChunkBytes, 2 * kChunkBytes);
  ASSERT_NE(digest_of_device(), digest_);
  ASSERT_TRUE(rollback(write_delta_file()).ok());
  expect_rolled_back("touched");
}

TEST_F(RollbackTest, NothingTouchedIsDoneAtOnce) {
  ASSERT_TRUE(rollback(write_delta_file()).ok());
  expect_rolled_back("touched");
  EXPECT_EQ(figure("written_bytes"), 0U);
}

TEST_F(RollbackTest, AnIncompleteDeltaComparesEverything) {
  touch(100, "x");
  write_at(device_->path(), 50 * kChunkBytes, "the trace lost this");
  write_at(device_->path(), 5 * kChunkBytes + 8192, "and this");
  delta_.incomplete_reason = "dropped_events";
  ASSERT_TRUE(rollback(write_delta_file()).ok());
  expect_rolled_back("full", "dropped_events");
  EXPECT_EQ(figure("verified_bytes"), kDeviceBytes);
  EXPECT_LT(figure("written_bytes"), 4 * 4096U) << "only blocks that differ";
}

TEST_F(RollbackTest, AWriteAfterTheTraceComparesEverything) {
  touch(100, "x");
  const std::string delta_file = write_delta_file();
  write_at(device_->path(), 50 * kChunkBytes, "out of the window");
  ASSERT_TRUE(rollback(delta_file).ok());
  expect_rolled_back("full", "device_changed_since");
}

TEST_F(RollbackTest, AWriteBehindTheDevicesBackComparesEverything) {
  touch(100, "x");
  const std::string delta_file = write_delta_file();
  write_at(device_->backing_file(), 50 * kChunkBytes, "into the file below it");
  ASSERT_TRUE(rollback(delta_file).ok());
  expect_rolled_back("full", "device_changed_since");
}

TEST_F(RollbackTest, WithoutADeltaEverythingIsCompared) {
  write_at(device_->path(), 0, random_bytes(kDeviceBytes, 34));
  ASSERT_TRUE(rollback("").ok());
  expect_rolled_back("full", "no_delta");
}

TEST_F(RollbackTest, ADeltaThatMissedAWriteIsFoundByAFullVerification) {
  touch(100, "x");
  write_at(device_->path(), 50 * kChunkBytes, "missed");
  const std::string delta_file = write_delta_file();
  ASSERT_TRUE(rollback(delta_file).ok());
  EXPECT_NE(digest_of_device(), digest_);
  touch(200, "x");
  expect_code(rollback(write_delta_file(), true), ErrorCode::kVerifyMismatch,
              std::to_string(50 * kChunkBytes));
}

TEST_F(RollbackTest, ADeltaOfAnotherDeviceIsRefused) {
  const std::string delta_file = write_delta_file();
  const auto other = make_device("other", kDeviceBytes + 4096);
  const Status status =
      run_rollback({.index_file = index_, .store = store_, .device = other->path(), .delta_file = delta_file},
                   sink_, stop_);
  expect_code(status, ErrorCode::kTraceInvalid, other->path());
}

TEST_F(RollbackTest, ADamagedDeltaIsRefusedUntouched) {
  touch(100, "x");
  const std::string delta_file = write_delta_file();
  const std::string before = digest_of_device();
  const std::string whole = read_whole_file(delta_file);
  for (size_t at = 0; at < whole.size(); at += 7) {
    flip_bit(delta_file, at);
    expect_code(rollback(delta_file), ErrorCode::kTraceInvalid, "delta");
    write_at(delta_file, 0, whole);
  }
  EXPECT_EQ(digest_of_device(), before);
}

TEST_F(RollbackTest, AMissingOrDamagedChunkIsNamed) {
  touch(4 * kChunkBytes, "x");
  const std::filesystem::path chunk = a_chunk_file();
  flip_bit(chunk, std::filesystem::file_size(chunk) / 2);
  expect_code(rollback(write_delta_file()), ErrorCode::kChunkCorrupt, chunk.stem());
  std::filesystem::remove(chunk);
  expect_code(rollback(write_delta_file()), ErrorCode::kChunkMissing, chunk.stem());
}

TEST_F(RollbackTest, AMountedDeviceIsBusy) {
  require_program({"mkfs.ext4", "-q", device_->path()});
  const Mount mount(device_->path(), scratch_ / "mount", "ext4");
  expect_code(rollback(""), ErrorCode::kDeviceBusy, mount.folder());
}

TEST_F(RollbackTest, AStopIsMendedByRunningItAgain) {
  touch(0, random_bytes(8 * kChunkBytes, 35));
  const std::string delta_file = write_delta_file();
  stop_.store(true);
  expect_code(rollback(delta_file), ErrorCode::kCanceled, "run it again");
  stop_.store(false);
  sink_.on_event = [](const nlohmann::ordered_json& event) { return event["type"] != "progress"; };
  expect_code(rollback(delta_file), ErrorCode::kCanceled, "stdout is closed");
  sink_.on_event = nullptr;
  ASSERT_TRUE(rollback(delta_file).ok());
  expect_rolled_back("full", "device_changed_since");
}

TEST_F(RollbackTest, AnImageThatCasyncCutIsRolledBack) {
  std::filesystem::remove(index_);
  require_program({"casync", "make", "--digest=sha256", "--store=" + store_, index_, device_->path()});
  std::mt19937 generator(36);
  for (int i = 0; i < 40; ++i)
    touch(generator() % (kDeviceBytes - 70'000), random_bytes(generator() % 70'000 + 1, 37));
  ASSERT_TRUE(rollback(write_delta_file()).ok());
  expect_rolled_back("touched");
}

TEST_F(RollbackTest, RandomTrialsInAnyChunksComeBack) {
  std::mt19937 generator(38);
  for (const uint64_t chunk_bytes : {uint64_t{4096}, uint64_t{65536}, kChunkBytes, 8 * kChunkBytes}) {
    ASSERT_TRUE(capture(device_->path(), chunk_bytes).ok());
    for (int trial = 0; trial < 4; ++trial) {
      delta_ = {};
      for (uint32_t i = 0; i < 1 + generator() % 60; ++i) {
        const uint64_t length = generator() % (trial % 2 == 0 ? 5'000 : 900'000) + 1;
        touch(generator() % (kDeviceBytes - length),
              random_bytes(length, static_cast<uint32_t>(generator())));
      }
      note(generator() % (kDeviceBytes / 2), generator() % (kDeviceBytes / 4));  // more than was touched
      ASSERT_TRUE(rollback(write_delta_file(), trial == 3).ok());
      expect_rolled_back("touched");
    }
  }
}

}  // namespace
}  // namespace patina
