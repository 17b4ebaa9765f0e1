// Checkpoints: written ones are read back; damaged ones and those of another plan are refused.
#include "executor/checkpoint.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "testing/device_testing.h"
#include "testing/profile_testing.h"

namespace patina {
namespace {

class CheckpointFile : public testing::Test {
 protected:
  void SetUp() override {
    checkpoint_ = checkpoint_of(small_forecast(), DataMode::kFallocate);
    checkpoint_.tick = 1234;
    checkpoint_.stream_digest = std::string(64, 'a');
    checkpoint_.no_space_count = 7;
    checkpoint_.elapsed_s = 1.25;
  }

  std::string text() const { return read_whole_file(file_); }
  void overwrite(const std::string& text) const { std::ofstream(file_, std::ios::trunc) << text; }

  ScratchFolder folder_;
  std::string file_ = folder_ / "run.checkpoint";
  Checkpoint checkpoint_;
};

TEST_F(CheckpointFile, ReadsBackWhatWasWritten) {
  ASSERT_TRUE(write_checkpoint(file_, checkpoint_).ok());
  Result<Checkpoint> read = read_checkpoint(file_);
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->tick, 1234U);
  EXPECT_EQ(read->stream_digest, checkpoint_.stream_digest);
  EXPECT_EQ(read->no_space_count, 7U);
  EXPECT_DOUBLE_EQ(read->elapsed_s, 1.25);
  EXPECT_TRUE(match_checkpoint(*read, checkpoint_).ok());
  EXPECT_FALSE(std::filesystem::exists(file_ + ".tmp"));
}

TEST_F(CheckpointFile, ReplacesTheOneBefore) {
  ASSERT_TRUE(write_checkpoint(file_, checkpoint_).ok());
  checkpoint_.tick = 5678;
  ASSERT_TRUE(write_checkpoint(file_, checkpoint_).ok());
  EXPECT_EQ(read_checkpoint(file_)->tick, 5678U);
}

TEST_F(CheckpointFile, TruncatedAnywhereItIsInvalid) {
  ASSERT_TRUE(write_checkpoint(file_, checkpoint_).ok());
  const std::string whole = text();
  for (size_t size = 0; size + 2 < whole.size(); size += 13) {
    overwrite(whole.substr(0, size));
    Result<Checkpoint> read = read_checkpoint(file_);
    ASSERT_FALSE(read.ok()) << size;
    EXPECT_EQ(read.error().code, ErrorCode::kCheckpointInvalid);
  }
}

TEST_F(CheckpointFile, GarbageIsInvalid) {
  for (const char* garbage :
       {"", "[]", "\x00\xff", "{}", R"({"type":"patina_checkpoint","schema_version":99})",
        R"({"type":"patina_checkpoint","schema_version":1,"ops_count":-4})"}) {
    overwrite(garbage);
    EXPECT_EQ(read_checkpoint(file_).error().code, ErrorCode::kCheckpointInvalid) << garbage;
  }
  EXPECT_EQ(read_checkpoint("/nonexistent/x").error().code, ErrorCode::kCheckpointInvalid);
}

TEST_F(CheckpointFile, WhatIsNoSmallFileIsInvalidAndDoesNotHang) {
  ASSERT_EQ(mkfifo(file_.c_str(), 0600), 0);
  for (const std::string& path : {file_, std::string("/dev/zero"), folder_.path()}) {
    EXPECT_EQ(read_checkpoint(path).error().code, ErrorCode::kCheckpointInvalid) << path;
  }
}

TEST_F(CheckpointFile, AnotherPlansDoesNotMatchAndSaysWhy) {
  const auto difference = [this](auto change) {
    Checkpoint other = checkpoint_;
    change(other);
    Status matches = match_checkpoint(other, checkpoint_);
    EXPECT_FALSE(matches.ok());
    EXPECT_EQ(matches.error().code, ErrorCode::kCheckpointInvalid);
    return matches.error().message;
  };
  EXPECT_NE(difference([](Checkpoint& c) { c.profile_digest.clear(); }).find("profile"), std::string::npos);
  EXPECT_NE(difference([](Checkpoint& c) { c.capacity_bytes = 1; }).find("capacity"), std::string::npos);
  EXPECT_NE(difference([](Checkpoint& c) { c.block_size_bytes = 1; }).find("block"), std::string::npos);
  EXPECT_NE(difference([](Checkpoint& c) { c.fullness = 0.1; }).find("fullness"), std::string::npos);
  EXPECT_NE(difference([](Checkpoint& c) { c.seed = 99; }).find("seed"), std::string::npos);
  EXPECT_NE(difference([](Checkpoint& c) { c.size_draw.clear(); }).find("drawing"), std::string::npos);
  EXPECT_NE(difference([](Checkpoint& c) { c.mix.rename = 0.5; }).find("mix"), std::string::npos);
  EXPECT_NE(difference([](Checkpoint& c) { c.data_mode.clear(); }).find("data mode"), std::string::npos);
}

TEST_F(CheckpointFile, AFolderThatIsNotThereIsAnIoError) {
  EXPECT_EQ(write_checkpoint("/nonexistent/x", checkpoint_).error().code, ErrorCode::kIoError);
}

}  // namespace
}  // namespace patina
