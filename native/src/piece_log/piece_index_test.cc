// Compares the index with a plain map under random changes.
#include "piece_log/piece_index.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace patina {
namespace {

// More than two groups, the last one not full.
constexpr uint64_t kPieces = 70'001;

struct Expected {
  PieceState state = PieceState::kZero;
  PiecePlace place;
};

class Model {
 public:
  void keep(uint64_t piece, const PiecePlace& place) { pieces_[piece] = {PieceState::kKept, place}; }
  void set(uint64_t first, uint64_t count, PieceState state) {
    for (uint64_t piece = first; piece < first + count; ++piece) pieces_[piece] = {state, {}};
  }
  uint64_t count(PieceState state) const {
    return static_cast<uint64_t>(std::count_if(pieces_.begin(), pieces_.end(),
                                               [&](const Expected& each) { return each.state == state; }));
  }
  const Expected& at(uint64_t piece) const { return pieces_[piece]; }

 private:
  std::vector<Expected> pieces_ = std::vector<Expected>(kPieces);
};

TEST(PieceIndex, IsAMapFromPiecesToStatesAndPlaces) {
  std::mt19937_64 random(11);
  uint64_t live_bytes = 0;
  PieceIndex index(kPieces, [&live_bytes](const PiecePlace& place) { live_bytes -= place.content_bytes; });
  Model model;
  for (int i = 0; i < 3000; ++i) {
    const uint64_t first = random() % kPieces;
    const uint64_t count =
        1 + random() % std::min<uint64_t>(kPieces - first, 1 + (random() % 4 == 0 ? 5000 : 40));
    switch (random() % 3) {
      case 0:
        for (uint64_t piece = first; piece < first + std::min<uint64_t>(count, 100); ++piece) {
          const PiecePlace place{static_cast<uint32_t>(i), static_cast<uint32_t>(piece),
                                 1 + static_cast<uint32_t>(i % 4096)};
          live_bytes += place.content_bytes;
          index.keep(piece, place);
          model.keep(piece, place);
        }
        break;
      case 1:
        index.drop(first, count);
        model.set(first, count, PieceState::kDropped);
        break;
      default:
        index.zero(first, count);
        model.set(first, count, PieceState::kZero);
    }
  }
  EXPECT_EQ(index.kept_count(), model.count(PieceState::kKept));
  EXPECT_EQ(index.dropped_count(), model.count(PieceState::kDropped));
  uint64_t expected_live_bytes = 0;
  for (uint64_t piece = 0; piece < kPieces; ++piece) {
    const Expected& expected = model.at(piece);
    ASSERT_EQ(index.state(piece), expected.state) << piece;
    const bool is_zero = expected.state == PieceState::kZero;
    EXPECT_EQ(index.next_nonzero(piece) == piece, !is_zero);
    EXPECT_EQ(index.next_zero(piece) == piece, is_zero);
    const bool is_kept = expected.state == PieceState::kKept;
    EXPECT_EQ(index.next_kept(piece) == piece, is_kept);
    EXPECT_EQ(index.next_unkept(piece) == piece, !is_kept);
    if (expected.state != PieceState::kKept) continue;
    EXPECT_EQ(index.place(piece), expected.place);
    expected_live_bytes += expected.place.content_bytes;
  }
  EXPECT_EQ(live_bytes, expected_live_bytes);
  uint64_t visited = 0;
  index.visit_kept([&](uint64_t piece, const PiecePlace& place) {
    EXPECT_EQ(model.at(piece).place, place);
    ++visited;
  });
  EXPECT_EQ(visited, index.kept_count());
  uint64_t dropped = 0;
  index.visit_dropped([&](uint64_t first, uint64_t count) {
    for (uint64_t piece = first; piece < first + count; ++piece) {
      EXPECT_EQ(model.at(piece).state, PieceState::kDropped);
    }
    dropped += count;
  });
  EXPECT_EQ(dropped, index.dropped_count());
}

TEST(PieceIndex, SeeksEndAtTheNumberOfPieces) {
  PieceIndex index(kPieces, [](const PiecePlace&) {});
  EXPECT_EQ(index.next_nonzero(0), kPieces);
  EXPECT_EQ(index.next_zero(0), 0U);
  index.drop(0, kPieces);
  EXPECT_EQ(index.next_nonzero(0), 0U);
  EXPECT_EQ(index.next_zero(0), kPieces);
  EXPECT_EQ(index.next_kept(0), kPieces);
  EXPECT_EQ(index.next_unkept(0), 0U);
}

}  // namespace
}  // namespace patina
