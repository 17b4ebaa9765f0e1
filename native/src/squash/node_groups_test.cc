// Nodes of btrfs that arrive in several writes, in any order.
#include "squash/node_groups.h"

#include <gtest/gtest.h>

#include "testing/squash_testing.h"

namespace patina {
namespace {

constexpr uint64_t kDiskBytes = uint64_t{128} << 20U;
constexpr uint64_t kNodePieces = 4;
constexpr uint64_t kHead = 20000;

class BtrfsDisk : public testing::Test {
 protected:
  BtrfsDisk() : disk_(made_image({"mkfs.btrfs", "-q"}, kDiskBytes)) {
    EXPECT_EQ(disk_.squash().kept_whole_reason(), "");
    node_ = data_of(9, kNodePieces);
    constexpr size_t kId = 0x20;
    std::copy_n(disk_.piece(16).begin() + kId, 16, node_.begin() + kId);
  }

  static std::vector<uint8_t> data_of(uint32_t seed, uint64_t pieces_count) {
    const std::string bytes = random_bytes(pieces_count * kPieceBytes, seed);
    return {bytes.begin(), bytes.end()};
  }
  // Writes pieces [begin, end) of the node.
  std::vector<Verdict> write_part(uint64_t begin, uint64_t end, uint64_t head = kHead) {
    return disk_.write(head + begin,
                       std::span(node_).subspan(begin * kPieceBytes, (end - begin) * kPieceBytes));
  }
  bool has_node(uint64_t head = kHead) {
    for (uint64_t i = 0; i < kNodePieces; ++i) {
      const auto piece = disk_.piece(head + i);
      if (!std::equal(piece.begin(), piece.end(), node_.begin() + static_cast<ptrdiff_t>(i * kPieceBytes))) {
        return false;
      }
    }
    return true;
  }

  SquashedDisk disk_;
  std::vector<uint8_t> node_;
};

using V = std::vector<Verdict>;
constexpr Verdict kDrop = Verdict::kDrop;
constexpr Verdict kKeep = Verdict::kKeep;
constexpr Verdict kForNow = Verdict::kKeepForNow;

TEST_F(BtrfsDisk, KeepsAWholeNodeAndDropsDataBesideIt) {
  std::vector<uint8_t> data = data_of(1, 4);
  data.insert(data.end(), node_.begin(), node_.end());
  EXPECT_EQ(disk_.write(kHead - 4, data), (V{kDrop, kDrop, kDrop, kDrop, kKeep, kKeep, kKeep, kKeep}));
}

TEST_F(BtrfsDisk, KeepsANodeWhoseHeadCameBefore) {
  EXPECT_EQ(write_part(0, 2), (V{kKeep, kKeep}));
  EXPECT_EQ(write_part(2, 4), (V{kForNow, kForNow}));
  EXPECT_EQ(disk_.settle(), "");
  EXPECT_TRUE(has_node());
}

TEST_F(BtrfsDisk, KeepsANodeWhoseHeadComesLater) {
  EXPECT_EQ(write_part(3, 4), (V{kForNow}));
  EXPECT_EQ(write_part(1, 3), (V{kForNow, kForNow}));
  EXPECT_EQ(write_part(0, 1), (V{kKeep}));
  EXPECT_EQ(disk_.settle(), "");
  EXPECT_TRUE(has_node());
}

TEST_F(BtrfsDisk, KeepsNodesInAnyPartsInAnyOrder) {
  Random random(4);
  for (uint64_t round = 0; round < 200; ++round) {
    const uint64_t head = kHead + round * kNodePieces;
    std::vector<std::pair<uint64_t, uint64_t>> parts;
    for (uint64_t begin = 0; begin < kNodePieces;) {
      const uint64_t end = begin + 1 + random.below(static_cast<uint32_t>(kNodePieces - begin));
      parts.emplace_back(begin, end);
      begin = end;
    }
    for (size_t i = parts.size(); i > 1; --i) {
      std::swap(parts[i - 1], parts[random.below(static_cast<uint32_t>(i))]);
    }
    for (const auto& [begin, end] : parts) write_part(begin, end, head);
  }
  EXPECT_EQ(disk_.settle(), "");
  for (uint64_t round = 0; round < 200; ++round) EXPECT_TRUE(has_node(kHead + round * kNodePieces));
}

TEST_F(BtrfsDisk, DropsDataKeptForNowAfterTimeAndFlushes) {
  EXPECT_EQ(disk_.write(kHead + 1, data_of(2, 5)), (V{kForNow, kForNow, kForNow, kDrop, kDrop}));
  const auto now = std::chrono::steady_clock::now();
  const auto later = now + Squash::kSettleAfter + std::chrono::seconds(1);
  EXPECT_TRUE(disk_.squash().settle(later).dropped.empty());  // no flush
  disk_.squash().flushed();
  EXPECT_TRUE(disk_.squash().settle(later).dropped.empty());  // one
  disk_.squash().flushed();
  EXPECT_TRUE(disk_.squash().settle(now).dropped.empty());  // too early
  EXPECT_EQ(disk_.squash().settle(later).dropped, (std::vector<uint64_t>{kHead + 1, kHead + 2, kHead + 3}));
  EXPECT_TRUE(disk_.squash().settle(later).dropped.empty());  // once
}

TEST_F(BtrfsDisk, KeepsZeroesThatAreNotANode) {
  EXPECT_EQ(disk_.write(kHead + 1, std::vector<uint8_t>(kPieceBytes)), (V{kKeep}));
  EXPECT_EQ(disk_.settle(), "");
  EXPECT_TRUE(disk_.is_kept(kHead + 1));
}

TEST_F(BtrfsDisk, ReportsANodeOfWhichAPartWasDropped) {
  write_part(1, 4);
  EXPECT_EQ(disk_.settle(), "");
  EXPECT_FALSE(disk_.is_kept(kHead + 1));
  write_part(0, 1);
  EXPECT_EQ(disk_.settle(),
            "A part of a btrfs node is lost: piece 20001 of the node at piece 20000 was not kept.");
  // It stays lost.
  EXPECT_NE(disk_.settle(), "");
}

TEST_F(BtrfsDisk, FindsNoLossWhenADroppedPlaceGetsANewNodeInParts) {
  disk_.write(kHead + 1, data_of(2, 3));
  EXPECT_EQ(disk_.settle(), "");
  write_part(0, 3);
  write_part(3, 4);
  EXPECT_EQ(disk_.settle(), "");
  EXPECT_TRUE(has_node());
}

TEST_F(BtrfsDisk, FindsNoLossWhenTheRestOfANodeWasNeverWritten) {
  disk_.write(kHead, data_of(3, kNodePieces));
  EXPECT_FALSE(disk_.is_kept(kHead + 3));
  write_part(0, 3);
  EXPECT_EQ(disk_.settle(), "");
}

TEST_F(BtrfsDisk, BoundsItsMemory) {
  // Beyond the bound, pieces stay kept.
  const auto rules =
      make_btrfs_rules(kDiskBytes, [this](uint64_t piece, std::span<uint8_t, kPieceBytes> into) {
        std::copy_n(disk_.piece(piece).begin(), kPieceBytes, into.begin());
        return true;
      });
  ASSERT_NE(rules.rules, nullptr);
  NodeGroups groups;
  const PieceReader no_head = [](uint64_t, std::span<uint8_t, kPieceBytes> into) {
    std::fill(into.begin(), into.end(), uint8_t{1});
    return true;
  };
  const auto now = std::chrono::steady_clock::now();
  for (uint64_t i = 0; i < 2 * NodeGroups::kMaxGroups; ++i) {
    groups.note(*rules.rules, no_head, i * kNodePieces + 1, 1, now, 0);
  }
  EXPECT_LT(groups.memory_bytes(), uint64_t{32} << 20U);
  std::vector<uint64_t> dropped;
  EXPECT_EQ(groups.settle(*rules.rules, no_head, now + std::chrono::seconds(2), 2,
                          {std::chrono::seconds(1), 2}, dropped),
            "");
  // Those behind the end of the file system are kept for another reason.
  EXPECT_LE(dropped.size(), kDiskBytes / kPieceBytes / kNodePieces);
  EXPECT_GT(dropped.size(), kDiskBytes / kPieceBytes / kNodePieces - 300);
}

}  // namespace
}  // namespace patina
