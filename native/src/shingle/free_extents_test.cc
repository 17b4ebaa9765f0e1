// Free extents against a map of single blocks.
#include "shingle/free_extents.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.h"
#include "testing/property_testing.h"

namespace patina {
namespace {

// The same questions, answered block by block.
class FreeBlocks {
 public:
  explicit FreeBlocks(uint64_t count) : is_free_(count, true) {}

  void set(const BlockExtent& extent, bool is_free) {
    for (uint64_t block = extent.first; block < extent.end(); ++block) is_free_[block] = is_free;
  }
  std::vector<BlockExtent> extents() const {
    std::vector<BlockExtent> found;
    for (uint64_t block = 0; block < is_free_.size(); ++block) {
      if (!is_free_[block]) continue;
      if (found.empty() || found.back().end() != block) found.push_back({block, 0});
      ++found.back().count;
    }
    return found;
  }
  // A random run of blocks that are all free, or all not.
  BlockExtent uniform(Random& random) const {
    const uint64_t first = random.below(static_cast<uint32_t>(is_free_.size()));
    const uint64_t most = 1 + random.below(random.coin() ? 8 : 700);
    uint64_t count = 1;
    while (count < most && first + count < is_free_.size() && is_free_[first + count] == is_free_[first])
      ++count;
    return {first, count};
  }
  bool is_free(uint64_t block) const { return is_free_[block]; }

 private:
  std::vector<bool> is_free_;
};

void expect_same_answers(const FreeExtents& found, const std::vector<BlockExtent>& extents, uint64_t block,
                         uint64_t least) {
  std::optional<BlockExtent> shortest;
  std::optional<BlockExtent> longest;
  std::optional<BlockExtent> next;
  std::optional<BlockExtent> previous;
  uint64_t in_short = 0;
  for (const BlockExtent& extent : extents) {
    if (extent.count < least) {
      in_short += extent.count;
      continue;
    }
    if (!shortest || extent.count < shortest->count) shortest = extent;
    if (!longest || extent.count > longest->count) longest = extent;
    if (extent.first < block) previous = extent;
    if (extent.first >= block && !next) next = extent;
  }
  ASSERT_EQ(found.shortest(least), shortest);
  ASSERT_EQ(found.longest(least), longest);
  ASSERT_EQ(found.next(block, least), next);
  ASSERT_EQ(found.previous(block, least), previous);
  ASSERT_EQ(found.free_count_in_short(least - 1), in_short);
  const std::vector<BlockExtent> shortest_first = found.from_shortest(least, 3);
  ASSERT_EQ(shortest_first.empty(), !shortest);
  if (shortest) {
    ASSERT_EQ(shortest_first.front(), *shortest);
  }
  ASSERT_TRUE(std::ranges::is_sorted(shortest_first, {}, &BlockExtent::count));
  const bool is_free = std::ranges::any_of(extents, [&](const BlockExtent& extent) {
    return extent.first <= block && block + least <= extent.end();
  });
  ASSERT_EQ(found.contains({block, least}), is_free);
}

TEST(FreeExtents, AnswerAsAMapOfBlocksDoes) {
  for (uint32_t seed = 0; seed < property_cases(6); ++seed) {
    Random random(seed);
    const uint64_t blocks_count = seed == 0 ? 1 : 1 + random.below(9000);
    FreeExtents extents(blocks_count);
    FreeBlocks blocks(blocks_count);
    for (int i = 0; i < 600; ++i) {
      const BlockExtent run = blocks.uniform(random);
      const bool was_free = blocks.is_free(run.first);
      blocks.set(run, !was_free);
      if (was_free) {
        extents.coalesce();
        extents.remove(run);
      } else if (random.coin()) {
        extents.add(run);
      } else {
        extents.add_apart(run);
        if (random.coin()) continue;
        extents.coalesce();
      }
      extents.coalesce();
      const std::vector<BlockExtent> expected = blocks.extents();
      uint64_t free_count = 0;
      for (const BlockExtent& extent : expected) free_count += extent.count;
      ASSERT_EQ(extents.free_count(), free_count);
      ASSERT_EQ(extents.by_first().size(), expected.size());
      for (int question = 0; question < 4; ++question) {
        const uint64_t block = random.below(static_cast<uint32_t>(blocks_count) + 300);
        expect_same_answers(extents, expected, block, 1 + random.below(random.coin() ? 12 : 900));
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

TEST(FreeExtents, OfADiskWithoutBlocksAreNone) {
  const FreeExtents none(0);
  EXPECT_EQ(none.free_count(), 0U);
  EXPECT_EQ(none.shortest(1), std::nullopt);
  EXPECT_EQ(none.next(0, 1), std::nullopt);
  EXPECT_EQ(none.previous(1, 1), std::nullopt);
}

}  // namespace
}  // namespace patina
