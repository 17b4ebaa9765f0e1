// Images of aged-like file systems without their unneeded bytes: the file systems check clean, have the same
// layout, and the same files.
#include "image/unused_ranges.h"
#include "layout/layout.h"
#include "testing/image_testing.h"

namespace patina {
namespace {

struct MadeFileSystem {
  const char* type;
  std::vector<std::string> make;
  std::vector<std::string> check;
  uint64_t device_bytes;
};

void PrintTo(const MadeFileSystem& kind, std::ostream* out) {
  *out << kind.type;
}

class CaptureModesTest : public ImageTest, public testing::WithParamInterface<MadeFileSystem> {
 protected:
  void SetUp() override {
    ImageTest::SetUp();
    if (IsSkipped()) return;
    device_ = std::make_unique<LoopDevice>(scratch_ / "disk", GetParam().device_bytes);
    target_ = std::make_unique<LoopDevice>(scratch_ / "target", GetParam().device_bytes);
    make_file_system();
  }

  // Makes a file system with written files, files that are only allocated, and a secret in a deleted file.
  void make_file_system() {
    std::vector<std::string> argv = GetParam().make;
    argv.push_back(device_->path());
    require_program(argv);
    const Mount mount(device_->path(), scratch_ / "mount", GetParam().type);
    ::mkdir((mount.folder() + "/written").c_str(), 0755);
    ::mkdir((mount.folder() + "/allocated").c_str(), 0755);
    fragment_file_system(mount.folder() + "/written", 300, true);
    fragment_file_system(mount.folder() + "/allocated", 300, false);
    std::string secrets;
    while (secrets.size() < 200'000) secrets += kSecret;
    write_at(mount.folder() + "/secret", 0, secrets);
    require_program({"sync", "--file-system", mount.folder()});
    ::unlink((mount.folder() + "/secret").c_str());
    ::symlink("written/f1", (mount.folder() + "/link").c_str());
  }

  void check_target(bool with_data = false) {
    std::vector<std::string> argv = GetParam().check;
    if (with_data && argv[0] == "btrfs") argv.emplace_back("--check-data-csum");
    argv.push_back(target_->path());
    require_program(argv);
  }

  std::string layout_digest(const std::string& device) {
    CollectingSink sink;
    EXPECT_TRUE(run_layout({.device = device}, sink, stop_).ok());
    return sink.last()["layout_digest"].get<std::string>();
  }

  // Restores to a device on which every byte that is not written shows.
  void capture_and_restore(CaptureMode mode) {
    write_at(target_->path(), 0, random_bytes(GetParam().device_bytes / 4, 51));
    ASSERT_TRUE(capture(device_->path(), kDefaultChunkSizeBytes, mode).ok());
    captured_ = sink_.last();
    ASSERT_TRUE(restore(target_->path()).ok());
  }

  static constexpr const char* kSecret = "a secret of a file that was deleted; ";
  std::unique_ptr<LoopDevice> device_;
  std::unique_ptr<LoopDevice> target_;
  nlohmann::ordered_json captured_;
};

TEST_P(CaptureModesTest, AllocatedReadsTheSameAndChecksClean) {
  capture_and_restore(CaptureMode::kAllocated);
  EXPECT_EQ(captured_["mode"], "allocated");
  check_target(true);
  EXPECT_EQ(layout_digest(target_->path()), layout_digest(device_->path()));
  const Mount before(device_->path(), scratch_ / "before", GetParam().type, "");
  // A btrfs or xfs of the same identity is mounted once only: compare one after the other.
  const std::string digests =
      require_program({"sh", "-c", "cd " + before.folder() + " && find . -type f | sort | xargs sha256sum"});
  EXPECT_NE(digests.find("written/f1"), std::string::npos);
  const_cast<Mount&>(before).detach();
  const Mount after(target_->path(), scratch_ / "after", GetParam().type, "");
  EXPECT_EQ(
      require_program({"sh", "-c", "cd " + after.folder() + " && find . -type f | sort | xargs sha256sum"}),
      digests);
}

TEST_P(CaptureModesTest, AllocatedHasNothingOfDeletedFiles) {
  const auto has_secret = [](const std::string& file) {
    return read_whole_file(file).find(kSecret) != std::string::npos;
  };
  ASSERT_TRUE(has_secret(device_->backing_file()));
  capture_and_restore(CaptureMode::kAllocated);
  EXPECT_FALSE(has_secret(target_->backing_file()));
}

TEST_P(CaptureModesTest, MetadataLiesTheSameAndChecksCleanButFilesReadAsZero) {
  capture_and_restore(CaptureMode::kMetadata);
  EXPECT_LT(captured_["read_bytes"], GetParam().device_bytes / 4);
  check_target();
  EXPECT_EQ(layout_digest(target_->path()), layout_digest(device_->path()));
}

TEST_P(CaptureModesTest, ExactIsTheSameToTheByte) {
  capture_and_restore(CaptureMode::kExact);
  expect_same(device_->path(), target_->path());
  check_target();
}

TEST_P(CaptureModesTest, AMountedFileSystemIsBusy) {
  const Mount mount(device_->path(), scratch_ / "held", GetParam().type);
  expect_code(capture(device_->path(), kDefaultChunkSizeBytes, CaptureMode::kAllocated),
              ErrorCode::kDeviceBusy, device_->path());
}

INSTANTIATE_TEST_SUITE_P(
    FileSystems, CaptureModesTest,
    testing::Values(MadeFileSystem{"ext2", {"mkfs.ext2", "-q", "-b", "4096"}, {"e2fsck", "-fn"}, 160 << 20},
                    MadeFileSystem{"ext3", {"mkfs.ext3", "-q", "-b", "4096"}, {"e2fsck", "-fn"}, 160 << 20},
                    MadeFileSystem{"ext4", {"mkfs.ext4", "-q", "-b", "4096"}, {"e2fsck", "-fn"}, 160 << 20},
                    MadeFileSystem{"ext4", {"mkfs.ext4", "-q", "-b", "1024"}, {"e2fsck", "-fn"}, 160 << 20},
                    MadeFileSystem{"xfs", {"mkfs.xfs", "-q", "-f"}, {"xfs_repair", "-n"}, 320 << 20},
                    MadeFileSystem{
                        "btrfs", {"mkfs.btrfs", "-q", "-f"}, {"btrfs", "check", "--force"}, 240 << 20},
                    MadeFileSystem{"btrfs",
                                   {"mkfs.btrfs", "-q", "-f", "-m", "dup", "-d", "dup"},
                                   {"btrfs", "check", "--force"},
                                   240 << 20}),
    [](const auto& kind) { return std::string(kind.param.type) + std::to_string(kind.index); });

class CaptureModeTest : public ImageTest {};

TEST_F(CaptureModeTest, WithoutAFileSystemThatCanTellOnlyExactIsPossible) {
  const auto device = make_device("disk");
  expect_code(capture(device->path(), kDefaultChunkSizeBytes, CaptureMode::kAllocated),
              ErrorCode::kLayoutUnsupported, device->path());
  EXPECT_FALSE(std::filesystem::exists(index_));
}

TEST(SubtractTest, WhatIsKeptIsCutOut) {
  const auto cut = [](const std::vector<ByteRange>& ranges, const std::vector<ByteRange>& kept) {
    std::string text;
    for (const ByteRange& range : subtract(ranges, kept)) {
      text += std::to_string(range.begin_bytes) + "-" + std::to_string(range.end_bytes) + " ";
    }
    return text;
  };
  EXPECT_EQ(cut({{10, 20}, {30, 40}}, {}), "10-20 30-40 ");
  EXPECT_EQ(cut({{10, 20}, {30, 40}}, {{0, 12}, {15, 16}, {19, 31}}), "12-15 16-19 31-40 ");
  EXPECT_EQ(cut({{10, 20}, {30, 40}}, {{0, 100}}), "");
  EXPECT_EQ(cut({{10, 20}}, {{20, 30}}), "10-20 ");
  EXPECT_EQ(cut({{0, 100}}, {{10, 20}, {20, 30}, {99, 200}}), "0-10 30-99 ");
  EXPECT_EQ(cut({{0, 10}, {10, 30}, {40, 50}}, {{5, 45}}), "0-5 45-50 ");
}

}  // namespace
}  // namespace patina
