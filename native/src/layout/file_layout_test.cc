// Scores and counts of trees small enough to count by hand.
#include "layout/file_layout.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "testing/layout_testing.h"

namespace patina {
namespace {

TEST(FileLayout, AFileInOnePieceScoresOne) {
  const FileLayout layout = file_layout_of(walk_of({{"a", {{0, 100, 8}}}}), kBlock);
  EXPECT_EQ(layout.extents_count, 1U);
  EXPECT_EQ(layout.layout_score(), 1.0);
  EXPECT_EQ(layout.inter_file_score(), std::nullopt);
}

TEST(FileLayout, EachJumpCostsOneOfTheBlocksThatFollowAnother) {
  // Smith and Seltzer: of 10 blocks 9 follow another, 7 of them in place.
  const FileLayout layout = file_layout_of(walk_of({{"a", {{0, 100, 4}, {4, 200, 3}, {7, 50, 3}}}}), kBlock);
  EXPECT_EQ(layout.extents_count, 3U);
  EXPECT_EQ(layout.max_extents_count, 3U);
  EXPECT_DOUBLE_EQ(layout.layout_score().value_or(-1), 7.0 / 9.0);
  ASSERT_EQ(layout.bins.size(), 2U);
  EXPECT_EQ(layout.bins[0].files_count, 0U);
  EXPECT_EQ(layout.bins[1].min_extents, 2U);
  EXPECT_EQ(layout.bins[1].files_count, 1U);
}

TEST(FileLayout, ExtentsThatContinueEachOtherAreOne) {
  const FileLayout layout =
      file_layout_of(walk_of({{"a", {{0, 100, 4}, {4, 104, 3, true}, {7, 107, 3}}}}), kBlock);
  EXPECT_EQ(layout.extents_count, 1U);
  EXPECT_EQ(layout.layout_score(), 1.0);
  EXPECT_EQ(layout.blocks_count, 10U);
  EXPECT_EQ(layout.unwritten_blocks_count, 3U);
}

TEST(FileLayout, AHoleEndsAnExtentButCostsNoSeek) {
  const FileLayout layout = file_layout_of(walk_of({{"a", {{0, 100, 4}, {9, 104, 4}}}}), kBlock);
  EXPECT_EQ(layout.extents_count, 2U);
  EXPECT_EQ(layout.layout_score(), 1.0);
}

TEST(FileLayout, FilesOfOneBlockHaveNoScoreAndEmptyOnesNoExtents) {
  const FileLayout layout = file_layout_of(walk_of({{"a", {{0, 100, 1}}}, {"b", {}}}), kBlock);
  EXPECT_EQ(layout.files_count, 2U);
  EXPECT_EQ(layout.files_with_data_count, 1U);
  EXPECT_EQ(layout.layout_score(), std::nullopt);
  const auto json = file_layout_json(layout, "");
  EXPECT_TRUE(json["layout_score"].is_null());
  EXPECT_EQ(json["mean_extents_count"], 1.0);
}

TEST(FileLayout, NeighboursByNameAreNearWithinTheReadAhead) {
  const uint64_t window = kInterFileWindowBytes / kBlock;
  const FileLayout layout = file_layout_of(walk_of({{"a", {{0, 100, 4}}},
                                                    {"b", {{0, 104, 4}}},               // right behind
                                                    {"c", {}},                          // no data: skipped
                                                    {"d", {{0, 108 + window, 4}}},      // at the limit
                                                    {"e", {{0, 113 + 2 * window, 4}}},  // a block farther
                                                    {"f", {{0, 50, 4}}}}),              // before
                                           kBlock);
  EXPECT_EQ(layout.inter_file_pairs_count, 4U);
  EXPECT_DOUBLE_EQ(layout.inter_file_score().value_or(-1), 0.5);
}

TEST(FileLayout, FilesOfTwoDirectoriesAreNoPair) {
  ExtentWalk walk = walk_of({{"a", {{0, 100, 4}}}});
  walk.directories.push_back(walk_of({{"b", {{0, 104, 4}}}}).directories.front());
  const FileLayout layout = file_layout_of(walk, kBlock);
  EXPECT_EQ(layout.directories_count, 2U);
  EXPECT_EQ(layout.inter_file_pairs_count, 0U);
}

TEST(FileLayout, AFileWithTwoNamesCountsOnce) {
  ExtentWalk walk = walk_of({{"a", {{0, 100, 4}}}, {"b", {{0, 100, 4}}}, {"c", {{0, 200, 4}}}});
  for (WalkedFile& file : walk.directories[0].files) file.links_count = 2;
  walk.directories[0].files[1].inode = walk.directories[0].files[0].inode;
  const FileLayout layout = file_layout_of(walk, kBlock);
  EXPECT_EQ(layout.files_count, 2U);
  EXPECT_EQ(layout.extents_count, 2U);
  EXPECT_EQ(layout.inter_file_pairs_count, 1U);
}

TEST(FileLayout, AnEmptyTreeHasNoMean) {
  const auto json = file_layout_json(file_layout_of(walk_of({}), kBlock), "digest");
  EXPECT_TRUE(json["mean_extents_count"].is_null());
  EXPECT_EQ(json["extents_digest"], "digest");
}

}  // namespace
}  // namespace patina
