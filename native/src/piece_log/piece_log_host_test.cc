// The log on a host whose file system is full, or whose disk fails.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "piece_log/piece_log.h"
#include "testing/device_testing.h"
#include "testing/emulator_testing.h"
#include "testing/piece_log_testing.h"
#include "testing/property_testing.h"

namespace patina {
namespace {

TEST(PieceLog, AFullFileSystemOfTheFolderIsNamedAndLosesNothing) {
  PATINA_REQUIRE_ROOT();
  const ScratchFolder scratch;
  keep_mounts_private();
  const Mount tmpfs("tmpfs", scratch / "small", "tmpfs", "size=2m");
  PieceSeeds disk(kPieces, 0);
  Status applied = ok_status();
  std::unique_ptr<PieceLog> log = open_log(tmpfs.folder());
  PieceSeeds flushed = disk;
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
  const PieceSeeds found = read_disk(*log);
  for (uint64_t piece = 0; piece < kPieces; ++piece) {
    EXPECT_TRUE(found[piece] == flushed[piece] || found[piece] == disk[piece]) << piece;
  }
}

// A file that leaves so much of its file system free.
void take_space(const std::string& path, uint64_t left_bytes) {
  std::ofstream out(path, std::ios::binary);
  const std::string page(kPieceBytes, 'x');
  while (out.write(page.data(), static_cast<std::streamsize>(page.size())).flush()) {
  }
  out.close();
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - left_bytes);
}

TEST(PieceLog, AFlushThatFindsNoSpaceToCompactIsDurableAllTheSame) {
  PATINA_REQUIRE_ROOT();
  const ScratchFolder scratch;
  keep_mounts_private();
  const Mount tmpfs("tmpfs", scratch / "small", "tmpfs", "size=5m");
  std::unique_ptr<PieceLog> log = open_log(tmpfs.folder());
  PieceSeeds disk(kPieces, 0);
  ASSERT_EQ(keep_until_full(*log, disk), kPieces);
  // In a random order, so that each segment has some live records, and most of all are not.
  PieceWriter writer(1);
  for (uint32_t i = 0; i < 2 * kPieces; ++i) {
    const uint32_t piece = writer.below(kPieces);
    disk[piece] += 3 * kPieces;
    PieceChanges changes;
    changes.keep(piece, content_of(disk[piece]));
    ASSERT_TRUE(log->apply(changes).ok());
  }
  const std::string other = tmpfs.folder() + "/other";
  take_space(other, kSegmentBytes + 4 * kPieceBytes);  // for what is not written out yet
  const uint64_t before_bytes = segments_bytes(tmpfs.folder());
  ASSERT_TRUE(log->flush().ok());
  EXPECT_GE(segments_bytes(tmpfs.folder()), before_bytes);
  EXPECT_EQ(read_disk(*log), disk);
  log = open_log(tmpfs.folder());
  EXPECT_EQ(read_disk(*log), disk);
  std::filesystem::remove(other);
  ASSERT_TRUE(log->flush().ok());
  EXPECT_LT(segments_bytes(tmpfs.folder()), before_bytes);
  EXPECT_EQ(read_disk(*log), disk);
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
    PieceWriter writer(seed);
    PieceSeeds disk(kPieces, 0);
    std::vector<PieceSeeds> since_flush = {disk};
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
    const PieceSeeds found = read_disk(**log);
    for (uint64_t piece = 0; piece < kPieces; ++piece) {
      ASSERT_TRUE(std::ranges::any_of(since_flush,
                                      [&](const PieceSeeds& then) { return then[piece] == found[piece]; }))
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
  PieceWriter writer(1);
  PieceSeeds disk(kPieces, 0);
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

// The name of a new segment cannot be stored.
TEST_F(OnAFailingHost, AFailedSyncOfTheFolderClosesTheLog) {
  start(scratch_ / "host");
  require_program({"mkfs.ext2", "-q", "-b", "4096", host_->path()});
  const std::string list = "debugfs -R 'blocks /' " + host_->path() + " 2>/dev/null";
  const uint64_t block = std::stoull(require_program({"sh", "-c", list}));
  const Mount mounted = mount("ext2");
  PieceWriter writer(1);
  PieceSeeds disk(kPieces, 0);
  const std::unique_ptr<PieceLog> log = open_log(mounted.folder());
  host_->make_fault({{"kind", "write_error"}, {"first_byte", block * 4096}, {"length_bytes", 4096}});
  ASSERT_TRUE(log->apply(writer.change(disk)).ok());
  const Status flushed = log->flush();
  ASSERT_FALSE(flushed.ok());
  EXPECT_EQ(flushed.error().message, "cannot sync '" + mounted.folder() + "': Input/output error");
  host_->make_fault({{"kind", "none"}});
  EXPECT_TRUE(log->has_failed());
  EXPECT_FALSE(log->flush().ok());
}

// A killed emulator leaves writes in the page cache of the host: who read them must not lose them.
TEST_F(OnAFailingHost, WhatAStartAfterAKillHasReadIsDurable) {
  start(scratch_ / "host");
  require_program({"mkfs.ext4", "-q", "-b", "4096", host_->path()});
  PieceSeeds disk(kPieces, 0);
  PieceSeeds found;
  {
    const Mount mounted = mount("ext4");
    std::unique_ptr<PieceLog> log = open_log(mounted.folder());
    ASSERT_EQ(keep_until_full(*log, disk), kPieces);
    log = nullptr;  // without a flush
    log = open_log(mounted.folder());
    found = read_disk(*log);
    EXPECT_NE(found, PieceSeeds(kPieces, 0));
    host_->make_fault({{"kind", "power_cut"}, {"lost", "all"}});
  }
  start(scratch_ / "host");
  const Mount mounted = mount("ext4");
  EXPECT_EQ(read_disk(*open_log(mounted.folder())), found);
}

}  // namespace
}  // namespace patina
