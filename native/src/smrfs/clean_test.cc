// Cleaning on demand, of a mounted SMRfs.
#include "smrfs/clean.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <map>
#include <memory>
#include <thread>

#include "base/random.h"
#include "testing/device_testing.h"
#include "testing/smrfs_testing.h"

namespace patina {
namespace {

constexpr uint64_t kBlock = 4096;
constexpr int kFiles = 100;
constexpr uint64_t kFileBlocks = 50;

// What run_smr_clean() returned, and the record that it emitted last.
struct Cleaned {
  Status status = ok_status();
  SmrFs::Json last;
};

Cleaned clean(const SmrFs& files, uint64_t most_bands, bool is_stopped = false) {
  CollectingSink sink;
  const std::atomic<bool> stop = is_stopped;
  Status status = run_smr_clean({.mount_folder = files.path(), .most_bands = most_bands}, sink, stop);
  return {.status = std::move(status), .last = sink.last()};
}

// Bands of which half the blocks are dead; the file system does not clean them by itself.
class CleanTest : public testing::Test {
 protected:
  void SetUp() override {
    PATINA_REQUIRE_ROOT();
    make_data_file(folder_.path(), uint64_t{40} << 20U);
    files_ = std::make_unique<SmrFs>(
        folder_.path(), std::vector<std::string>{"--interface", "strict-append", "--did", "4", "--band",
                                                 "1MiB", "--clean-below", "0"});
    Random random(1);
    for (int i = 0; i < kFiles; ++i) {
      std::string data(kFileBlocks * kBlock, '\0');
      for (char& each : data) each = static_cast<char>('a' + random.below(26));
      std::ofstream(*files_ / std::to_string(i)) << data;
      if (i % 2 == 0) kept_[std::to_string(i)] = data;
    }
    for (int i = 1; i < kFiles; i += 2) ASSERT_EQ(::unlink((*files_ / std::to_string(i)).c_str()), 0);
  }

  void expect_all_kept() {
    for (const auto& [name, data] : kept_) {
      EXPECT_TRUE(read_whole_file(*files_ / name) == data) << name;
    }
    const SmrFs::Json summary = files_->stop();
    EXPECT_EQ(summary["allocated_blocks"], kept_.size() * kFileBlocks);
    EXPECT_EQ(summary["unusable_blocks"], 0) << "dead blocks";
    EXPECT_GT(summary["cleaning_s"], 0);
  }

  ScratchFolder folder_;
  std::unique_ptr<SmrFs> files_;
  std::map<std::string, std::string> kept_;
};

TEST_F(CleanTest, CleansUntilNoBandGivesAnythingBack) {
  const Cleaned first = clean(*files_, 2);
  EXPECT_EQ(first.last["cleaned_bands"], 2);
  EXPECT_GT(first.last["moved_blocks"], 0);
  EXPECT_GT(first.last["cleaning_s"], 0);
  EXPECT_GT(clean(*files_, 0).last["cleaned_bands"], 2);
  EXPECT_EQ(clean(*files_, 0).last["cleaned_bands"], 0);
  expect_all_kept();
}

TEST_F(CleanTest, EndsWhenItIsStopped) {
  const Cleaned cleaned = clean(*files_, 0, /*is_stopped=*/true);
  ASSERT_FALSE(cleaned.status.ok());
  EXPECT_EQ(cleaned.status.error().code, ErrorCode::kCanceled);
}

TEST_F(CleanTest, TwoProgramsTakeTurns) {
  Cleaned first;
  Cleaned second;
  {
    std::jthread other([&] { first = clean(*files_, 0); });
    second = clean(*files_, 0);
  }
  EXPECT_TRUE(first.status.ok());
  EXPECT_TRUE(second.status.ok());
  EXPECT_EQ(clean(*files_, 0).last["cleaned_bands"], 0);
  expect_all_kept();
}

TEST_F(CleanTest, ADiskThatCannotBeReadLosesNothing) {
  files_->restart();  // all is on the disk, and nothing is buffered
  const std::string data = read_whole_file(files_->data());
  ASSERT_EQ(::truncate(files_->data().c_str(), 0), 0);
  const Cleaned failed = clean(*files_, 0);
  ASSERT_FALSE(failed.status.ok());
  EXPECT_EQ(failed.status.error().code, ErrorCode::kIoError);
  EXPECT_NE(failed.status.error().message.find("see the output of its mount"), std::string::npos);
  EXPECT_NE(read_whole_file(files_->output()).find("patina-core: "), std::string::npos);

  std::ofstream(files_->data(), std::ios::in | std::ios::out | std::ios::binary) << data;
  EXPECT_GT(clean(*files_, 0).last["cleaned_bands"], 2);
  expect_all_kept();
}

TEST(CleanRefusedTest, ADiskWithoutBands) {
  PATINA_REQUIRE_ROOT();
  const ScratchFolder folder;
  make_data_file(folder.path(), 200 * kBlock);
  const SmrFs files(folder.path(), {"--did", "16"});
  const Cleaned cleaned = clean(files, 0);
  ASSERT_FALSE(cleaned.status.ok());
  EXPECT_EQ(cleaned.status.error().code, ErrorCode::kUsage);
}

}  // namespace
}  // namespace patina
