// Trials from end to end, with common tools: an image is restored to a device, the device is changed under
// trace, and the trace's delta rolls it back.
#include "testing/trial_testing.h"

namespace patina {
namespace {

struct MadeFileSystem {
  const char* type;
  std::vector<std::string> make;
  std::vector<std::string> make_another;
  uint64_t device_bytes;
};

class TrialOnFileSystem : public TrialTesting, public testing::WithParamInterface<MadeFileSystem> {
 protected:
  void SetUp() override {
    ImageTest::SetUp();
    if (IsSkipped()) return;
    loop_ = std::make_unique<LoopDevice>(scratch_ / "disk", GetParam().device_bytes);
    make_with(GetParam().make);
    make_tree(mount()->folder());
    hold_image(loop_->path(), CaptureMode::kAllocated);
  }

  void make_with(std::vector<std::string> command) const {
    command.push_back(loop_->path());
    require_program(command);
  }
  std::unique_ptr<Mount> mount(const char* options = "") const {
    return std::make_unique<Mount>(loop_->path(), scratch_ / "mount", GetParam().type, options);
  }
  static void remove_trees(const std::string& root) {
    require_program({"rm", "-r", root + "/folder3", root + "/folder4"});
    require_program({"sync", "--file-system", root});
  }

  std::unique_ptr<LoopDevice> loop_;
};

TEST_P(TrialOnFileSystem, ComesBackOneAfterTheOther) {
  expect_trial_comes_back("fio", [this] {
    const auto mounted = mount();
    const std::string here = "--directory=" + mounted->folder();
    run_fio(here, {"--size=8m", "--ioengine=psync", "--fsync=16"});
    run_fio(here, {"--size=8m", "--ioengine=libaio", "--iodepth=16", "--direct=1"});
    run_fio(here, {"--size=8m", "--ioengine=mmap"});
  });
  expect_trial_comes_back("a tree that is removed", [this] {
    const auto mounted = mount();
    remove_trees(mounted->folder());
  });
  expect_trial_comes_back("discards at once", [this] {
    const auto mounted = mount("discard");
    remove_trees(mounted->folder());
    make_tree(mounted->folder());
  });
  expect_trial_comes_back("fstrim", [this] {
    const auto mounted = mount();
    remove_trees(mounted->folder());
    require_program({"fstrim", mounted->folder()});
  });
  expect_trial_comes_back("another file system", [this] { make_with(GetParam().make_another); });
}

INSTANTIATE_TEST_SUITE_P(Kinds, TrialOnFileSystem,
                         testing::Values(
                             MadeFileSystem{
                                 "ext4", {"mkfs.ext4", "-qF"}, {"mkfs.ext2", "-qF", "-b", "1024"}, 64 << 20},
                             MadeFileSystem{"xfs", {"mkfs.xfs", "-qf"}, {"mkfs.ext4", "-qF"}, 320 << 20},
                             MadeFileSystem{"btrfs", {"mkfs.btrfs", "-qf"}, {"mkfs.ext4", "-qF"}, 128 << 20}),
                         [](const auto& kind) { return std::string(kind.param.type); });

class TrialOfADisk : public TrialTesting {
 protected:
  void SetUp() override {
    ImageTest::SetUp();
    if (!IsSkipped()) loop_ = make_device("disk", kDiskBytes);
  }

  // The kernel need not read the table itself.
  void make_partition() const {
    const std::string table =
        "printf 'label: gpt\\n2048,40960\\n' | sfdisk --quiet --no-reread --no-tell-kernel ";
    require_program({"sh", "-c", table + loop_->path()});
    allow_partitions(*loop_);
    require_program({"partx", "--update", loop_->path()});
    wait_for_node(partition());
  }
  std::string partition() const { return loop_->path() + "p1"; }
  std::unique_ptr<Mount> mount_partition() const {
    return std::make_unique<Mount>(partition(), scratch_ / "mount", "ext4");
  }

  static constexpr uint64_t kDiskBytes = (64ULL << 20U) + 512;
  std::unique_ptr<LoopDevice> loop_;
};

TEST_F(TrialOfADisk, AtOddSectorsComesBack) {
  hold_image(loop_->path(), CaptureMode::kExact);
  expect_trial_comes_back("sectors", [this] {
    const int fd = ::open(loop_->path().c_str(), O_RDWR | O_DIRECT | O_CLOEXEC);
    alignas(4096) std::array<char, 512> sector{};
    for (const uint64_t at : {uint64_t{9}, uint64_t{1021}, uint64_t{2047}, kDiskBytes / 512 - 1}) {
      sector.fill(static_cast<char>(at));
      EXPECT_EQ(::pwrite(fd, sector.data(), sector.size(), static_cast<off_t>(at * 512)), 512);
    }
    ::close(fd);
  });
  EXPECT_EQ(figure("touched_bytes"), 3 * kDeltaBlockBytes + 512);
  expect_trial_comes_back("fio", [this] {
    run_fio("--filename=" + loop_->path(), {"--ioengine=libaio", "--iodepth=16", "--direct=1"});
  });
}

TEST_F(TrialOfADisk, ThroughAPartitionComesBack) {
  make_partition();
  require_program({"mkfs.ext4", "-qF", partition()});
  make_tree(mount_partition()->folder());
  hold_image(loop_->path(), CaptureMode::kExact);
  expect_trial_comes_back("a file system", [this] {
    const auto mounted = mount_partition();
    require_program({"rm", "-r", mounted->folder() + "/folder3"});
    run_fio("--directory=" + mounted->folder(), {"--size=4m", "--ioengine=psync", "--end_fsync=1"});
  });
}

TEST_F(TrialOfADisk, ThroughAPartitionThatWasNotThereComesBack) {
  hold_image(loop_->path(), CaptureMode::kExact);
  expect_trial_comes_back("a file system", [this] {
    make_partition();
    require_program({"mkfs.ext4", "-qF", partition()});
    make_tree(mount_partition()->folder());
  });
}

TEST_F(TrialOfADisk, OfAPartitionComesBack) {
  make_partition();
  require_program({"mkfs.ext4", "-qF", partition()});
  make_tree(mount_partition()->folder());
  hold_image(partition(), CaptureMode::kAllocated);
  expect_trial_comes_back("a file system", [this] {
    const auto mounted = mount_partition();
    require_program({"rm", "-r", mounted->folder() + "/folder3"});
    require_program({"fstrim", mounted->folder()});
    run_fio("--directory=" + mounted->folder(), {"--size=4m", "--ioengine=psync", "--end_fsync=1"});
  });
  expect_trial_comes_back("through its disk",
                          [this] { write_at(loop_->path(), 3 << 20, "beside the partition"); });
}

}  // namespace
}  // namespace patina
