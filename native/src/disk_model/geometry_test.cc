#include "disk_model/geometry.h"

#include <gtest/gtest.h>

#include <set>
#include <tuple>

#include "disk_model/arm.h"
#include "testing/disk_model_testing.h"

namespace patina {
namespace {

RotatingSpec rotating(const nlohmann::json& document) {
  return std::get<RotatingSpec>(spec_of(document).disk);
}

TEST(Geometry, EverySectorHasAPlaceOfItsOwnAndBack) {
  const Geometry geometry(rotating(small_rotating()));
  ASSERT_EQ(geometry.sectors_count(), 3U * (10 * 12 + 5 * 9 + 15 * 7));
  ASSERT_EQ(geometry.cylinders_count(), 30U);
  std::set<std::tuple<uint32_t, uint32_t, uint64_t>> places;
  for (uint64_t sector = 0; sector < geometry.sectors_count(); ++sector) {
    const SectorPlace place = geometry.place(sector);
    EXPECT_TRUE(places.emplace(place.cylinder, place.head, place.angle_ns).second) << sector;
    EXPECT_EQ(geometry.sector(place.cylinder, place.head, place.angle_ns), sector);
  }
}

TEST(Geometry, SectorsOfALargeDiskMapThereAndBack) {
  const Geometry geometry(rotating(builtin_model("hitachi-1tb")));
  Random random(7);
  for (int i = 0; i < 20'000; ++i) {
    const uint64_t sector = random.next() % geometry.sectors_count();
    const SectorPlace place = geometry.place(sector);
    ASSERT_EQ(geometry.sector(place.cylinder, place.head, place.angle_ns), sector);
  }
}

TEST(Geometry, TheSectorsOfATrackTakeOneRevolution) {
  const RotatingSpec spec = rotating(builtin_model("hitachi-80gb"));
  const Geometry geometry(spec);
  const SectorPlace place = geometry.place(0);
  EXPECT_EQ(place.track_sectors, 1170U);
  EXPECT_EQ(geometry.passing_ns(place, place.track_sectors), spec.revolution_ns);
}

TEST(Arm, ASeekOverNoCylinderTakesNoTimeAndALongerOneIsNotShorter) {
  for (const char* name : {"hitachi-80gb", "hitachi-1tb", "hdd-7200", "caveat-7200"}) {
    const Arm arm(rotating(builtin_model(name)), 0);
    EXPECT_EQ(arm.seek_ns(0), 0U);
    uint64_t before = 0;
    for (uint32_t cylinders = 1; cylinders < arm.geometry().cylinders_count(); cylinders += 13) {
      ASSERT_GE(arm.seek_ns(cylinders), before) << name << " " << cylinders;
      before = arm.seek_ns(cylinders);
    }
  }
}

TEST(Arm, SectorsThatFollowEachOtherPassWithoutAWait) {
  const RotatingSpec spec = rotating(builtin_model("hitachi-80gb"));
  Arm arm(spec, 12345);
  const uint64_t at = arm.transfer(0, 100, 0);
  EXPECT_EQ(arm.transfer(100, 50, at), at + arm.geometry().passing_ns(arm.geometry().place(100), 50));
  // Later by a nanosecond, it waits for the sector to come round again.
  const uint64_t then = arm.transfer(150, 10, arm.transfer(0, 150, at) + 1);
  EXPECT_GT(then - at, spec.revolution_ns);
}

TEST(Arm, TheSkewHidesTheSwitchOfHeadsAndCylinders) {
  const RotatingSpec spec = rotating(builtin_model("hitachi-80gb"));
  Arm arm(spec, 0);
  const uint64_t begun = arm.transfer(0, 1, 0);
  // Four tracks: two heads of two cylinders.
  const uint64_t end = arm.transfer(1, 4 * 1170 - 1, begun);
  const uint64_t sector_ns = arm.geometry().passing_ns(arm.geometry().place(0), 1);
  EXPECT_NEAR(static_cast<double>(end - begun + sector_ns),
              static_cast<double>(4 * spec.revolution_ns + 2 * spec.head_switch_ns + spec.cylinder_switch_ns),
              2e4);
}

TEST(Arm, ReadingOnInStepsPassesTheSameSectors) {
  const RotatingSpec spec = rotating(small_rotating());
  Arm whole(spec, 0);
  Arm steps(spec, 0);
  const uint64_t at = whole.transfer(0, 1, 0);
  steps.transfer(0, 1, 0);
  const Arm::Passed expected = whole.read_on({1, at}, 500, at + 300'000'000);
  Arm::Passed passed = {1, at};
  for (uint64_t until = at; until <= at + 300'000'000; until += 100'000)
    passed = steps.read_on(passed, 500, until);
  EXPECT_EQ(passed.sector, expected.sector);
  EXPECT_EQ(passed.at_ns, expected.at_ns);
  EXPECT_GT(passed.sector, 100U);
}

}  // namespace
}  // namespace patina
