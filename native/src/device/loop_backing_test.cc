// Backing files under their own names, and emulated disks that another mount namespace has.
#include "device/loop_backing.h"

#include <gtest/gtest.h>
#include <linux/loop.h>
#include <sys/ioctl.h>

#include "base/descriptor.h"
#include "device/device_generation.h"
#include "testing/emulator_testing.h"

namespace patina {
namespace {

constexpr uint64_t kDiskBytes = uint64_t{64} << 20U;

std::string reached(const std::string& loop, const std::string& shown) {
  const Descriptor device(open(loop.c_str(), O_RDONLY | O_CLOEXEC));
  loop_info64 info = {};
  EXPECT_EQ(ioctl(device.get(), LOOP_GET_STATUS64, &info), 0);
  return reach_loop_backing(shown, info.lo_device, info.lo_inode);
}

TEST(LoopBacking, IsReachedByItsNameAndNotByThatOfAnotherFile) {
  PATINA_REQUIRE_ROOT();
  const ScratchFolder scratch;
  const LoopDevice loop(scratch / "device.img", kDiskBytes);
  EXPECT_EQ(reached(loop.path(), loop.backing_file()), loop.backing_file());
  std::ofstream(scratch / "other") << "x";
  EXPECT_EQ(reached(loop.path(), scratch / "other"), "");
  EXPECT_EQ(reached(loop.path(), ""), "");
}

TEST(LoopBacking, OfAnEmulatedDiskIsReachedInTheNamespaceOfItsEmulator) {
  PATINA_REQUIRE_ROOT();
  const ScratchFolder scratch;
  Emulator emulator(scratch / "a disk", kDiskBytes, {"--keep-all"});
  emulator.attach();
  EXPECT_EQ(reached(emulator.path(), emulator.file()), emulator.file());
  // The emulator shares the test's namespace, in which the file can be hidden no more than renamed: a name
  // that leads nowhere stands for a mount that this process does not see.
  const std::string path = reached(emulator.path(), "/disk");
  EXPECT_TRUE(path.starts_with("/proc/")) << path;
  EXPECT_TRUE(path.ends_with(emulator.file())) << path;
}

TEST(LoopBacking, TheGenerationOfAnEmulatedDiskChangesWithEachWrite) {
  PATINA_REQUIRE_ROOT();
  const ScratchFolder scratch;
  Emulator emulator(scratch / "disk", kDiskBytes, {"--keep-all"});
  emulator.attach();
  const auto generation = [&] {
    const Result<std::string> known = device_generation(emulator.path());
    EXPECT_TRUE(known.ok() && !known->empty());
    return *known;
  };
  const std::string before = generation();
  EXPECT_EQ(generation(), before);
  write_at(emulator.path(), 8192, "x");
  const std::string after = generation();
  EXPECT_NE(after, before);
  // Past the loop device, which does not count it.
  write_at(emulator.file(), 8192, "y");
  EXPECT_NE(generation(), after);
}

}  // namespace
}  // namespace patina
