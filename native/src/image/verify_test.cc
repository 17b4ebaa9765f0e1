// Verifying images against their chunks and against devices: every damage is named.
#include "testing/image_testing.h"

namespace patina {
namespace {

class VerifyTest : public ImageTest {
 protected:
  void SetUp() override {
    ImageTest::SetUp();
    if (IsSkipped()) return;
    device_ = make_device("disk");
    ASSERT_TRUE(capture(device_->path()).ok());
  }

  std::unique_ptr<LoopDevice> device_;
};

TEST_F(VerifyTest, AWholeImageOnItsDeviceIsRight) {
  ASSERT_TRUE(verify(store_, device_->path()).ok());
  EXPECT_EQ(figure("image_bytes"), kDeviceBytes);
  EXPECT_EQ(figure("distinct_chunks_count"), 5U);
  EXPECT_FALSE(sink_.last()["generation"].get<std::string>().empty());
  EXPECT_EQ(sink_.events[sink_.events.size() - 2]["done_bytes"], 2 * kDeviceBytes);
}

TEST_F(VerifyTest, ItsEventsAreShapedLikeTheGoldenOnes) {
  ASSERT_TRUE(verify(store_, device_->path()).ok());
  expect_shaped_like_golden(sink_, "verify");
}

TEST_F(VerifyTest, AFlippedBitInAChunkIsNamedAndAllDamageCounted) {
  const std::filesystem::path chunk = a_chunk_file();
  flip_bit(chunk, std::filesystem::file_size(chunk) / 2);
  const Status status = verify(store_);
  expect_code(status, ErrorCode::kChunkCorrupt, chunk.stem());
  EXPECT_NE(status.error().message.find("1 of 5"), std::string::npos) << status.error().message;
  EXPECT_TRUE(verify("", device_->path()).ok()) << "the device is whole";
}

TEST_F(VerifyTest, AMissingChunkIsNamed) {
  const std::filesystem::path chunk = a_chunk_file();
  std::filesystem::remove(chunk);
  expect_code(verify(store_), ErrorCode::kChunkMissing, chunk.stem());
}

TEST_F(VerifyTest, AByteThatWasWrittenToTheDeviceIsFoundWithItsPlace) {
  write_at(device_->path(), 40 * kChunkBytes + 77, "x");
  expect_code(verify(store_, device_->path()), ErrorCode::kVerifyMismatch, std::to_string(40 * kChunkBytes));
}

TEST_F(VerifyTest, AFlippedBitInTheIndexIsNamedByItsDigest) {
  const std::string digest = require_program({"sha256sum", index_}).substr(0, 64);
  const auto verify_digest = [&] {
    return run_verify({.index_file = index_, .store = store_, .index_digest = digest}, sink_, stop_);
  };
  ASSERT_TRUE(verify_digest().ok());
  const std::string whole = read_whole_file(index_);
  for (size_t at = 0; at < whole.size(); at += 97) {
    flip_bit(index_, at);
    expect_code(verify_digest(), ErrorCode::kIndexInvalid, index_);
    write_at(index_, 0, whole);
  }
}

TEST_F(VerifyTest, ADeviceThatIsTooSmallOrBusyIsRefused) {
  const LoopDevice smaller(scratch_ / "smaller", kDeviceBytes - 4096);
  expect_code(verify("", smaller.path()), ErrorCode::kDeviceTooSmall, smaller.path());
  require_program({"mkfs.ext4", "-q", smaller.path()});
  const Mount mount(smaller.path(), scratch_ / "mount", "ext4");
  expect_code(verify("", smaller.path()), ErrorCode::kDeviceBusy, mount.folder());
}

TEST_F(VerifyTest, AStopAndALostReaderCancel) {
  stop_.store(true);
  expect_code(verify(store_), ErrorCode::kCanceled, "stopped");
  stop_.store(false);
  sink_.on_event = [](const auto&) { return false; };
  expect_code(verify(store_), ErrorCode::kCanceled, "stdout is closed");
}

TEST_F(VerifyTest, VerifyingWritesNothing) {
  const std::string before = require_program({"sha256sum", device_->path()});
  ASSERT_TRUE(verify(store_, device_->path()).ok());
  const auto generation = sink_.last()["generation"];
  ASSERT_TRUE(verify(store_, device_->path()).ok());
  EXPECT_EQ(sink_.last()["generation"], generation);
  EXPECT_EQ(require_program({"sha256sum", device_->path()}), before);
}

}  // namespace
}  // namespace patina
