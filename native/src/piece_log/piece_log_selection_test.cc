// Held pieces: selections, the bound and little space, compared with a plain table.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "piece_log/piece_log.h"
#include "testing/device_testing.h"
#include "testing/piece_log_testing.h"
#include "testing/property_testing.h"

namespace patina {
namespace {

constexpr uint64_t kNoBound = kPieces * kPieceBytes;

enum class Kind : uint8_t { kZero, kDropped, kKept, kHeld, kChosen };

struct Piece {
  Kind kind = Kind::kZero;
  uint32_t seed = 0;      // of its content
  bool survives = false;  // the selection that is open: it was named, or written since
  bool is_named = false;
};

void hold(PieceLog& log, uint64_t piece, uint32_t seed) {
  PieceChanges changes;
  changes.hold(piece, content_of(seed));
  const Status applied = log.apply(changes);
  ASSERT_TRUE(applied.ok()) << applied.error().message;
}

// 0: its content is not stored, else the seed of it.
uint32_t seed_of(const PieceLog& log, uint64_t piece) {
  PieceState state = PieceState::kZero;
  std::vector<uint8_t> data(kPieceBytes);
  EXPECT_TRUE(log.read(piece, {&state, 1}, data).ok());
  if (state != PieceState::kKept && state != PieceState::kHeld) return 0;
  uint32_t seed = 0;
  std::memcpy(&seed, data.data(), sizeof seed);
  EXPECT_EQ(data, content_of(seed)) << piece;
  return seed;
}

// Random changes, to the log and to the table.
class Model {
 public:
  Model(std::string folder, uint32_t seed) : folder_(std::move(folder)), random_(seed) {
    log_ = open_log(folder_, 0, kNoBound);
  }

  void step() {
    const uint64_t first = random_() % kPieces;
    const uint64_t count = 1 + random_() % std::min<uint64_t>(kPieces - first, 24);
    const uint32_t what = below(100);
    if (what < 60) {
      write(first, count);
    } else if (what < 85) {
      make_selection(first, count);
    } else if (what < 95) {
      ASSERT_TRUE(log_->flush().ok());
    } else {
      start_again(/*closes=*/what < 98);
    }
  }

  void expect_same() const {
    uint64_t held = 0;
    uint64_t chosen = 0;
    for (uint64_t piece = 0; piece < kPieces; ++piece) {
      const Piece& expected = pieces_[piece];
      ASSERT_EQ(seed_of(*log_, piece), expected.seed) << piece;
      held += expected.kind == Kind::kHeld ? 1 : 0;
      chosen += expected.kind == Kind::kChosen ? 1 : 0;
    }
    EXPECT_EQ(log_->figures().held_bytes, held * kPieceBytes);
    EXPECT_EQ(log_->figures().chosen_bytes, chosen * kPieceBytes);
    EXPECT_EQ(log_->figures().lost_held_bytes, 0U);
  }

 private:
  uint32_t below(uint32_t limit) { return static_cast<uint32_t>(random_()) % limit; }

  void write(uint64_t first, uint64_t count) {
    PieceChanges changes;
    const uint32_t kind = below(6);
    if (kind == 0) changes.drop(first, count);
    if (kind == 1) changes.zero(first, count);
    if (kind == 2) changes.hold_kept(first, count);
    for (uint64_t piece = first; piece < first + count; ++piece) {
      Piece& here = pieces_[piece];
      if (kind == 0) here = {Kind::kDropped};
      if (kind == 1) here = {Kind::kZero};
      if (kind == 2 && here.kind == Kind::kKept) here = {Kind::kHeld, here.seed, is_open_};
      if (kind == 3) {
        here = {Kind::kKept, ++seed_};
        changes.keep(piece, content_of(seed_));
      }
      if (kind > 3) {
        here = {here.kind == Kind::kChosen ? Kind::kChosen : Kind::kHeld, ++seed_, is_open_};
        changes.hold(piece, content_of(seed_));
      }
    }
    ASSERT_TRUE(log_->apply(changes).ok());
  }

  void make_selection(uint64_t first, uint64_t count) {
    const bool begins = !is_open_ || below(20) == 0;
    if (begins) {
      selection_ = *log_->begin_selection();
      is_open_ = true;
      for (Piece& piece : pieces_) piece.survives = false;
      return;
    }
    if (below(8) != 0) {
      const Result<uint64_t> dropped = log_->name_chosen(selection_, first, count);
      ASSERT_TRUE(dropped.ok());
      uint64_t expected = 0;
      for (uint64_t piece = first; piece < first + count; ++piece) {
        Piece& here = pieces_[piece];
        expected += here.kind == Kind::kDropped ? 1 : 0;
        if (here.kind == Kind::kHeld || here.kind == Kind::kChosen) here = {Kind::kChosen, here.seed, true};
      }
      EXPECT_EQ(*dropped, expected);
      return;
    }
    ASSERT_TRUE(log_->end_selection(selection_).ok());
    is_open_ = false;
    for (Piece& piece : pieces_) {
      const bool is_data = piece.kind == Kind::kHeld || piece.kind == Kind::kChosen;
      if (is_data && !piece.survives) piece = {Kind::kDropped};
    }
    EXPECT_EQ(log_->end_selection(selection_).error().code, ErrorCode::kUsage);
  }

  void start_again(bool closes) {
    ASSERT_TRUE(closes ? log_->close().ok() : log_->flush().ok());
    log_ = open_log(folder_, 0, kNoBound);
    is_open_ = false;
    EXPECT_FALSE(log_->end_selection(selection_).ok());
  }

  std::string folder_;
  std::mt19937 random_;
  std::unique_ptr<PieceLog> log_;
  std::vector<Piece> pieces_ = std::vector<Piece>(kPieces);
  uint32_t seed_ = 1;
  uint64_t selection_ = 0;
  bool is_open_ = false;
};

TEST(PieceLogSelection, KeepsWhatItNamesAndWhatWasWrittenSince) {
  for (uint32_t seed = 0; seed < property_cases(6); ++seed) {
    SCOPED_TRACE(seed);
    const ScratchFolder folder;
    Model model(folder.path(), seed);
    for (int i = 0; i < 2000; ++i) {
      model.step();
      if (testing::Test::HasFatalFailure()) return;
      if (i % 40 == 0) model.expect_same();
    }
    model.expect_same();
  }
}

TEST(PieceLogSelection, DropsTheOldestAtTheBoundAndCountsThem) {
  const ScratchFolder folder;
  constexpr uint64_t kBound = 40;
  std::unique_ptr<PieceLog> log = open_log(folder.path(), 0, kBound * kPieceBytes);
  for (uint32_t piece = 0; piece < kBound; ++piece) hold(*log, piece, piece + 1);
  // An overwritten piece counts once.
  for (uint32_t round = 0; round < 5; ++round) hold(*log, 7, 1000 + round);
  EXPECT_EQ(log->figures().lost_held_bytes, 0U);
  hold(*log, 200, 2000);
  const PieceLogFigures figures = log->figures();
  EXPECT_GT(figures.lost_held_bytes, 0U);
  EXPECT_LE(figures.held_bytes, kBound * kPieceBytes);
  EXPECT_EQ(figures.held_bytes + figures.lost_held_bytes, (kBound + 1) * kPieceBytes);
  EXPECT_EQ(figures.dropped_bytes, figures.lost_held_bytes);
  EXPECT_EQ(seed_of(*log, 0), 0U);
  EXPECT_EQ(seed_of(*log, 200), 2000U);
  const uint64_t selection = *log->begin_selection();
  EXPECT_EQ(*log->name_chosen(selection, 0, kPieces) * kPieceBytes, figures.lost_held_bytes);
  ASSERT_TRUE(log->end_selection(selection).ok());
  // What was chosen does not count to the bound.
  for (uint32_t piece = 100; piece < 100 + kBound; ++piece) hold(*log, piece, piece);
  EXPECT_EQ(log->figures().lost_held_bytes, figures.lost_held_bytes);
  for (const bool closes : {false, true}) {
    ASSERT_TRUE(closes ? log->close().ok() : log->flush().ok());
    log = open_log(folder.path(), 0, kBound * kPieceBytes);
    EXPECT_EQ(log->figures().lost_held_bytes, figures.lost_held_bytes);
    EXPECT_EQ(seed_of(*log, 200), 2000U);
    EXPECT_EQ(seed_of(*log, 110), 110U);
  }
  // Without a bound nothing stays held; what was chosen does.
  log = open_log(folder.path());
  EXPECT_EQ(log->figures().held_bytes, 0U);
  EXPECT_EQ(seed_of(*log, 200), 2000U);
  EXPECT_EQ(seed_of(*log, 110), 0U);
}

TEST(PieceLogSelection, LittleSpaceDropsHeldPiecesBeforeItRefusesKeptOnes) {
  constexpr uint64_t kLimit = uint64_t{10} * kSegmentBytes;
  const ScratchFolder folder;
  const std::unique_ptr<PieceLog> log = open_log(folder.path(), kLimit, kNoBound);
  // Held pieces alone are never refused.
  for (uint32_t piece = 0; piece < kPieces; ++piece) hold(*log, piece, 3 * (piece + 1));
  EXPECT_GT(log->figures().lost_held_bytes, 0U);
  uint32_t kept = 0;
  for (; kept < kPieces; ++kept) {
    PieceChanges changes;
    changes.keep(kept, content_of(3 * (kept + 1000)));
    if (!log->apply(changes).ok()) break;
  }
  EXPECT_GT(kept, kLimit / kPieceBytes / 2);
  EXPECT_EQ(log->figures().held_bytes, 0U);
  for (uint32_t piece = 0; piece < kept; ++piece) EXPECT_EQ(seed_of(*log, piece), 3 * (piece + 1000));
  // Not refused: it is dropped at once.
  hold(*log, kPieces - 1, 3);
  EXPECT_EQ(seed_of(*log, kPieces - 1), 0U);
}

TEST(PieceLogSelection, APowerCutLosesWhatIsHeldAsWhatIsKept) {
  for (const PowerCutLoss loss : {PowerCutLoss::kAll, PowerCutLoss::kRandom}) {
    const ScratchFolder folder;
    std::unique_ptr<PieceLog> log = open_log(folder.path(), 0, kNoBound);
    for (uint32_t piece = 0; piece < 40; ++piece) hold(*log, piece, piece + 1);
    const uint64_t selection = *log->begin_selection();
    ASSERT_TRUE(log->name_chosen(selection, 0, 10).ok());
    ASSERT_TRUE(log->end_selection(selection).ok());  // flushes
    for (uint32_t piece = 0; piece < 40; ++piece) hold(*log, piece, piece + 101);
    ASSERT_TRUE(log->cut_power(loss, 5).ok());
    EXPECT_FALSE(log->begin_selection().ok());
    log = open_log(folder.path(), 0, kNoBound);
    uint64_t lost = 0;
    for (uint32_t piece = 0; piece < 40; ++piece) {
      const uint32_t seed = seed_of(*log, piece);
      const uint32_t before = piece < 10 ? piece + 1 : 0;
      EXPECT_TRUE(seed == before || seed == piece + 101) << piece << " " << seed;
      lost += seed == before ? 1 : 0;
    }
    EXPECT_EQ(log->figures().chosen_bytes, 10 * kPieceBytes);
    EXPECT_GT(lost, 0U);
    EXPECT_EQ(lost == 40, loss == PowerCutLoss::kAll);
  }
}

}  // namespace
}  // namespace patina
