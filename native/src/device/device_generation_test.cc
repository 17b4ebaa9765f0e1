#include "device/device_generation.h"

#include <gtest/gtest.h>
#include <linux/fs.h>

#include <memory>
#include <set>

#include "device/device.h"
#include "testing/trace_testing.h"

namespace patina {
namespace {

class DeviceGeneration : public testing::Test {
 protected:
  void SetUp() override {
    PATINA_REQUIRE_ROOT();
    attach();
  }
  void attach() { loop_ = std::make_unique<LoopDevice>(scratch_ / "device.img", 64U << 20U); }

  std::string now() const { return of(loop_->path()); }
  static std::string of(const std::string& path) {
    std::string reason;
    const Result<std::string> generation = device_generation(path, &reason);
    EXPECT_TRUE(generation.ok()) << generation.error().message;
    EXPECT_NE(*generation, "") << reason;
    return *generation;
  }
  void command(unsigned long request, uint64_t offset_bytes, uint64_t length_bytes) const {
    const int fd = ::open(loop_->path().c_str(), O_RDWR | O_CLOEXEC);
    std::array<uint64_t, 2> range = {offset_bytes, length_bytes};
    EXPECT_EQ(::ioctl(fd, request, range.data()), 0) << "errno " << errno;
    ::close(fd);
  }

  ScratchFolder scratch_;
  std::unique_ptr<LoopDevice> loop_;
};

TEST_F(DeviceGeneration, StaysWhileNothingIsWritten) {
  require_program({"mkfs.ext4", "-q", loop_->path()});
  const std::string before = now();
  EXPECT_EQ(now(), before);
  {
    const auto device = Device::open_to_write(loop_->path());
    ASSERT_TRUE(device.ok());
    AlignedBuffer buffer(1U << 20U);
    ASSERT_TRUE((*device)->read(0, buffer.first(1U << 20U)).ok());
    ASSERT_TRUE((*device)->settle().ok());
  }
  EXPECT_EQ(now(), before);
  const std::string folder = scratch_ / "mount";
  ::mkdir(folder.c_str(), 0700);
  ASSERT_EQ(::mount(loop_->path().c_str(), folder.c_str(), "ext4", MS_RDONLY, ""), 0);
  EXPECT_GT(std::distance(std::filesystem::directory_iterator(folder), {}), 0);
  ASSERT_EQ(::umount(folder.c_str()), 0);
  EXPECT_EQ(now(), before);
}

TEST_F(DeviceGeneration, ChangesWithEveryWriteHoweverSmall) {
  std::string before = now();
  const auto expect_change = [&](const char* after_what) {
    const std::string after = now();
    EXPECT_NE(after, before) << after_what;
    before = after;
  };
  write_at(loop_->path(), 512, std::string(512, '\0'));
  expect_change("a sector");
  write_at(loop_->path(), 512, std::string(512, '\0'));
  expect_change("the same sector again");
  command(BLKDISCARD, 1 << 20, 4096);
  expect_change("a discard");
  command(BLKZEROOUT, 2 << 20, 4096);
  expect_change("zeroes");
  {
    const Mount mounted((require_program({"mkfs.ext4", "-q", loop_->path()}), loop_->path()), scratch_ / "m",
                        "ext4");
  }
  expect_change("a file system");
}

TEST_F(DeviceGeneration, ChangesWithWritesBehindTheLoopDevice) {
  const std::string before = now();
  for (int i = 0; i < 5; ++i) {
    const std::string armed = now();
    write_at(loop_->backing_file(), 8192, "x");
    EXPECT_NE(now(), armed);
  }
  EXPECT_NE(now(), before);
}

// Writes faster than the clock ticks that a file's times once had.
TEST_F(DeviceGeneration, ChangesWithEachOfAThousandWritesInARow) {
  std::set<std::string> seen = {now()};
  constexpr int kWritesCount = 1000;
  for (int i = 0; i < kWritesCount; ++i) {
    if (i % 2 == 0) {
      write_at(loop_->path(), 512, "x");
    } else {
      write_at(loop_->backing_file(), 8192, "x");
    }
    seen.insert(now());
  }
  EXPECT_EQ(seen.size(), 1U + kWritesCount);
}

TEST_F(DeviceGeneration, ChangesWhenTheDeviceIsAttachedAgain) {
  const std::string before = now();
  loop_.reset();
  attach();
  EXPECT_NE(now(), before);
}

TEST_F(DeviceGeneration, OfAPartitionIsThatOfTheWholeDisk) {
  const LoopPartition partition(*loop_, 1 << 20, 32 << 20);
  const std::string before = of(partition.path());
  EXPECT_EQ(before, now());
  write_at(partition.path(), 4096, "x");
  EXPECT_NE(of(partition.path()), before);
  const std::string then = of(partition.path());
  write_at(loop_->path(), 60 << 20, "x");
  EXPECT_NE(of(partition.path()), then);
}

TEST_F(DeviceGeneration, IsUnknownWhenTheKernelDoesNotCount) {
  const std::string file = "/sys/block/" + loop_->path().substr(5) + "/queue/iostats";
  std::ofstream(file) << "0";
  std::string reason;
  const Result<std::string> generation = device_generation(loop_->path(), &reason);
  std::ofstream(file) << "1";
  ASSERT_TRUE(generation.ok());
  EXPECT_EQ(*generation, "");
  EXPECT_NE(reason.find("iostats"), std::string::npos) << reason;
}

TEST_F(DeviceGeneration, IsUnknownWhenTheBackingFileIsDeleted) {
  ::unlink(loop_->backing_file().c_str());
  std::string reason;
  const Result<std::string> generation = device_generation(loop_->path(), &reason);
  ASSERT_TRUE(generation.ok());
  EXPECT_EQ(*generation, "");
  EXPECT_NE(reason.find("device.img"), std::string::npos) << reason;
}

TEST_F(DeviceGeneration, OfAFileChangesWithEveryWrite) {
  const std::string file = scratch_ / "file";
  write_at(file, 0, "a");
  for (int i = 0; i < 20; ++i) {
    const std::string before = of(file);
    EXPECT_EQ(of(file), before);
    write_at(file, 0, "a");
    EXPECT_NE(of(file), before);
  }
}

TEST(DeviceGenerationOfNothing, IsAnError) {
  for (const char* path : {"/nonexistent", "/dev/null", "/"}) {
    const Result<std::string> generation = device_generation(path);
    ASSERT_FALSE(generation.ok());
    EXPECT_EQ(generation.error().code, ErrorCode::kDeviceUnusable);
  }
}

}  // namespace
}  // namespace patina
