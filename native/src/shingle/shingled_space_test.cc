// What the policies of placement choose, and that no write damages a live block.
#include "shingle/shingled_space.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <span>

#include "shingle/file_churn.h"
#include "testing/property_testing.h"

namespace patina {
namespace {

const PlacementPolicy& policy(const std::string& name) {
  return *std::ranges::find(kPlacementPolicies, name, &PlacementPolicy::name);
}

std::optional<uint64_t> placed(ShingledSpace& space, uint64_t count) {
  const std::vector<BlockExtent> extents = space.allocate(count);
  EXPECT_LE(extents.size(), 1U);
  return extents.empty() ? std::nullopt : std::optional(extents[0].first);
}

// A disk of 200 blocks, DID 4, with free extents of 10, 40, 20 and 66 blocks at 20, 50, 100 and 134.
ShingledSpace with_holes(const std::string& name) {
  ShingledSpace space(200, {.did = 4}, policy(name));
  EXPECT_EQ(placed(space, 196), 0U);
  for (const BlockExtent hole : {BlockExtent{20, 10}, {50, 40}, {100, 20}, {134, 62}}) space.release(hole);
  return space;
}

TEST(ShingledSpace, ChoosesByThePolicy) {
  const auto place = [](const std::string& name, uint64_t accessed) {
    ShingledSpace space = with_holes(name);
    space.accessed(accessed);
    return placed(space, 8);
  };
  EXPECT_EQ(place("best", 0), 100U);
  EXPECT_EQ(place("first", 0), 50U);
  EXPECT_EQ(place("worst", 0), 134U);
  EXPECT_EQ(place("next", 0), 50U);  // behind the last placement is nothing
  EXPECT_EQ(place("last-position", 99), 100U);
  EXPECT_EQ(place("last-position", 101), 100U);
  EXPECT_EQ(place("last-position", 118), 134U);
  EXPECT_EQ(place("last-position", 199), 134U);
}

TEST(ShingledSpace, NextGoesOnBehindTheLastPlacement) {
  ShingledSpace space = with_holes("next");
  EXPECT_EQ(placed(space, 8), 50U);
  EXPECT_EQ(placed(space, 8), 58U);
  EXPECT_EQ(placed(space, 30), 134U);
  EXPECT_EQ(placed(space, 8), 164U);
  EXPECT_EQ(placed(space, 25), std::nullopt);
  EXPECT_EQ(placed(space, 24), 172U);
  EXPECT_EQ(placed(space, 16), 66U);
}

TEST(ShingledSpace, SplitsAFileIfNoExtentIsLongEnough) {
  ShingledSpace space = with_holes("best-split");
  EXPECT_EQ(space.allocate(62), (std::vector<BlockExtent>{{134, 62}}));
  EXPECT_EQ(space.allocate(54), (std::vector<BlockExtent>{{50, 36}, {100, 16}, {20, 2}}));
  const uint64_t free_before = space.free_extents().free_count();
  EXPECT_TRUE(space.allocate(5).empty());  // 4 are usable
  EXPECT_EQ(space.free_extents().free_count(), free_before);
  EXPECT_EQ(space.allocate(4), (std::vector<BlockExtent>{{22, 4}}));
}

TEST(ShingledSpace, LateExtentsCoalesceOnlyIfNoneIsLongEnough) {
  ShingledSpace space(200, {.did = 4}, policy("best-late"));
  EXPECT_EQ(placed(space, 196), 0U);
  for (const BlockExtent hole : {BlockExtent{20, 10}, {30, 12}, {60, 30}}) space.release(hole);
  EXPECT_EQ(placed(space, 7), 30U);  // not the 22 blocks from 20 on
  EXPECT_EQ(placed(space, 6), 20U);
  EXPECT_EQ(placed(space, 26), 60U);
  EXPECT_EQ(space.unusable_count(), 3 * 4U);
  EXPECT_EQ(placed(space, 5), std::nullopt);
  space.release({20, 6});
  space.release({30, 7});
  EXPECT_EQ(placed(space, 18), 20U);  // four extents
}

// DNOR 6: the 6 blocks behind the first one of a write stay sound.
TEST(ShingledSpace, AwareOfDamageUsesExtentsThatAreTooShort) {
  ShingledSpace space(200, {.did = 8, .dnor = 6}, policy("best-aware"));
  EXPECT_EQ(placed(space, 192), 0U);
  EXPECT_EQ(placed(space, 8), 192U);  // nothing is behind the end of the disk
  space.release({20, 4});
  EXPECT_EQ(placed(space, 2), std::nullopt);  // would damage 27 to 31
  space.release({26, 20});
  EXPECT_EQ(placed(space, 2), 20U);  // 24 and 25 stay sound: damages 27 to 29
  EXPECT_EQ(placed(space, 2), 22U);
}

// A file of all that an extent of DID and one block has is placed; nothing fits into one of DID.
TEST(ShingledSpace, NeedsTheDamagedBlocksFreeAndGivesThemBack) {
  for (const PlacementPolicy& row : std::span(kPlacementPolicies).first(5)) {
    ShingledSpace space(21, {.did = 16}, row);
    EXPECT_EQ(placed(space, 6), std::nullopt) << row.name;
    EXPECT_EQ(placed(space, 5), 0U) << row.name;
    EXPECT_EQ(space.free_extents().free_count(), 16U) << row.name;
    EXPECT_EQ(space.unusable_count(), 16U) << row.name;
    EXPECT_EQ(placed(space, 1), std::nullopt) << row.name;
    space.release({4, 1});
    EXPECT_EQ(space.unusable_count(), 0U) << row.name;
    EXPECT_EQ(placed(space, 1), 4U) << row.name;
  }
}

struct Shingling {
  PlacementPolicy policy;
  ShingledSpace::Damage damage;

  friend void PrintTo(const Shingling& of, std::ostream* out) { *out << of.policy.name << of.damage.did; }
};

class ShingledSpaceOf : public testing::TestWithParam<Shingling> {};

// A million operations on a disk on which not all files find a place.
TEST_P(ShingledSpaceOf, AnyPolicyNeverDamagesALiveBlock) {
  constexpr uint64_t kBlocks = 300'000;
  const ShingledSpace::Damage damage = GetParam().damage;
  ShingledSpace space(kBlocks, damage, GetParam().policy);
  FileChurn churn(kBlocks, 3);
  std::vector<std::vector<BlockExtent>> files;
  std::map<uint64_t, uint64_t> live;  // ends by first block
  uint64_t live_count = 0;
  uint64_t refused_count = 0;
  const auto next_live = [&live](uint64_t block) {
    const auto found = live.lower_bound(block);
    return found == live.end() ? UINT64_MAX : found->first;
  };
  for (int i = 0; i < 1'000'000; ++i) {
    const ChurnOperation operation = churn.next();
    if (operation.blocks_count == 0) {
      for (const BlockExtent& extent : files[operation.file]) {
        live.erase(extent.first);
        live_count -= extent.count;
        space.release(extent);
      }
    } else {
      files.push_back(space.allocate(operation.blocks_count));
      if (files.back().empty()) ++refused_count;
      for (const BlockExtent& extent : files.back()) {
        ASSERT_LE(extent.end(), kBlocks);
        const auto before = live.lower_bound(extent.first);
        ASSERT_TRUE(before == live.begin() || std::prev(before)->second <= extent.first) << i;
        ASSERT_GE(next_live(extent.first), extent.end()) << i;
        const uint64_t damaged = std::max(extent.first + 1 + damage.dnor, extent.end());
        if (damaged < extent.end() + damage.did) {
          const auto at = live.upper_bound(damaged);
          ASSERT_TRUE(at == live.begin() || std::prev(at)->second <= damaged) << i;
          ASSERT_GE(next_live(damaged), extent.end() + damage.did) << i;
        }
        live[extent.first] = extent.end();
        live_count += extent.count;
      }
    }
    ASSERT_EQ(space.allocated_count(), live_count);
    if (i % 10'000 == 0) {
      ASSERT_EQ(live_count + space.free_extents().free_count(), kBlocks);
      ASSERT_LE(space.unusable_count(), space.free_extents().free_count());
    }
  }
  EXPECT_EQ(refused_count > 0, damage.did > 0 || !GetParam().policy.splits);
}

std::vector<Shingling> shinglings() {
  std::vector<Shingling> all;
  for (const PlacementPolicy& row : kPlacementPolicies) {
    for (const ShingledSpace::Damage damage :
         {ShingledSpace::Damage{}, {.did = 16}, {.did = 16, .dnor = 6}, {.did = 512}}) {
      all.push_back({row, damage});
    }
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Policies, ShingledSpaceOf, testing::ValuesIn(shinglings()),
                         [](const testing::TestParamInfo<Shingling>& of) {
                           std::string name = of.param.policy.name;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return fmt::format("{}_did_{}_dnor_{}", name, of.param.damage.did,
                                              of.param.damage.dnor);
                         });

}  // namespace
}  // namespace patina
