#include "device/generation_command.h"

#include <gtest/gtest.h>

#include "device/device_generation.h"
#include "testing/device_testing.h"

namespace patina {
namespace {

const std::atomic<bool> going{false};

TEST(GenerationCommand, TellsOfEachDeviceAndWhyNotOfOneThatIsGone) {
  PATINA_REQUIRE_ROOT();
  const ScratchFolder scratch;
  const LoopDevice loop(scratch / "device.img", 1U << 20U);
  CollectingSink sink;
  ASSERT_TRUE(run_generation({.devices = {loop.path(), "/dev/patina-none"}}, sink, going).ok());
  EXPECT_EQ(sink.events[1]["generation"], *device_generation(loop.path()));
  EXPECT_EQ(sink.events[2]["generation"], nullptr);
  EXPECT_EQ(sink.events[2]["reason"], "/dev/patina-none is neither a block device nor a regular file");
  EXPECT_EQ(sink.last()["devices_count"], 2);
  write_at(loop.path(), 4096, "x");
  ASSERT_TRUE(run_generation({.devices = {loop.path()}}, sink, going).ok());
  EXPECT_NE(sink.events[sink.events.size() - 2]["generation"], sink.events[1]["generation"]);
}

TEST(GenerationCommand, IsShapedLikeItsGolden) {
  PATINA_REQUIRE_ROOT();
  const ScratchFolder scratch;
  const LoopDevice loop(scratch / "device.img", 1U << 20U);
  CollectingSink sink;
  ASSERT_TRUE(run_generation({.devices = {loop.path()}}, sink, going).ok());
  expect_shaped_like_golden(sink, "generation");
}

}  // namespace
}  // namespace patina
