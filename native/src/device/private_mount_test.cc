// Devices that are mounted for one process alone, and those that are refused.
#include "device/private_mount.h"

#include <csignal>

#include "device/device.h"
#include "testing/device_testing.h"
#include "testing/test_places.h"

namespace patina {
namespace {

constexpr uint64_t kDeviceBytes = 300 << 20;

Error error_of(const std::string& device) {
  const Result<PrivateMount> mount = PrivateMount::open(device);
  EXPECT_FALSE(mount.ok());
  return mount.ok() ? Error{ErrorCode::kInternal, ""} : mount.error();
}

void make_ext4(const LoopDevice& device) {
  require_program({"mkfs.ext4", "-q", "-b", "4096", device.path()});
}

TEST(PrivateMount, IsHiddenFromOtherProcessesAndReadOnly) {
  PATINA_REQUIRE_ROOT();
  const ScratchFolder scratch;
  const LoopDevice device(scratch / "disk", kDeviceBytes);
  make_ext4(device);
  {
    const Result<PrivateMount> mount = PrivateMount::open(device.path());
    ASSERT_TRUE(mount.ok()) << mount.error().message;
    EXPECT_EQ(::faccessat(mount->root_fd(), "lost+found", F_OK, 0), 0);
    EXPECT_EQ(read_whole_file("/proc/self/mountinfo").find(device.path() + " "), std::string::npos);
    EXPECT_EQ(::openat(mount->root_fd(), "file", O_WRONLY | O_CREAT | O_CLOEXEC, 0600), -1);
    EXPECT_EQ(errno, EROFS);
    EXPECT_EQ(error_of(device.path()).code, ErrorCode::kDeviceBusy);
  }
  EXPECT_TRUE(Device::open_to_write(device.path()).ok()) << "it is released with the object";
}

TEST(PrivateMount, AProcessThatIsKilledLeavesNothingBehind) {
  PATINA_REQUIRE_ROOT();
  const ScratchFolder scratch;
  const LoopDevice device(scratch / "disk", kDeviceBytes);
  make_ext4(device);
  const Descriptor output(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  for (int attempt = 0; attempt < 12; ++attempt) {
    const pid_t pid = spawn_program({kCoreProgram, "layout", "--device", device.path()}, output.get());
    ::usleep(static_cast<useconds_t>(attempt * 2000));
    ::kill(pid, SIGKILL);
    ASSERT_EQ(::waitpid(pid, nullptr, 0), pid);
    EXPECT_TRUE(Device::open_to_write(device.path()).ok()) << "attempt " << attempt;
  }
}

TEST(PrivateMount, AnExt4WithoutAJournalIsOneToo) {
  PATINA_REQUIRE_ROOT();
  const ScratchFolder scratch;
  const LoopDevice device(scratch / "disk", kDeviceBytes);
  require_program({"mkfs.ext4", "-q", "-O", "^has_journal", device.path()});
  EXPECT_TRUE(PrivateMount::open(device.path()).ok());
}

TEST(PrivateMount, TwoXfsOfOneImageDoNotGetInEachOthersWay) {
  PATINA_REQUIRE_ROOT();
  const ScratchFolder scratch;
  const LoopDevice device(scratch / "disk", kDeviceBytes);
  require_program({"mkfs.xfs", "-q", "-K", device.path()});
  require_program({"cp", "--sparse=always", device.backing_file(), scratch / "copy"});
  const LoopDevice copy(scratch / "copy", kDeviceBytes);
  const Mount mount(device.path(), scratch / "mount", "xfs");
  const Result<PrivateMount> second = PrivateMount::open(copy.path());
  EXPECT_TRUE(second.ok()) << second.error().message;
}

TEST(PrivateMount, AMountedDeviceIsRefusedByName) {
  PATINA_REQUIRE_ROOT();
  const ScratchFolder scratch;
  const LoopDevice device(scratch / "disk", kDeviceBytes);
  make_ext4(device);
  const Mount mount(device.path(), scratch / "mount", "ext4");
  const Error error = error_of(device.path());
  EXPECT_EQ(error.code, ErrorCode::kDeviceBusy);
  EXPECT_NE(error.message.find(mount.folder()), std::string::npos) << error.message;
}

class JournalToReplay : public testing::TestWithParam<const char*> {};

TEST_P(JournalToReplay, IsRefusedAndLeftAlone) {
  PATINA_REQUIRE_ROOT();
  const ScratchFolder scratch;
  const LoopDevice device(scratch / "disk", kDeviceBytes);
  require_program({std::string("mkfs.") + GetParam(), "-q", device.path()});
  {
    const Mount mount(device.path(), scratch / "mount", GetParam());
    write_at(mount.folder() + "/file", 0, random_bytes(5000, 1));
    require_program({"cp", "--sparse=always", device.backing_file(), scratch / "crashed"});
  }
  EXPECT_TRUE(PrivateMount::open(device.path()).ok()) << "unmounted cleanly";
  require_program({"cp", "--sparse=always", scratch / "crashed", scratch / "before"});
  const LoopDevice crashed(scratch / "crashed", kDeviceBytes);
  const Error error = error_of(crashed.path());
  EXPECT_EQ(error.code, ErrorCode::kDeviceUnusable);
  EXPECT_NE(error.message.find("not unmounted cleanly"), std::string::npos) << error.message;
  require_program({"cmp", crashed.backing_file(), scratch / "before"});
}

INSTANTIATE_TEST_SUITE_P(FileSystems, JournalToReplay, testing::Values("ext4", "xfs"),
                         [](const auto& type) { return std::string(type.param); });

TEST(PrivateMount, WhatHoldsNoFileSystemOfOursIsRefused) {
  PATINA_REQUIRE_ROOT();
  const ScratchFolder scratch;
  const LoopDevice empty(scratch / "empty", kDeviceBytes);
  EXPECT_EQ(error_of(empty.path()).code, ErrorCode::kLayoutUnsupported);
  const LoopDevice short_one(scratch / "short", 4096);
  EXPECT_EQ(error_of(short_one.path()).code, ErrorCode::kLayoutUnsupported);
}

TEST(PrivateMount, AMagicNumberAloneIsNoFileSystem) {
  PATINA_REQUIRE_ROOT();
  const ScratchFolder scratch;
  const LoopDevice device(scratch / "disk", kDeviceBytes);
  write_at(device.path(), 0, "XFSB");
  const Error error = error_of(device.path());
  EXPECT_EQ(error.code, ErrorCode::kDeviceUnusable);
  EXPECT_NE(error.message.find("xfs cannot be mounted"), std::string::npos) << error.message;
}

TEST(PrivateMount, WhatIsNoBlockDeviceIsRefused) {
  const ScratchFolder scratch;
  write_at(scratch / "file", 0, std::string(1 << 20, 'x'));
  for (const std::string& path : {scratch / "file", scratch.path(), scratch / "missing"}) {
    const Error error = error_of(path);
    EXPECT_EQ(error.code, ErrorCode::kDeviceUnusable);
    EXPECT_NE(error.message.find(path), std::string::npos);
  }
}

}  // namespace
}  // namespace patina
