#include "trace/backing_file_watch.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "testing/trace_testing.h"

namespace patina {
namespace {

TEST(BackingFileWatch, DoubtsAFileThatIsNotFoundByItsName) {
  PATINA_REQUIRE_ROOT();
  const ScratchFolder scratch;
  const LoopDevice loop(scratch / "device.img", 1U << 20U);
  const Result<TracedDevice> device = find_traced_device(loop.path());
  ASSERT_TRUE(device.ok()) << device.error().message;
  EXPECT_EQ(BackingFileWatch(*device).doubt(), "");
  ASSERT_EQ(::unlink(loop.backing_file().c_str()), 0);
  EXPECT_EQ(BackingFileWatch(*device).doubt(), "backing_file_unwatched");
}

}  // namespace
}  // namespace patina
