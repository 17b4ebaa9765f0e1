// The reuse lag and the allocation lag that each kind of file system reports.
#include "executor/space_lag.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "executor/posix_file_system.h"
#include "testing/device_testing.h"

namespace patina {
namespace {

constexpr uint64_t kFileBytes = 24 << 20U;
constexpr uint64_t kSlackBytes = 6 << 20U;  // ext4 preallocates this much at most, for two cores

class SpaceLagOf {
 public:
  SpaceLagOf(const std::string& type, std::vector<std::string> mkfs, const std::string& options)
      : loop_(scratch_ / "device.img", 320ULL << 20U) {
    mkfs.push_back(loop_.path());
    require_program(mkfs);
    mount_ = std::make_unique<Mount>(loop_.path(), scratch_ / "mount", type.c_str(), options.c_str());
    root_ = Descriptor(open(mount_->folder().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    struct stat status{};
    EXPECT_EQ(fstat(root_.get(), &status), 0);
    reader_ = std::make_unique<SpaceLagReader>(type, root_.get(), status.st_dev);
  }

  bool is_reported() const { return reader_->read().has_value(); }
  SpaceLag now() const { return reader_->read().value_or(SpaceLag{}); }
  void write_file() const {
    const Descriptor file(openat(root_.get(), "file", O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
    const std::vector<char> data(kFileBytes, 'x');
    ASSERT_EQ(write(file.get(), data.data(), data.size()), static_cast<ssize_t>(data.size()));
  }
  void remove_file() const { ASSERT_EQ(unlinkat(root_.get(), "file", 0), 0); }
  void commit() const { ASSERT_EQ(syncfs(root_.get()), 0); }

 private:
  ScratchFolder scratch_;
  LoopDevice loop_;
  std::unique_ptr<Mount> mount_;
  Descriptor root_;
  std::unique_ptr<SpaceLagReader> reader_;
};

void goes_from_written_to_freed_to_reusable(const SpaceLagOf& aged, bool keeps_freed_space) {
  aged.write_file();
  ASSERT_TRUE(aged.is_reported());
  EXPECT_GE(aged.now().allocation_bytes, kFileBytes);
  aged.commit();
  EXPECT_LT(aged.now().allocation_bytes, kSlackBytes);
  EXPECT_LT(aged.now().reuse_bytes, kSlackBytes);
  aged.remove_file();
  if (keeps_freed_space) {
    EXPECT_GE(aged.now().reuse_bytes, kFileBytes);
  } else {
    EXPECT_EQ(aged.now().reuse_bytes, 0U);
  }
  aged.commit();
  EXPECT_LT(aged.now().reuse_bytes, kSlackBytes);
}

TEST(SpaceLag, Ext4KeepsWhatItFreedUntilItsJournalCommits) {
  PATINA_REQUIRE_ROOT();
  const SpaceLagOf aged("ext4", {"mkfs.ext4", "-q", "-b", "4096", "-m", "0"}, "commit=3600");
  goes_from_written_to_freed_to_reusable(aged, true);
}

TEST(SpaceLag, Ext4WithoutItsJournalKeepsNothing) {
  PATINA_REQUIRE_ROOT();
  const SpaceLagOf aged("ext4", {"mkfs.ext4", "-q", "-b", "4096", "-m", "0"}, "noload");
  goes_from_written_to_freed_to_reusable(aged, false);
}

// Freed space is pinned once its delayed references have run, at the latest in the commit that unpins it.
TEST(SpaceLag, BtrfsReportsWhatIsReservedAndNothingPinnedAfterACommit) {
  PATINA_REQUIRE_ROOT();
  const SpaceLagOf aged("btrfs", {"mkfs.btrfs", "-q", "-K"}, "commit=3600");
  aged.write_file();
  ASSERT_TRUE(aged.is_reported());
  EXPECT_GE(aged.now().allocation_bytes, kFileBytes);
  aged.commit();
  aged.remove_file();
  aged.commit();
  EXPECT_EQ(aged.now().allocation_bytes, 0U);
  EXPECT_EQ(aged.now().reuse_bytes, 0U);
}

TEST(SpaceLag, XfsReportsNothing) {
  PATINA_REQUIRE_ROOT();
  EXPECT_FALSE(SpaceLagOf("xfs", {"mkfs.xfs", "-q", "-K"}, "").is_reported());
}

}  // namespace
}  // namespace patina
