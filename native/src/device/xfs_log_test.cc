// The logs of real xfs file systems: fresh, used, wrapped, and cut off.
#include "device/xfs_log.h"

#include "testing/device_testing.h"

namespace patina {
namespace {

constexpr uint64_t kDeviceBytes = 300 << 20;

bool is_clean(const std::string& path) {
  const Result<std::unique_ptr<Device>> device = Device::open_to_read(path);
  EXPECT_TRUE(device.ok());
  const Result<bool> clean = xfs_log_is_clean(**device);
  EXPECT_TRUE(clean.ok()) << clean.error().message;
  return clean.ok() && *clean;
}

// Each of these is written to the log by itself.
void change(const std::string& folder, int count) {
  for (int i = 0; i < count; ++i) {
    write_at(folder + "/file", 0, "x");
    ::unlink((folder + "/file").c_str());
  }
}

class XfsLog : public testing::TestWithParam<const char*> {};

TEST_P(XfsLog, IsCleanAfterEveryUnmountAndNotBefore) {
  PATINA_REQUIRE_ROOT();
  const ScratchFolder scratch;
  const LoopDevice device(scratch / "disk", kDeviceBytes);
  // Records of several paddings: with 256 KiB the log has wrapped after 256 of them.
  require_program({"mkfs.xfs", "-q", "-K", "-l", GetParam(), device.path()});
  EXPECT_TRUE(is_clean(device.path()));
  for (int round = 0; round < 6; ++round) {
    {
      const Mount mount(device.path(), scratch / "mount", "xfs");
      change(mount.folder(), 40 + 130 * round);
      require_program({"cp", "--sparse=always", device.backing_file(), scratch / "crashed"});
    }
    EXPECT_FALSE(is_clean(scratch / "crashed")) << "round " << round;
    EXPECT_TRUE(is_clean(device.path())) << "round " << round;
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, XfsLog, testing::Values("size=64m", "size=64m,su=32k", "size=64m,su=256k"),
                         [](const auto& shape) { return "Shape" + std::to_string(shape.index); });

TEST(XfsLogOfNothing, IsAnErrorOfReading) {
  PATINA_REQUIRE_ROOT();
  const ScratchFolder scratch;
  write_at(scratch / "file", 0, random_bytes(1 << 20, 5));
  const Result<std::unique_ptr<Device>> device = Device::open_to_read(scratch / "file");
  ASSERT_TRUE(device.ok());
  // A place far behind the device's end.
  const Result<bool> clean = xfs_log_is_clean(**device);
  ASSERT_FALSE(clean.ok());
  EXPECT_EQ(clean.error().code, ErrorCode::kIoError);
}

}  // namespace
}  // namespace patina
