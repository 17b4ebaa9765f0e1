// The log under random changes, crashes at any byte, power cuts, and little space.
#include "piece_log/piece_log.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "testing/device_testing.h"
#include "testing/piece_log_testing.h"
#include "testing/property_testing.h"

namespace patina {
namespace {

TEST(PieceLog, HoldsWhatWasWrittenThroughFlushesAndNewStarts) {
  const ScratchFolder folder;
  PieceWriter writer(1);
  PieceSeeds disk(kPieces, 0);
  std::unique_ptr<PieceLog> log = open_log(folder.path());
  for (int i = 0; i < 4000; ++i) {
    ASSERT_TRUE(log->apply(writer.change(disk)).ok());
    if (writer.below(10) == 0) {
      ASSERT_TRUE(log->flush().ok());
    }
    if (writer.below(200) != 0) continue;
    ASSERT_EQ(read_disk(*log), disk) << i;
    ASSERT_TRUE(log->close().ok());
    log = open_log(folder.path());
    ASSERT_EQ(read_disk(*log), disk) << "after start " << i;
  }
  // 300 pieces of at most 4 KiB were written some 30 000 times.
  EXPECT_LT(segments_bytes(folder.path()), uint64_t{5} << 20U);
}

// More segments than are moved at a time.
TEST(PieceLog, GivesBackTheSpaceOfDroppedPieces) {
  const ScratchFolder folder;
  PieceSeeds disk(kPieces, 1);
  std::unique_ptr<PieceLog> log = open_log(folder.path());
  PieceChanges kept;
  for (uint64_t piece = 0; piece < kPieces; ++piece)
    kept.keep(piece, content_of(disk[piece] = 100 + static_cast<uint32_t>(piece)));
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(log->apply(kept).ok());
  ASSERT_GT(segments_bytes(folder.path()), 32U * kSegmentBytes);
  PieceChanges dropped;
  for (uint64_t piece = 0; piece < kPieces; ++piece) {
    if (piece % 20 == 0) continue;
    disk[piece] = 1;
    dropped.drop(piece, 1);
  }
  ASSERT_TRUE(log->apply(dropped).ok());
  ASSERT_TRUE(log->give_back().ok());
  EXPECT_LE(segments_bytes(folder.path()), 2 * kPieces / 20 * (kPieceBytes + 64));
  EXPECT_EQ(read_disk(*log), disk);
  log = open_log(folder.path());
  EXPECT_EQ(read_disk(*log), disk);
}

TEST(PieceLog, AKillLosesASuffixOfWhatWasNotFlushed) {
  for (uint32_t seed = 0; seed < property_cases(10); ++seed) {
    const ScratchFolder folder;
    PieceWriter writer(seed);
    PieceSeeds disk(kPieces, 0);
    std::unique_ptr<PieceLog> log = open_log(folder.path());
    for (int kill = 0; kill < 8; ++kill) {
      std::vector<PieceSeeds> since_flush = {disk};
      for (uint32_t i = writer.below(400); i > 0; --i) {
        ASSERT_TRUE(log->apply(writer.change(disk)).ok());
        if (writer.below(20) == 0) {
          ASSERT_TRUE(log->flush().ok());
          since_flush.clear();
        }
        since_flush.push_back(disk);
      }
      log = nullptr;  // without close()
      log = open_log(folder.path());
      disk = read_disk(*log);
      // A write of several pieces may be cut between two of them.
      for (uint64_t piece = 0; piece < kPieces; ++piece) {
        ASSERT_TRUE(std::ranges::any_of(since_flush,
                                        [&](const PieceSeeds& then) { return then[piece] == disk[piece]; }))
            << "seed " << seed << " piece " << piece;
      }
    }
  }
}

TEST(PieceLog, AnEndCutAtAnyByteIsReadUpToTheLastWholeRecord) {
  const ScratchFolder folder;
  PieceWriter writer(3);
  PieceSeeds disk(kPieces, 0);
  PieceSeeds flushed;
  uint64_t flushed_bytes = 0;
  {
    const std::unique_ptr<PieceLog> log = open_log(folder.path());
    ASSERT_TRUE(log->apply(writer.change(disk)).ok());
    ASSERT_TRUE(log->flush().ok());
    flushed = disk;
    flushed_bytes = segments_bytes(folder.path());
    PieceChanges changes;
    changes.keep(7, content_of(900));
    changes.drop(20, 9);
    ASSERT_TRUE(log->apply(changes).ok());
    ASSERT_TRUE(log->close().ok());
  }
  std::filesystem::remove(folder / "snapshot");
  const std::string whole = read_whole_file(folder / "segment-00000001");
  // The last record is the mark of the flush in close(), of 32 bytes.
  for (size_t length = flushed_bytes; length < whole.size() - 32; ++length) {
    std::ofstream(folder / "segment-00000001", std::ios::binary | std::ios::trunc)
        << whole.substr(0, length) << std::string(length % 5, '\xff');
    const PieceSeeds found = read_disk(*open_log(folder.path()));
    ASSERT_TRUE(found[7] == flushed[7] || found[7] == 900U);
    ASSERT_TRUE(found[20] == flushed[20] || found[20] == 1U);
    ASSERT_EQ(found[100], flushed[100]);
  }
}

TEST(PieceLog, DamageBeforeTheLastFlushIsAnErrorAndChangesNothing) {
  const ScratchFolder folder;
  PieceSeeds disk(kPieces, 0);
  PieceWriter writer(5);
  {
    const std::unique_ptr<PieceLog> log = open_log(folder.path());
    for (int i = 0; i < 5; ++i) ASSERT_TRUE(log->apply(writer.change(disk)).ok());
    ASSERT_TRUE(log->flush().ok());
  }
  const std::string whole = read_whole_file(folder / "segment-00000001");
  for (size_t at = 0; at < whole.size() - 40; at += 97) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    std::ofstream(folder / "segment-00000001", std::ios::binary | std::ios::trunc) << damaged;
    const Result<std::unique_ptr<PieceLog>> log =
        PieceLog::open({.folder = folder.path(), .size_bytes = kPieces * kPieceBytes});
    ASSERT_TRUE(!log.ok() || read_disk(**log) == disk) << at;  // padding is not checked
    if (log.ok()) continue;
    EXPECT_EQ(log.error().code, ErrorCode::kBackingInvalid);
    EXPECT_EQ(read_whole_file(folder / "segment-00000001"), damaged);
  }
}

TEST(PieceLog, ADamagedSnapshotOrAMissingSegmentIsAnError) {
  const ScratchFolder folder;
  PieceSeeds disk(kPieces, 0);
  PieceWriter writer(6);
  {
    const std::unique_ptr<PieceLog> log = open_log(folder.path());
    for (int i = 0; i < 20; ++i) ASSERT_TRUE(log->apply(writer.change(disk)).ok());
    ASSERT_TRUE(log->close().ok());
  }
  const std::string snapshot = read_whole_file(folder / "snapshot");
  const auto code = [&folder] {
    const auto log = PieceLog::open({.folder = folder.path(), .size_bytes = kPieces * kPieceBytes});
    return log.ok() ? ErrorCode::kUsage : log.error().code;
  };
  for (size_t at = 0; at < snapshot.size(); at += 31) {
    std::string damaged = snapshot;
    damaged[at] = static_cast<char>(damaged[at] ^ 4);
    std::ofstream(folder / "snapshot", std::ios::binary | std::ios::trunc) << damaged;
    ASSERT_EQ(code(), ErrorCode::kBackingInvalid) << at;
  }
  std::ofstream(folder / "snapshot", std::ios::binary | std::ios::trunc) << snapshot;
  std::filesystem::remove(folder / "segment-00000001");
  EXPECT_EQ(code(), ErrorCode::kBackingInvalid);
}

TEST(PieceLog, APowerCutLosesAllOrSomeOfWhatWasNotFlushed) {
  for (uint32_t seed = 0; seed < property_cases(10); ++seed) {
    const PowerCutLoss loss = seed % 2 == 0 ? PowerCutLoss::kAll : PowerCutLoss::kRandom;
    const ScratchFolder folder;
    PieceWriter writer(seed);
    PieceSeeds disk(kPieces, 0);
    std::unique_ptr<PieceLog> log = open_log(folder.path());
    for (uint32_t i = writer.below(300); i > 0; --i) {
      ASSERT_TRUE(log->apply(writer.change(disk)).ok());
      if (writer.below(20) == 0) {
        ASSERT_TRUE(log->flush().ok());
      }
    }
    ASSERT_TRUE(log->flush().ok());
    std::vector<PieceSeeds> since_flush = {disk};
    for (int i = 0; i < 60; ++i) {
      ASSERT_TRUE(log->apply(writer.change(disk)).ok());
      since_flush.push_back(disk);
    }
    ASSERT_TRUE(log->cut_power(loss, seed).ok());
    EXPECT_FALSE(log->flush().ok());
    EXPECT_FALSE(log->apply(writer.change(disk)).ok());
    log = open_log(folder.path());
    const PieceSeeds found = read_disk(*log);
    if (loss == PowerCutLoss::kAll) {
      ASSERT_EQ(found, since_flush.front());
      continue;
    }
    EXPECT_NE(found, since_flush.front());
    EXPECT_NE(found, since_flush.back());
    for (uint64_t piece = 0; piece < kPieces; ++piece) {
      ASSERT_TRUE(std::ranges::any_of(since_flush,
                                      [&](const PieceSeeds& then) { return then[piece] == found[piece]; }));
    }
  }
}

TEST(PieceLog, ALimitIsKeptAndLosesNothing) {
  constexpr uint64_t kLimit = uint64_t{10} * kSegmentBytes;
  const ScratchFolder folder;
  std::unique_ptr<PieceLog> log = open_log(folder.path(), kLimit);
  PieceSeeds disk(kPieces, 0);
  const uint64_t kept = keep_until_full(*log, disk);
  EXPECT_GT(kept, kLimit / kPieceBytes / 2);
  EXPECT_LT(kept, kPieces);
  ASSERT_TRUE(log->flush().ok());
  EXPECT_EQ(read_disk(*log), disk);
  EXPECT_LE(segments_bytes(folder.path()), kLimit + kSegmentBytes);
  // Space that is given back can be used again, many times.
  for (uint64_t round = 0; round < 20; ++round) {
    PieceChanges zeroes;
    zeroes.zero(0, kept / 2);
    ASSERT_TRUE(log->apply(zeroes).ok());
    for (uint64_t piece = 0; piece < kept / 4; ++piece) {
      disk[piece] = static_cast<uint32_t>(3 * (1000 * (round + 1) + piece));
      PieceChanges changes;
      changes.keep(piece, content_of(disk[piece]));
      ASSERT_TRUE(log->apply(changes).ok()) << round;
    }
    std::fill(disk.begin() + static_cast<long>(kept / 4), disk.begin() + static_cast<long>(kept / 2), 0);
    ASSERT_TRUE(log->flush().ok());
  }
  EXPECT_EQ(read_disk(*log), disk);
  log = open_log(folder.path(), kLimit);
  EXPECT_EQ(read_disk(*log), disk);
}

TEST(PieceLog, AFullDiskStillDropsAndDiscards) {
  constexpr uint64_t kLimit = uint64_t{10} * kSegmentBytes;
  const ScratchFolder folder;
  std::unique_ptr<PieceLog> log = open_log(folder.path(), kLimit);
  PieceSeeds disk(kPieces, 0);
  const uint64_t kept = keep_until_full(*log, disk);
  ASSERT_LT(kept, kPieces);
  // None of these frees a kept piece, and together they need much more than what is left.
  for (int round = 0; round < 50; ++round) {
    for (uint64_t piece = kept; piece < kPieces; ++piece) {
      PieceChanges changes;
      if (round % 2 == 0) {
        changes.drop(piece, 1);
      } else {
        changes.zero(piece, 1);
      }
      ASSERT_TRUE(log->apply(changes).ok()) << round;
    }
  }
  EXPECT_LE(segments_bytes(folder.path()), kLimit + kSegmentBytes);
  EXPECT_EQ(read_disk(*log), disk);
  PieceChanges all;
  all.zero(0, kPieces);
  ASSERT_TRUE(log->apply(all).ok());
  PieceChanges again;
  again.keep(0, content_of(3));
  EXPECT_TRUE(log->apply(again).ok());
}

TEST(PieceLog, ItsSnapshotCountsInWhatIsStoredAndInTheLimit) {
  const ScratchFolder folder;
  {
    const std::unique_ptr<PieceLog> log = open_log(folder.path());
    for (uint64_t piece = 1; piece < kPieces; piece += 2) {
      PieceChanges changes;
      changes.keep(piece, content_of(3));
      ASSERT_TRUE(log->apply(changes).ok());
    }
    ASSERT_TRUE(log->close().ok());
    EXPECT_EQ(log->figures().stored_bytes, stored_bytes(folder.path()));
  }
  const uint64_t all_bytes = stored_bytes(folder.path());
  ASSERT_GT(all_bytes, segments_bytes(folder.path()));
  // Without the snapshot there would be space for a piece, and nothing can be compacted.
  const std::unique_ptr<PieceLog> log = open_log(folder.path(), all_bytes + kPieceBytes);
  EXPECT_EQ(log->figures().stored_bytes, all_bytes);
  PieceSeeds disk(kPieces, 0);
  EXPECT_EQ(keep_until_full(*log, disk), 0U);
}

}  // namespace
}  // namespace patina
