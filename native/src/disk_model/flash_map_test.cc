#include "disk_model/flash_map.h"

#include <gtest/gtest.h>

#include <set>

#include "base/random.h"
#include "testing/property_testing.h"

namespace patina {
namespace {

double amplification(const FlashMap& map) {
  return static_cast<double>(map.written_count() + map.moved_count()) /
         static_cast<double>(map.written_count());
}

TEST(FlashMap, NeverLosesAMapping) {
  for (uint32_t seed = 0; seed < property_cases(20); ++seed) {
    Random random(seed);
    FlashMapShape shape;
    shape.block_units_count = 1 + random.below(40);
    shape.units_count = 1 + random.below(2000);
    shape.over_provisioning_fraction = 0.01 + random.below(30) / 100.0;
    FlashMap map(shape);
    std::set<uint32_t> mapped;
    for (int i = 0; i < 5000; ++i) {
      const uint32_t unit = random.below(static_cast<uint32_t>(shape.units_count));
      if (random.below(8) == 0) {
        map.discard(unit);
        mapped.erase(unit);
      } else {
        map.write(unit);
        mapped.insert(unit);
      }
      if (i % 500 == 0) {
        ASSERT_TRUE(map.is_consistent()) << "seed " << seed;
      }
    }
    ASSERT_TRUE(map.is_consistent()) << "seed " << seed;
    ASSERT_EQ(map.mapped_count(), mapped.size());
    for (uint32_t unit = 0; unit < shape.units_count; ++unit)
      ASSERT_EQ(map.is_mapped(unit), mapped.contains(unit));
  }
}

TEST(FlashMap, SequentialWritesMoveNothing) {
  FlashMap map({4096, 64, 0.07});
  for (int round = 0; round < 10; ++round) {
    for (uint32_t unit = 0; unit < 4096; ++unit) map.write(unit);
  }
  EXPECT_EQ(map.moved_count(), 0U);
  EXPECT_GT(map.erased_count(), 500U);
}

TEST(FlashMap, RandomWritesOfAFullDiskAmplifyLessWithMoreSpare) {
  const auto measured = [](double over_provisioning) {
    FlashMap map({8192, 64, over_provisioning});
    Random random(3);
    for (uint32_t unit = 0; unit < 8192; ++unit) map.write(unit);
    for (int i = 0; i < 200'000; ++i) map.write(random.below(8192));
    return amplification(map);
  };
  const double little = measured(0.07);
  const double much = measured(0.28);
  // Greedy collection of uniform writes: about 1 over twice the share of spare space.
  EXPECT_GT(little, 4);
  EXPECT_LT(little, 9);
  EXPECT_GT(much, 1.5);
  EXPECT_LT(much, 3);
}

TEST(FlashMap, DiscardedSpaceIsFreeAgain) {
  FlashMap map({4096, 64, 0.07});
  Random random(5);
  for (uint32_t unit = 0; unit < 4096; ++unit) map.write(unit);
  for (int i = 0; i < 20'000; ++i) map.write(random.below(4096));
  for (uint32_t unit = 0; unit < 4096; ++unit) map.discard(unit);
  EXPECT_EQ(map.mapped_count(), 0U);
  const uint64_t moved = map.moved_count();
  for (uint32_t unit = 0; unit < 4096; ++unit) map.write(unit);
  EXPECT_EQ(map.moved_count(), moved);
  EXPECT_TRUE(map.is_consistent());
}

}  // namespace
}  // namespace patina
