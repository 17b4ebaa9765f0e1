// The cells of free space and of files at known places.
#include "layout/block_map.h"

#include <gtest/gtest.h>

#include <array>
#include <nlohmann/json.hpp>

#include "testing/layout_testing.h"

namespace patina {
namespace {

TEST(BlockMap, EveryBlockOfACellHasOneClass) {
  const ExtentWalk walk = walk_of({{"a", {{0, 2, 3}}}, {"b", {{0, 6, 3, true}}}});
  const BlockMap map = make_block_map(space_of(13, {{10, 13}}), walk, 4);
  ASSERT_EQ(map.cells.size(), 4U);
  EXPECT_EQ(map.cell_bytes, 4 * kBlock);
  const auto expect_cell = [&map](size_t i, std::array<uint64_t, 4> blocks) {
    const BlockMapCell& cell = map.cells[i];
    EXPECT_EQ((std::array{cell.free_blocks, cell.metadata_blocks, cell.data_blocks, cell.unwritten_blocks}),
              blocks)
        << "cell " << i;
  };
  expect_cell(0, {0, 2, 2, 0});
  expect_cell(1, {0, 1, 1, 2});
  expect_cell(2, {2, 1, 0, 1});
  expect_cell(3, {1, 0, 0, 0});
}

TEST(BlockMap, SharedBlocksCountOnceAndFreedOnesAreFree) {
  const ExtentWalk walk = walk_of({{"a", {{0, 0, 6}}}, {"b", {{0, 2, 6}}}, {"c", {{0, 7, 9}}}});
  const BlockMap map = make_block_map(space_of(16, {{4, 5}, {8, 10}, {14, 16}}), walk, 1);
  ASSERT_EQ(map.cells.size(), 1U);
  EXPECT_EQ(map.cells[0].free_blocks, 5U);
  EXPECT_EQ(map.cells[0].data_blocks, 11U);
  EXPECT_EQ(map.cells[0].metadata_blocks, 0U);
}

TEST(BlockMap, AddressesAreFoundInEachOfTheirPlaces) {
  SpaceMap space = space_of(20, {});
  space.mappings = {{{100 * kBlock, 104 * kBlock}, {2 * kBlock, 10 * kBlock}},
                    {{104 * kBlock, 108 * kBlock}, {15 * kBlock}}};
  const BlockMap map = make_block_map(space, walk_of({{"a", {{0, 102, 4}}}}), 20);
  std::vector<uint64_t> data;
  for (size_t i = 0; i < map.cells.size(); ++i) {
    if (map.cells[i].data_blocks > 0) data.push_back(i);
  }
  EXPECT_EQ(data, (std::vector<uint64_t>{4, 5, 12, 13, 15, 16}));
}

TEST(BlockMap, UnusableAndDamagedBlocksCountWhereTheyAreFree) {
  SpaceMap space = space_of(16, {{2, 6}, {8, 16}});
  space.unusable = {{2 * kBlock, 6 * kBlock}};
  space.damaged = {{0, 4 * kBlock}, {5 * kBlock, 10 * kBlock}};
  const BlockMap map = make_block_map(space, walk_of({}), 2);
  ASSERT_EQ(map.cells.size(), 2U);
  EXPECT_EQ(map.cells[0].free_blocks, 4U);
  EXPECT_EQ(map.cells[0].unusable_blocks, 4U);
  EXPECT_EQ(map.cells[0].damaged_blocks, 3U);
  EXPECT_EQ(map.cells[0].unusable_and_damaged_blocks, 3U);
  EXPECT_EQ(map.cells[1].free_blocks, 8U);
  EXPECT_EQ(map.cells[1].unusable_blocks, 0U);
  EXPECT_EQ(map.cells[1].damaged_blocks, 2U);
  EXPECT_EQ(block_map_json(map)["shingled"]["damaged_blocks"], nlohmann::ordered_json({3, 2}));
  EXPECT_FALSE(block_map_json(make_block_map(space_of(16, {}), walk_of({}), 2)).contains("shingled"));
}

TEST(BlockMap, ThereAreNoMoreCellsThanBlocks) {
  EXPECT_EQ(make_block_map(space_of(5, {}), walk_of({}), kMaxMapCells).cells.size(), 5U);
}

}  // namespace
}  // namespace patina
