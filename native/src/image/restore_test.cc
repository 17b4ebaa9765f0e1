// Restoring to real loop devices: every byte is replaced; nothing is written from a damaged image.
#include "testing/image_testing.h"

namespace patina {
namespace {

class RestoreTest : public ImageTest {
 protected:
  void SetUp() override {
    ImageTest::SetUp();
    if (IsSkipped()) return;
    source_ = make_device("source");
    target_ = std::make_unique<LoopDevice>(scratch_ / "target", kDeviceBytes);
    ASSERT_TRUE(capture(source_->path()).ok());
  }

  // Fills the target so that a byte which is not written shows.
  void fill_target() { write_at(target_->path(), 0, random_bytes(kDeviceBytes, 99)); }

  std::string target_head() const { return read_whole_file(target_->path()).substr(0, 4096); }

  std::unique_ptr<LoopDevice> source_;
  std::unique_ptr<LoopDevice> target_;
};

TEST_F(RestoreTest, EveryByteOfADirtyDeviceIsReplaced) {
  fill_target();
  ASSERT_TRUE(restore(target_->path()).ok());
  expect_same(target_->path(), source_->path());
  const auto& summary = sink_.last();
  EXPECT_EQ(summary["type"], "summary");
  EXPECT_EQ(summary["device_bytes"], kDeviceBytes);
  EXPECT_EQ(summary["verified_bytes"], kDeviceBytes);
  EXPECT_EQ(summary["written_bytes"].get<uint64_t>() + summary["zeroed_bytes"].get<uint64_t>(), kDeviceBytes);
}

TEST_F(RestoreTest, ItsEventsAreShapedLikeTheGoldenOnes) {
  ASSERT_TRUE(restore(target_->path()).ok());
  expect_shaped_like_golden(sink_, "restore");
}

TEST_F(RestoreTest, OnADeviceKnownToBeZeroOnlyDataAreWritten) {
  ASSERT_TRUE(restore(target_->path(), "zero").ok());
  expect_same(target_->path(), source_->path());
  EXPECT_EQ(figure("zeroed_bytes"), 0U);
  EXPECT_LT(figure("written_bytes"), 5 * kChunkBytes);
}

TEST_F(RestoreTest, OnADeviceKnownToBeZeroNoBlockOfZeroesIsWritten) {
  ASSERT_TRUE(restore(target_->path(), "zero").ok());
  const uint64_t before = figure("written_bytes");
  for (uint32_t block = 0; block < kChunkBytes / 4096; block += 2) {
    write_at(source_->path(), 20 * kChunkBytes + uint64_t{block} * 4096, random_bytes(4096, block));
  }
  ASSERT_TRUE(capture(source_->path()).ok());
  const LoopDevice fresh(scratch_ / "fresh", kDeviceBytes);
  ASSERT_TRUE(restore(fresh.path(), "zero").ok());
  expect_same(fresh.path(), source_->path());
  EXPECT_EQ(figure("written_bytes"), before + kChunkBytes / 2);
}

TEST_F(RestoreTest, OnADeviceThatHoldsAnotherImageOnlyTheDifferenceIsWritten) {
  ASSERT_TRUE(restore(target_->path()).ok());
  const std::string held = std::exchange(index_, scratch_ / "second.caibx");
  write_at(source_->path(), 20 * kChunkBytes, random_bytes(3 * kChunkBytes, 21));
  write_at(source_->path(), 4 * kChunkBytes, std::string(2 * kChunkBytes, '\0'));
  ASSERT_TRUE(capture(source_->path()).ok());
  ASSERT_TRUE(restore(target_->path(), held).ok());
  expect_same(target_->path(), source_->path());
  EXPECT_EQ(figure("written_bytes"), 3 * kChunkBytes);
  EXPECT_EQ(figure("zeroed_bytes"), 2 * kChunkBytes);
}

TEST_F(RestoreTest, AnImageInOtherChunksThanTheOneThatIsHeldIsWrittenWhole) {
  ASSERT_TRUE(restore(target_->path()).ok());
  const std::string held = std::exchange(index_, scratch_ / "second.caibx");
  write_at(source_->path(), 20 * kChunkBytes, random_bytes(3 * kChunkBytes, 21));
  for (const uint64_t chunk_bytes : {kChunkBytes / 2, 4 * kChunkBytes}) {
    ASSERT_TRUE(capture(source_->path(), chunk_bytes).ok());
    ASSERT_TRUE(restore(target_->path(), held).ok());
    expect_same(target_->path(), source_->path());
  }
}

TEST_F(RestoreTest, ADeviceThatDoesNotHoldWhatIsAssumedIsFound) {
  fill_target();
  for (const std::string& assume : {std::string("zero"), index_}) {
    expect_code(restore(target_->path(), assume), ErrorCode::kVerifyMismatch, "--assume");
  }
}

TEST_F(RestoreTest, WhatADeviceThatDropsDataReturnsIsNotCompared) {
  fill_target();
  const Status status = run_restore({.index_file = index_,
                                     .store = store_,
                                     .device = target_->path(),
                                     .assume = index_,  // so that nothing is written
                                     .drops_data = true},
                                    sink_, stop_);
  ASSERT_TRUE(status.ok());
  EXPECT_EQ(figure("verified_bytes"), 0U);
}

TEST_F(RestoreTest, AnIndexOfAnotherDigestIsRefusedUntouched) {
  fill_target();
  const std::string before = target_head();
  const Status status = run_restore({.index_file = index_,
                                     .store = store_,
                                     .device = target_->path(),
                                     .index_digest = std::string(64, '0')},
                                    sink_, stop_);
  expect_code(status, ErrorCode::kIndexInvalid, "should be 0000");
  EXPECT_EQ(target_head(), before);
}

TEST_F(RestoreTest, ZeroesTakeNoSpaceInASandbox) {
  fill_target();
  ASSERT_TRUE(restore(target_->path()).ok());
  struct stat file = {};
  ASSERT_EQ(::stat(target_->backing_file().c_str(), &file), 0);
  EXPECT_LT(static_cast<uint64_t>(file.st_blocks) * 512, kDeviceBytes / 8);
}

TEST_F(RestoreTest, ALargerDeviceKeepsWhatIsPastTheImage) {
  const LoopDevice larger(scratch_ / "larger", kDeviceBytes + (1 << 20));
  const std::string beyond = random_bytes(1 << 20, 12);
  write_at(larger.path(), kDeviceBytes, beyond);
  ASSERT_TRUE(restore(larger.path()).ok());
  const std::string whole = read_whole_file(larger.path());
  EXPECT_EQ(whole.substr(0, kDeviceBytes), read_whole_file(source_->path()));
  EXPECT_EQ(whole.substr(kDeviceBytes), beyond);
}

TEST_F(RestoreTest, ASmallerDeviceIsRefusedUntouched) {
  const LoopDevice smaller(scratch_ / "smaller", kDeviceBytes - 4096);
  expect_code(restore(smaller.path()), ErrorCode::kDeviceTooSmall, smaller.path());
  EXPECT_EQ(read_whole_file(smaller.path()), std::string(kDeviceBytes - 4096, '\0'));
}

TEST_F(RestoreTest, ARegularFileIsRestoredInPlace) {
  write_at(scratch_ / "file", 0, random_bytes(kDeviceBytes + 777, 13));
  ASSERT_TRUE(restore(scratch_ / "file").ok());
  EXPECT_EQ(std::filesystem::file_size(scratch_ / "file"), kDeviceBytes + 777);
  require_program({"cmp", "-n", std::to_string(kDeviceBytes), scratch_ / "file", source_->path()});
}

TEST_F(RestoreTest, WhatCasyncMadeWithItsOwnCutsIsRestored) {
  fill_target();
  std::filesystem::remove(index_);
  write_at(scratch_ / "file", 0, random_bytes(3'000'001, 14));
  write_at(scratch_ / "file", 9'000'000, random_bytes(1'000'003, 15));
  require_program({"casync", "make", "--digest=sha256", "--store=" + store_, index_, scratch_ / "file"});
  ASSERT_TRUE(restore(target_->path()).ok());
  require_program({"cmp", "-n", "10000003", target_->path(), scratch_ / "file"});
}

TEST_F(RestoreTest, AnImageOfOddSizeReachesAFileOfThatSize) {
  std::filesystem::remove(index_);
  write_at(scratch_ / "file", 1'000'000, random_bytes(500'001, 16));
  ASSERT_TRUE(capture(scratch_ / "file").ok());
  write_at(scratch_ / "copy", 0, random_bytes(1'500'001, 17));
  ASSERT_TRUE(restore(scratch_ / "copy").ok());
  expect_same(scratch_ / "copy", scratch_ / "file");
}

TEST_F(RestoreTest, ADeviceHeldExclusivelyIsBusyAndUntouched) {
  fill_target();
  const std::string before = target_head();
  const int holder = ::open(target_->path().c_str(), O_RDONLY | O_EXCL | O_CLOEXEC);
  ASSERT_GE(holder, 0);
  expect_code(restore(target_->path()), ErrorCode::kDeviceBusy, target_->path());
  ::close(holder);
  EXPECT_EQ(target_head(), before);
}

TEST_F(RestoreTest, AMountedDeviceIsBusyAndItsMountIsNamed) {
  require_program({"mkfs.ext4", "-q", target_->path()});
  const Mount mount(target_->path(), scratch_ / "mount", "ext4");
  expect_code(restore(target_->path()), ErrorCode::kDeviceBusy, mount.folder());
  expect_code(restore(target_->backing_file()), ErrorCode::kDeviceBusy, target_->path());
}

TEST_F(RestoreTest, AReadOnlyDeviceIsUnusable) {
  require_program({"blockdev", "--setro", target_->path()});
  const Status status = restore(target_->path());
  require_program({"blockdev", "--setrw", target_->path()});
  expect_code(status, ErrorCode::kDeviceUnusable, "read-only");
}

TEST_F(RestoreTest, AMissingChunkIsNamedBeforeTheDeviceIsTouched) {
  fill_target();
  const std::string before = target_head();
  const std::filesystem::path chunk = a_chunk_file();
  std::filesystem::remove(chunk);
  expect_code(restore(target_->path()), ErrorCode::kChunkMissing, chunk.stem());
  EXPECT_EQ(target_head(), before);
}

TEST_F(RestoreTest, AFlippedBitInAChunkIsNamedWithItsPlace) {
  const std::filesystem::path chunk = a_chunk_file();
  ASSERT_EQ(::chmod(chunk.c_str(), 0600), 0);
  std::string bytes = read_whole_file(chunk);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 0x10);
  write_at(chunk, 0, bytes);
  const Status status = restore(target_->path());
  expect_code(status, ErrorCode::kChunkCorrupt, chunk.stem());
  // The twins lie in chunks 4 and 5 of the device; either may be met first.
  const std::string& message = status.error().message;
  EXPECT_TRUE(message.find(std::to_string(4 * kChunkBytes)) != std::string::npos ||
              message.find(std::to_string(5 * kChunkBytes)) != std::string::npos)
      << message;
}

TEST_F(RestoreTest, AFlippedBitInTheIndexNeverRestoresQuietly) {
  const std::string whole = read_whole_file(index_);
  for (size_t at = 0; at < whole.size(); at += 61) {
    std::string flipped = whole;
    flipped[at] = static_cast<char>(flipped[at] ^ 0x40);
    write_at(index_, 0, flipped);
    const Status status = restore(target_->path());
    if (status.ok()) {
      // Only fields that do not affect the image's bytes: feature bits and the chunk sizes' bounds.
      EXPECT_LT(at, 48U);
      expect_same(target_->path(), source_->path());
    }
  }
}

TEST_F(RestoreTest, ADeviceThatGivesBackOtherBytesIsFound) {
  // While the written half is reported, another writer changes the backing file directly.
  sink_.on_event = [this](const nlohmann::ordered_json& event) {
    if (event["type"] == "progress" && event["done_bytes"] == kDeviceBytes) {
      write_at(target_->backing_file(), 4 * kChunkBytes + 100, "x");
    }
    return true;
  };
  expect_code(restore(target_->path()), ErrorCode::kVerifyMismatch, std::to_string(4 * kChunkBytes));
}

TEST_F(RestoreTest, AZeroThatIsNotThereIsFound) {
  sink_.on_event = [this](const nlohmann::ordered_json& event) {
    if (event["type"] == "progress" && event["done_bytes"] == kDeviceBytes) {
      write_at(target_->backing_file(), 30 * kChunkBytes + 5000, "x");
    }
    return true;
  };
  expect_code(restore(target_->path()), ErrorCode::kVerifyMismatch, "does not hold the image");
}

TEST_F(RestoreTest, ASandboxWhoseFileLostItsEndIsAnIoErrorAndNotVerifiedZeroes) {
  std::filesystem::remove(index_);
  write_at(scratch_ / "zeroes", kDeviceBytes - 1, std::string(1, '\0'));
  ASSERT_TRUE(capture(scratch_ / "zeroes").ok());
  ASSERT_EQ(::truncate(target_->backing_file().c_str(), 1 << 20), 0);
  // Zeroing makes no file longer, so that its end cannot be read back.
  expect_code(restore(target_->path()), ErrorCode::kIoError, target_->path());
}

TEST_F(RestoreTest, AFullSandboxIsAnIoError) {
  const Mount tiny("tmpfs", scratch_ / "tiny", "tmpfs", "size=300k");
  const LoopDevice device(tiny.folder() + "/disk", kDeviceBytes);
  expect_code(restore(device.path()), ErrorCode::kIoError, device.path());
}

TEST_F(RestoreTest, AStoreThatIsNotThereIsAnIoError) {
  store_ = scratch_ / "elsewhere";
  expect_code(restore(target_->path()), ErrorCode::kStoreIoError, store_);
}

TEST_F(RestoreTest, AnIndexThatIsNotThereIsInvalid) {
  index_ = scratch_ / "elsewhere.caibx";
  expect_code(restore(target_->path()), ErrorCode::kIndexInvalid, index_);
}

TEST_F(RestoreTest, AStopAndALostReaderCancel) {
  stop_.store(true);
  expect_code(restore(target_->path()), ErrorCode::kCanceled, target_->path());
  stop_.store(false);
  sink_.on_event = [](const nlohmann::ordered_json& event) { return event["type"] != "progress"; };
  expect_code(restore(target_->path()), ErrorCode::kCanceled, "stdout is closed");
}

TEST_F(RestoreTest, AStopBetweenWritingAndVerifyingSaysWhatTheDeviceHolds) {
  sink_.on_event = [this](const nlohmann::ordered_json& event) {
    if (event["type"] == "progress") stop_.store(true);
    return true;
  };
  expect_code(restore(target_->path()), ErrorCode::kCanceled, target_->path());
}

}  // namespace
}  // namespace patina
