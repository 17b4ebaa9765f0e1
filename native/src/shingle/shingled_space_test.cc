// What the policies of placement choose, and that no write damages a live block.
#include "shingle/shingled_space.h"

#include <gtest/gtest.h>

#include <map>

#include "shingle/file_churn.h"
#include "testing/property_testing.h"

namespace patina {
namespace {

// A disk of 200 blocks, DID 4, with free extents of 10, 40, 20 and 66 blocks at 20, 50, 100 and 134.
ShingledSpace with_holes(PlacementPolicy policy) {
  ShingledSpace space(200, 4, policy);
  EXPECT_EQ(space.allocate(196), 0U);
  for (const BlockExtent hole : {BlockExtent{20, 10}, {50, 40}, {100, 20}, {134, 62}}) space.release(hole);
  return space;
}

TEST(ShingledSpace, ChoosesByThePolicy) {
  const auto place = [](PlacementPolicy policy, uint64_t accessed) {
    ShingledSpace space = with_holes(policy);
    space.accessed(accessed);
    return space.allocate(8);
  };
  EXPECT_EQ(place(PlacementPolicy::kBest, 0), 100U);
  EXPECT_EQ(place(PlacementPolicy::kFirst, 0), 50U);
  EXPECT_EQ(place(PlacementPolicy::kWorst, 0), 134U);
  EXPECT_EQ(place(PlacementPolicy::kNext, 0), 50U);  // behind the last placement is nothing
  EXPECT_EQ(place(PlacementPolicy::kLastPosition, 99), 100U);
  EXPECT_EQ(place(PlacementPolicy::kLastPosition, 101), 100U);
  EXPECT_EQ(place(PlacementPolicy::kLastPosition, 118), 134U);
  EXPECT_EQ(place(PlacementPolicy::kLastPosition, 199), 134U);
}

TEST(ShingledSpace, NextGoesOnBehindTheLastPlacement) {
  ShingledSpace space = with_holes(PlacementPolicy::kNext);
  EXPECT_EQ(space.allocate(8), 50U);
  EXPECT_EQ(space.allocate(8), 58U);
  EXPECT_EQ(space.allocate(30), 134U);
  EXPECT_EQ(space.allocate(8), 164U);
  EXPECT_EQ(space.allocate(25), std::nullopt);
  EXPECT_EQ(space.allocate(24), 172U);
  EXPECT_EQ(space.allocate(16), 66U);
}

// A file of all that an extent of DID and one block has is placed; nothing fits into one of DID.
TEST(ShingledSpace, NeedsTheDamagedBlocksFreeAndGivesThemBack) {
  for (const PlacementPolicyName& row : kPlacementPolicies) {
    ShingledSpace space(21, 16, row.policy);
    EXPECT_EQ(space.allocate(6), std::nullopt) << row.name;
    EXPECT_EQ(space.allocate(5), 0U) << row.name;
    EXPECT_EQ(space.free_extents().free_count(), 16U) << row.name;
    EXPECT_EQ(space.unusable_count(), 16U) << row.name;
    EXPECT_EQ(space.allocate(1), std::nullopt) << row.name;
    space.release({4, 1});
    EXPECT_EQ(space.unusable_count(), 0U) << row.name;
    EXPECT_EQ(space.allocate(1), 4U) << row.name;
  }
}

struct Damage {
  PlacementPolicyName policy;
  uint64_t did;

  friend void PrintTo(const Damage& damage, std::ostream* out) { *out << damage.policy.name << damage.did; }
};

class ShingledSpaceOf : public testing::TestWithParam<Damage> {};

// A million operations on a disk on which not all files find a place.
TEST_P(ShingledSpaceOf, AnyPolicyNeverDamagesALiveBlock) {
  constexpr uint64_t kBlocks = 300'000;
  ShingledSpace space(kBlocks, GetParam().did, GetParam().policy.policy);
  FileChurn churn(kBlocks, 3);
  std::vector<BlockExtent> files;
  std::map<uint64_t, uint64_t> live;  // ends by first block
  uint64_t live_count = 0;
  uint64_t refused_count = 0;
  for (int i = 0; i < 1'000'000; ++i) {
    const ChurnOperation operation = churn.next();
    if (operation.blocks_count == 0) {
      const BlockExtent file = files[operation.file];
      if (file.count == 0) continue;  // it found no place
      live.erase(file.first);
      live_count -= file.count;
      space.release(file);
    } else {
      const std::optional<uint64_t> first = space.allocate(operation.blocks_count);
      files.push_back(first ? BlockExtent{*first, operation.blocks_count} : BlockExtent{});
      if (!first) {
        ++refused_count;
        continue;
      }
      const uint64_t end = *first + operation.blocks_count;
      const auto behind = live.lower_bound(*first);
      ASSERT_TRUE(behind == live.end() || behind->first >= end + GetParam().did) << i;
      ASSERT_TRUE(behind == live.begin() || std::prev(behind)->second <= *first) << i;
      ASSERT_LE(end + GetParam().did, kBlocks);
      live[*first] = end;
      live_count += operation.blocks_count;
    }
    ASSERT_EQ(space.allocated_count(), live_count);
    if (i % 10'000 == 0) {
      ASSERT_EQ(live_count + space.free_extents().free_count(), kBlocks);
      ASSERT_LE(space.unusable_count(), space.free_extents().free_count());
    }
  }
  EXPECT_GT(refused_count, 0U);
}

std::vector<Damage> damages() {
  std::vector<Damage> all;
  for (const PlacementPolicyName& row : kPlacementPolicies) {
    for (const uint64_t did : {0, 16, 512}) all.push_back({row, did});
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Policies, ShingledSpaceOf, testing::ValuesIn(damages()),
                         [](const testing::TestParamInfo<Damage>& damage) {
                           std::string name = damage.param.policy.name;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name + "_did_" + std::to_string(damage.param.did);
                         });

}  // namespace
}  // namespace patina
