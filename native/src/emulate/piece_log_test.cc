// The log under random changes, crashes at any byte, power cuts, and little space.
#include "emulate/piece_log.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>
#include <thread>

#include "squash/piece.h"
#include "testing/device_testing.h"
#include "testing/emulator_testing.h"
#include "testing/piece_testing.h"
#include "testing/property_testing.h"

namespace patina {
namespace {

constexpr uint64_t kPieces = 300;
constexpr uint32_t kSegmentBytes = uint32_t{64} << 10U;

// What each piece holds: 0 zero, 1 dropped, else the seed of its content.
using Disk = std::vector<uint32_t>;

std::unique_ptr<PieceLog> open_log(const std::string& folder, uint64_t available_bytes = 0) {
  Result<std::unique_ptr<PieceLog>> log = PieceLog::open({.folder = folder,
                                                          .size_bytes = kPieces * kPieceBytes,
                                                          .available_bytes = available_bytes,
                                                          .segment_bytes = kSegmentBytes});
  EXPECT_TRUE(log.ok()) << log.error().message;
  return std::move(*log);
}

Disk read_disk(const PieceLog& log) {
  Disk disk(kPieces);
  std::vector<PieceState> states(kPieces);
  std::vector<uint8_t> data(kPieces * kPieceBytes);
  const Status read = log.read(0, states, data);
  EXPECT_TRUE(read.ok()) << read.error().message;
  for (uint64_t piece = 0; piece < kPieces; ++piece) {
    if (states[piece] != PieceState::kKept) {
      disk[piece] = states[piece] == PieceState::kDropped ? 1 : 0;
      continue;
    }
    const std::span<const uint8_t> content = std::span(data).subspan(piece * kPieceBytes, kPieceBytes);
    std::memcpy(&disk[piece], content.data(), sizeof disk[piece]);
    EXPECT_TRUE(std::ranges::equal(content, content_of(disk[piece]))) << piece;
  }
  return disk;
}

// A random write, to the log and to the model.
class Writer {
 public:
  explicit Writer(uint32_t seed) : random_(seed) {}

  PieceChanges change(Disk& disk) {
    PieceChanges changes;
    const uint64_t first = random_() % kPieces;
    const uint64_t count = 1 + random_() % std::min<uint64_t>(kPieces - first, 24);
    const uint32_t kind = below(4);
    if (kind == 0) changes.drop(first, count);
    if (kind == 1) changes.zero(first, count);
    for (uint64_t piece = first; piece < first + count; ++piece) {
      disk[piece] = kind == 0 ? 1 : kind == 1 ? 0 : ++seed_;
      if (kind > 1) changes.keep(piece, content_of(seed_));
    }
    return changes;
  }
  uint32_t below(uint32_t limit) { return static_cast<uint32_t>(random_()) % limit; }

 private:
  std::mt19937 random_;
  uint32_t seed_ = 1;
};

uint64_t segments_bytes(const std::string& folder) {
  uint64_t sum = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (LogSegment::number_in(entry.path().filename().string())) sum += entry.file_size();
  }
  return sum;
}

// Keeps incompressible pieces from the first on until one is refused; returns its number.
uint64_t keep_until_full(PieceLog& log, Disk& disk) {
  for (uint64_t piece = 0; piece < kPieces; ++piece) {
    const auto seed = static_cast<uint32_t>(3 * (piece + 1));
    PieceChanges changes;
    changes.keep(piece, content_of(seed));
    if (const Status applied = log.apply(changes); !applied) {
      EXPECT_EQ(applied.error().code, ErrorCode::kStoreNoSpace);
      return piece;
    }
    disk[piece] = seed;
  }
  return kPieces;
}

TEST(PieceLog, HoldsWhatWasWrittenThroughFlushesAndNewStarts) {
  const ScratchFolder folder;
  Writer writer(1);
  Disk disk(kPieces, 0);
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

TEST(PieceLog, AKillLosesASuffixOfWhatWasNotFlushed) {
  for (uint32_t seed = 0; seed < property_cases(10); ++seed) {
    const ScratchFolder folder;
    Writer writer(seed);
    Disk disk(kPieces, 0);
    std::unique_ptr<PieceLog> log = open_log(folder.path());
    for (int kill = 0; kill < 8; ++kill) {
      std::vector<Disk> since_flush = {disk};
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
        ASSERT_TRUE(
            std::ranges::any_of(since_flush, [&](const Disk& then) { return then[piece] == disk[piece]; }))
            << "seed " << seed << " piece " << piece;
      }
    }
  }
}

TEST(PieceLog, AnEndCutAtAnyByteIsReadUpToTheLastWholeRecord) {
  const ScratchFolder folder;
  Writer writer(3);
  Disk disk(kPieces, 0);
  Disk flushed;
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
    const Disk found = read_disk(*open_log(folder.path()));
    ASSERT_TRUE(found[7] == flushed[7] || found[7] == 900U);
    ASSERT_TRUE(found[20] == flushed[20] || found[20] == 1U);
    ASSERT_EQ(found[100], flushed[100]);
  }
}

TEST(PieceLog, DamageBeforeTheLastFlushIsAnErrorAndChangesNothing) {
  const ScratchFolder folder;
  Disk disk(kPieces, 0);
  Writer writer(5);
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
  Disk disk(kPieces, 0);
  Writer writer(6);
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
    Writer writer(seed);
    Disk disk(kPieces, 0);
    std::unique_ptr<PieceLog> log = open_log(folder.path());
    for (uint32_t i = writer.below(300); i > 0; --i) {
      ASSERT_TRUE(log->apply(writer.change(disk)).ok());
      if (writer.below(20) == 0) {
        ASSERT_TRUE(log->flush().ok());
      }
    }
    ASSERT_TRUE(log->flush().ok());
    std::vector<Disk> since_flush = {disk};
    for (int i = 0; i < 60; ++i) {
      ASSERT_TRUE(log->apply(writer.change(disk)).ok());
      since_flush.push_back(disk);
    }
    ASSERT_TRUE(log->cut_power(loss, seed).ok());
    EXPECT_FALSE(log->flush().ok());
    EXPECT_FALSE(log->apply(writer.change(disk)).ok());
    log = open_log(folder.path());
    const Disk found = read_disk(*log);
    if (loss == PowerCutLoss::kAll) {
      ASSERT_EQ(found, since_flush.front());
      continue;
    }
    EXPECT_NE(found, since_flush.front());
    EXPECT_NE(found, since_flush.back());
    for (uint64_t piece = 0; piece < kPieces; ++piece) {
      ASSERT_TRUE(
          std::ranges::any_of(since_flush, [&](const Disk& then) { return then[piece] == found[piece]; }));
    }
  }
}

TEST(PieceLog, ALimitIsKeptAndLosesNothing) {
  constexpr uint64_t kLimit = uint64_t{10} * kSegmentBytes;
  const ScratchFolder folder;
  std::unique_ptr<PieceLog> log = open_log(folder.path(), kLimit);
  Disk disk(kPieces, 0);
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
  Disk disk(kPieces, 0);
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

TEST(PieceLog, AFullFileSystemOfTheFolderIsNamedAndLosesNothing) {
  PATINA_REQUIRE_ROOT();
  const ScratchFolder scratch;
  keep_mounts_private();
  const Mount tmpfs("tmpfs", scratch / "small", "tmpfs", "size=2m");
  Disk disk(kPieces, 0);
  Status applied = ok_status();
  std::unique_ptr<PieceLog> log = open_log(tmpfs.folder());
  Disk flushed = disk;
  for (uint64_t round = 0; applied.ok(); ++round) {
    for (uint64_t piece = 0; piece < kPieces && applied.ok(); ++piece) {
      PieceChanges changes;
      changes.keep(piece, content_of(static_cast<uint32_t>(3 * (round * kPieces + piece + 1))));
      applied = log->apply(changes);
      if (applied.ok()) disk[piece] = static_cast<uint32_t>(3 * (round * kPieces + piece + 1));
      if (applied.ok()) applied = log->flush();
      if (applied.ok()) flushed = disk;
    }
  }
  EXPECT_EQ(applied.error().code, ErrorCode::kStoreNoSpace);
  EXPECT_TRUE(applied.error().message.ends_with("free space on its file system")) << applied.error().message;
  EXPECT_EQ(read_disk(*log), disk);
  log = nullptr;
  log = open_log(tmpfs.folder());
  const Disk found = read_disk(*log);
  for (uint64_t piece = 0; piece < kPieces; ++piece) {
    EXPECT_TRUE(found[piece] == flushed[piece] || found[piece] == disk[piece]) << piece;
  }
}

// The log on ext2 or ext4 on a disk that fails on command.
class OnAFailingHost : public testing::Test {
 protected:
  void SetUp() override { PATINA_REQUIRE_ROOT(); }
  // Also again, after a power cut.
  void start(const std::string& folder) {
    host_ = nullptr;
    host_ = std::make_unique<Emulator>(folder, kHostBytes, std::vector<std::string>{"--keep-all"});
    host_->attach();
  }
  Mount mount(const char* type) const { return {host_->path(), scratch_ / "mount", type}; }

  static constexpr uint64_t kHostBytes = uint64_t{64} << 20U;
  const ScratchFolder scratch_;
  std::unique_ptr<Emulator> host_;
};

class PowerCutOfTheHost : public OnAFailingHost, public testing::WithParamInterface<const char*> {};

TEST_P(PowerCutOfTheHost, LosesNothingThatWasFlushed) {
  for (uint32_t seed = 0; seed < property_cases(6); ++seed) {
    const std::string folder = scratch_ / ("host" + std::to_string(seed));
    start(folder);
    require_program({std::string("mkfs.") + GetParam(), "-q", "-b", "4096", host_->path()});
    Writer writer(seed);
    Disk disk(kPieces, 0);
    std::vector<Disk> since_flush = {disk};
    {
      const Mount mounted = mount(GetParam());
      const std::unique_ptr<PieceLog> log = open_log(mounted.folder());
      // Most of the time a flush is under way: what it writes is on the host's disk, and not yet durable.
      host_->make_fault({{"kind", "slow"}, {"delay_ms", 2}});
      const uint64_t cut_at = host_->status()["requests_count"].get<uint64_t>() + 10 + writer.below(100);
      std::thread cut([&] {
        wait_until("the log has written", [&] { return host_->status()["requests_count"] >= cut_at; });
        host_->make_fault({{"kind", "power_cut"}, {"lost", "random"}, {"seed", seed}});
      });
      for (bool has_power = true; has_power;) {
        const PieceChanges changes = writer.change(disk);
        since_flush.push_back(disk);
        has_power = log->apply(changes).ok();
        if (!has_power || writer.below(3) != 0) continue;
        has_power = log->flush().ok();
        if (has_power) since_flush = {disk};
      }
      cut.join();
    }
    start(folder);
    run_program({"e2fsck", "-fy", host_->path()});  // ext2 has no journal
    const Mount mounted = mount(GetParam());
    const Result<std::unique_ptr<PieceLog>> log =
        PieceLog::open({.folder = mounted.folder(), .size_bytes = kPieces * kPieceBytes});
    ASSERT_TRUE(log.ok()) << "seed " << seed << ": " << log.error().message;
    const Disk found = read_disk(**log);
    for (uint64_t piece = 0; piece < kPieces; ++piece) {
      ASSERT_TRUE(
          std::ranges::any_of(since_flush, [&](const Disk& then) { return then[piece] == found[piece]; }))
          << "seed " << seed << " piece " << piece;
    }
    EXPECT_TRUE((*log)->close().ok());
  }
}

INSTANTIATE_TEST_SUITE_P(On, PowerCutOfTheHost, testing::Values("ext2", "ext4"));

// The kernel reports an error of a write once: the next sync succeeds, and what was written is lost.
TEST_F(OnAFailingHost, AFailedSyncClosesTheLog) {
  start(scratch_ / "host");
  require_program({"mkfs.ext2", "-q", host_->path()});
  const Mount mounted = mount("ext2");
  Writer writer(1);
  Disk disk(kPieces, 0);
  std::unique_ptr<PieceLog> log = open_log(mounted.folder());
  ASSERT_TRUE(log->apply(writer.change(disk)).ok());
  ASSERT_TRUE(log->flush().ok());
  EXPECT_FALSE(log->has_failed());
  host_->make_fault({{"kind", "write_error"}, {"first_byte", 0}, {"length_bytes", kHostBytes}});
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(log->apply(writer.change(disk)).ok());
  EXPECT_FALSE(log->flush().ok());
  host_->make_fault({{"kind", "none"}});
  EXPECT_TRUE(log->has_failed());
  EXPECT_FALSE(log->flush().ok());
  EXPECT_FALSE(log->apply(writer.change(disk)).ok());
  EXPECT_FALSE(log->close().ok());
}

}  // namespace
}  // namespace patina
