// Symbolic links on an emulated disk, beside files of text, which look like their targets.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/fs.h>
#include <sys/ioctl.h>

#include "testing/emulator_testing.h"
#include "testing/filled_tree.h"

namespace patina {
namespace {

constexpr uint64_t kDiskBytes = uint64_t{256} << 20U;
constexpr size_t kFilesCount = 2000;
constexpr uint64_t kFilesBytes = kFilesCount * 4096;

class EmulatedLinks : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    PATINA_REQUIRE_ROOT();
    emulator_ =
        std::make_unique<Emulator>(scratch_ / "disk", kDiskBytes, std::vector<std::string>{"--data", "text"});
    require_program({"mke2fs", "-q", "-t", GetParam(), "-b", "4096", emulator_->attach()});
  }

  std::unique_ptr<Mount> mount() const {
    return std::make_unique<Mount>(emulator_->path(), scratch_ / "mount", GetParam());
  }
  uint64_t kept_bytes() const { return emulator_->status()["kept_bytes"]; }
  static void sync(const std::string& folder) {
    const Descriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    ASSERT_EQ(::syncfs(opened.get()), 0);
  }
  static std::string link_of(const std::string& folder, int i) {
    return folder + "/link" + std::to_string(i);
  }
  static std::string target(int i) {
    Random random(static_cast<uint64_t>(i));
    return TreeFiller::text(60 + static_cast<size_t>(i) * 19, random);
  }
  // 200 links among files of text, each of which ends in its only block.
  static void fill(const std::string& folder) {
    for (size_t i = 0; i < kFilesCount; ++i) {
      Random random(i);
      const std::string path = folder + "/file" + std::to_string(i);
      const Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
      const std::string text = TreeFiller::text(1500, random);
      ASSERT_EQ(::write(file.get(), text.data(), text.size()), 1500);
      if (i % 10 != 0) continue;
      const int link = static_cast<int>(i / 10);
      ASSERT_EQ(::symlink(target(link).c_str(), link_of(folder, link).c_str()), 0) << errno;
    }
    sync(folder);
  }
  void expect_clean() const {
    const ProgramResult checked = run_program({"e2fsck", "-fn", emulator_->path()});
    EXPECT_EQ(checked.exit_code, 0) << checked.output;
  }

  const ScratchFolder scratch_;
  std::unique_ptr<Emulator> emulator_;
};

TEST_P(EmulatedLinks, AreKeptAtAnUnmountAndFilesOfTextAreNot) {
  std::unique_ptr<Mount> mounted = mount();
  fill(mounted->folder());
  const std::set<std::string> tree = described_tree(mounted->folder());
  const uint64_t kept_before = kept_bytes();
  EXPECT_GE(kept_before, kFilesBytes);
  mounted.reset();
  EXPECT_LE(kept_bytes(), kept_before - kFilesBytes);
  EXPECT_GE(emulator_->status()["squashed_bytes"], kFilesBytes);
  expect_clean();
  mounted = mount();
  EXPECT_TRUE(described_tree(mounted->folder()) == tree);
}

TEST_P(EmulatedLinks, AreKeptWhereTheFileSystemIsFrozenAndUsedOn) {
  std::unique_ptr<Mount> mounted = mount();
  fill(mounted->folder());
  const uint64_t kept_before = kept_bytes();
  {
    const Descriptor opened(::open(mounted->folder().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    ASSERT_EQ(::ioctl(opened.get(), FIFREEZE, 0), 0) << errno;
    EXPECT_LE(kept_bytes(), kept_before - kFilesBytes);
    ASSERT_EQ(::ioctl(opened.get(), FITHAW, 0), 0) << errno;
  }
  ASSERT_EQ(::symlink(target(200).c_str(), link_of(mounted->folder(), 200).c_str()), 0) << errno;
  const std::set<std::string> tree = described_tree(mounted->folder());
  mounted.reset();
  expect_clean();
  mounted = mount();
  EXPECT_TRUE(described_tree(mounted->folder()) == tree);
}

TEST_P(EmulatedLinks, AreAllThatIsKeptOfTheJournalAfterAnUnmount) {
  const uint64_t kept_empty = kept_bytes();
  std::unique_ptr<Mount> mounted = mount();
  // Each commit writes the blocks of names and inodes to the log.
  for (int i = 0; i < 300; ++i) {
    const std::string path = mounted->folder() + "/" + std::to_string(i);
    ASSERT_EQ(::mkdir(path.c_str(), 0700), 0);
    sync(mounted->folder());
  }
  const uint64_t kept_mounted = kept_bytes();
  const std::set<std::string> tree = described_tree(mounted->folder());
  mounted.reset();
  // A block of each directory, of which some have inodes, and bitmaps.
  constexpr uint64_t kMetadataBytes = uint64_t{400} * 4096;
  EXPECT_GE(kept_mounted, kept_empty + 2 * kMetadataBytes);
  EXPECT_LE(kept_bytes(), kept_empty + kMetadataBytes);
  expect_clean();
  mounted = mount();
  EXPECT_TRUE(described_tree(mounted->folder()) == tree);
}

// The new transactions lie among what the emulator makes up in place of the old log.
TEST_P(EmulatedLinks, AreThereAfterAPowerCutOfTheMountThatFollows) {
  std::unique_ptr<Mount> mounted = mount();
  fill(mounted->folder());
  mounted.reset();
  mounted = mount();
  for (int i = 200; i < 220; ++i) {
    ASSERT_EQ(::symlink(target(i - 150).c_str(), link_of(mounted->folder(), i).c_str()), 0) << errno;
    sync(mounted->folder());
  }
  const std::set<std::string> tree = described_tree(mounted->folder());
  ASSERT_EQ(emulator_->make_fault({{"kind", "power_cut"}, {"lost", "all"}})["type"], "status");
  mounted.reset();
  emulator_->detach();
  emulator_->stop();
  emulator_.reset();
  emulator_ =
      std::make_unique<Emulator>(scratch_ / "disk", kDiskBytes, std::vector<std::string>{"--data", "text"});
  emulator_->attach();
  mounted = mount();
  EXPECT_TRUE(described_tree(mounted->folder()) == tree);
  mounted.reset();
  expect_clean();
}

// Else an image taken before could not be rolled back to by what a trace saw.
TEST_P(EmulatedLinks, LeaveTheirContentWhereALaterMountRemovesThem) {
  std::unique_ptr<Mount> mounted = mount();
  fill(mounted->folder());
  mounted.reset();
  const uint64_t block = std::stoull(
      require_program({"sh", "-c", "debugfs -R 'blocks /link7' " + emulator_->path() + " 2>/dev/null"}));
  const std::vector<std::string> read = {
      "dd",          "if=" + emulator_->path(),      "bs=4096", "count=1", "iflag=direct",
      "status=none", "skip=" + std::to_string(block)};
  const std::string content = require_program(read);
  ASSERT_TRUE(content.starts_with(target(7)));
  mounted = mount();
  ASSERT_EQ(::unlink(link_of(mounted->folder(), 7).c_str()), 0);
  mounted.reset();
  EXPECT_EQ(require_program(read), content);
}

INSTANTIATE_TEST_SUITE_P(Kinds, EmulatedLinks, testing::Values("ext3", "ext4"),
                         [](const testing::TestParamInfo<const char*>& kind) {
                           return std::string(kind.param);
                         });

}  // namespace
}  // namespace patina
