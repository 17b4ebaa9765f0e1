#include "trace/dirty_blocks.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "image/delta.h"

namespace patina {
namespace {

constexpr uint64_t kBlock = kDeltaBlockBytes;
constexpr uint64_t kGiB = 1ULL << 30U;
constexpr uint64_t kTiB = 1ULL << 40U;

std::vector<std::pair<uint64_t, uint64_t>> extents_of(const DirtyBlocks& dirty, uint64_t max_count = 1000) {
  std::vector<std::pair<uint64_t, uint64_t>> pairs;
  for (const ByteRange& extent : dirty.extents(max_count)) {
    pairs.emplace_back(extent.begin_bytes, extent.end_bytes);
  }
  return pairs;
}

using Pairs = std::vector<std::pair<uint64_t, uint64_t>>;

TEST(DirtyBlocks, RoundOutToBlocksAndStayOnTheDevice) {
  DirtyBlocks dirty(10 * kBlock + 512);
  EXPECT_TRUE(extents_of(dirty).empty());
  dirty.add({kBlock + 512, kBlock + 1024});
  dirty.add({3 * kBlock - 1, 3 * kBlock + 1});
  dirty.add({10 * kBlock, 99 * kBlock});
  dirty.add({11 * kBlock, 12 * kBlock});
  dirty.add({5 * kBlock, 5 * kBlock});
  EXPECT_EQ(extents_of(dirty), (Pairs{{kBlock, 4 * kBlock}, {10 * kBlock, 10 * kBlock + 512}}));
  EXPECT_EQ(dirty.touched_bytes(), 3 * kBlock + 512);
}

TEST(DirtyBlocks, TellWhatIsNewOnceOnly) {
  DirtyBlocks dirty(kGiB);
  Pairs fresh;
  const auto visit = [&fresh](ByteRange range) { fresh.emplace_back(range.begin_bytes, range.end_bytes); };
  dirty.add({63 * kBlock, 66 * kBlock}, visit);
  EXPECT_EQ(fresh, (Pairs{{63 * kBlock, 66 * kBlock}}));
  fresh.clear();
  dirty.add({64 * kBlock, 65 * kBlock}, visit);
  EXPECT_TRUE(fresh.empty());
  dirty.add({0, kGiB}, visit);
  EXPECT_EQ(fresh, (Pairs{{0, 63 * kBlock}, {66 * kBlock, kGiB}}));
  fresh.clear();
  dirty.add({0, kGiB}, visit);
  EXPECT_TRUE(fresh.empty());
  EXPECT_EQ(extents_of(dirty), (Pairs{{0, kGiB}}));
  EXPECT_EQ(dirty.touched_bytes(), kGiB);
}

TEST(DirtyBlocks, HoldWhatASetOfBlocksHolds) {
  std::mt19937_64 generator(5);
  const uint64_t blocks_count = 200'000;
  DirtyBlocks dirty(blocks_count * kBlock);
  std::set<uint64_t> model;
  for (int i = 0; i < 3000; ++i) {
    const uint64_t begin = generator() % blocks_count;
    const uint64_t end = std::min(blocks_count, begin + 1 + generator() % (i % 100 == 0 ? 40'000 : 9));
    uint64_t fresh_count = 0;
    dirty.add({begin * kBlock, end * kBlock},
              [&](ByteRange range) { fresh_count += range.length_bytes() / kBlock; });
    const size_t before = model.size();
    for (uint64_t block = begin; block < end; ++block) model.insert(block);
    ASSERT_EQ(fresh_count, model.size() - before);
  }
  EXPECT_EQ(dirty.touched_bytes(), model.size() * kBlock);
  uint64_t held = 0;
  uint64_t previous_end = 0;
  for (const ByteRange& extent : dirty.extents(1'000'000)) {
    EXPECT_TRUE(held == 0 || extent.begin_bytes > previous_end);
    for (uint64_t at = extent.begin_bytes; at < extent.end_bytes; at += kBlock) {
      ASSERT_TRUE(model.contains(at / kBlock));
      ++held;
    }
    previous_end = extent.end_bytes;
  }
  EXPECT_EQ(held, model.size());
}

TEST(DirtyBlocks, JoinTheNearestWhenTheyAreTooMany) {
  DirtyBlocks dirty(kGiB);
  // Gaps of one block, and one of a thousand.
  for (uint64_t block = 0; block < 100; block += 2) dirty.add({block * kBlock, (block + 1) * kBlock});
  dirty.add({1100 * kBlock, 1101 * kBlock});
  EXPECT_EQ(extents_of(dirty, 51).size(), 51U);
  EXPECT_EQ(extents_of(dirty, 50), (Pairs{{0, 99 * kBlock}, {1100 * kBlock, 1101 * kBlock}}));
  EXPECT_EQ(extents_of(dirty, 1), (Pairs{{0, 1101 * kBlock}}));
}

TEST(DirtyBlocks, OfAnEightTebibyteDeviceFitInMemoryAndMissNothing) {
  DirtyBlocks dirty(8 * kTiB);
  EXPECT_LE(8 * kTiB / dirty.block_bytes() / 8, 32U << 20U);
  EXPECT_EQ(DirtyBlocks(kTiB).block_bytes(), kBlock);
  dirty.add({8 * kTiB - 512, 8 * kTiB});
  dirty.add({5 * kTiB + 512, 5 * kTiB + 1024});
  const Pairs extents = extents_of(dirty);
  ASSERT_EQ(extents.size(), 2U);
  EXPECT_EQ(extents[0].first, 5 * kTiB);
  EXPECT_EQ(extents[1].second, 8 * kTiB);
  dirty.add({0, 8 * kTiB});
  EXPECT_EQ(dirty.touched_bytes(), 8 * kTiB);
  EXPECT_EQ(DirtyBlocks(INT64_MAX).extents(1).size(), 0U);
}

}  // namespace
}  // namespace patina
