#include "disk_model/rotating_disk.h"

#include <gtest/gtest.h>

#include "disk_model/dirty_sectors.h"
#include "testing/disk_model_testing.h"

namespace patina {
namespace {

using Kind = DiskRequest::Kind;
constexpr uint64_t kKiB = 1024;
constexpr uint64_t kMsNs = 1'000'000;

double bytes_per_s(DiskModel& disk, Kind kind, uint64_t request_bytes, uint64_t total_bytes) {
  uint64_t at = 0;
  for (uint64_t offset = 0; offset < total_bytes; offset += request_bytes) {
    at = disk.end_ns({kind, offset, request_bytes}, at);
  }
  return static_cast<double>(total_bytes) * 1e9 / static_cast<double>(at);
}

nlohmann::json with_write_cache(uint64_t bytes) {
  nlohmann::json model = builtin_model("hitachi-80gb");
  model.erase("queue");
  model["write_cache"] = {{"bytes", bytes}, {"idle_before_drain_ms", 10}};
  return model;
}

TEST(RotatingDisk, SequentialReadsOfAnySizeRunAtTheRateOfTheTracks) {
  // 1170 sectors a revolution, and of each two tracks a switch of heads and one of cylinders.
  const double track_rate = 2 * 1170 * 512 / (2 * 8.3333e-3 + 1.4e-3 + 1.6e-3);
  for (const uint64_t request_bytes : {16 * kKiB, 128 * kKiB, 1024 * kKiB}) {
    const double rate =
        bytes_per_s(*disk_of(builtin_model("hitachi-80gb")), Kind::kRead, request_bytes, 64 << 20U);
    EXPECT_NEAR(rate / track_rate, 1, 0.05) << request_bytes;
  }
}

// Singh, Carnegie Mellon, 2014: 7200 rpm and 138 MB/s, so 281 blocks of 4 KiB a track.
TEST(RotatingDisk, TheDiskOfTheCaveatScriptorThesisHasItsRateEverywhere) {
  const nlohmann::json model = builtin_model("caveat-7200");
  const auto spec = std::get<RotatingSpec>(spec_of(model).disk);
  EXPECT_EQ(spec.zones.size(), 1U);
  EXPECT_EQ(spec.zones[0].track_sectors * 512, 281U * 4096);
  EXPECT_EQ(spec.revolution_ns, 8'333'333U);
  constexpr uint64_t kTotalBytes = uint64_t{1} << 30U;
  for (const uint64_t begin : {uint64_t{0}, uint64_t{500'000'000'000}, uint64_t{999'000'000'000}}) {
    for (const uint64_t request_bytes : {16 * kKiB, 1024 * kKiB}) {
      const auto disk = disk_of(model);
      const uint64_t first_byte = begin - begin % 4096;
      const uint64_t begun_ns = disk->end_ns({Kind::kRead, first_byte, 4096}, 0);
      uint64_t at_ns = begun_ns;
      for (uint64_t offset = 4096; offset < kTotalBytes; offset += request_bytes) {
        at_ns = disk->end_ns({Kind::kRead, first_byte + offset, request_bytes}, at_ns);
      }
      const double rate = static_cast<double>(kTotalBytes) * 1e9 / static_cast<double>(at_ns - begun_ns);
      EXPECT_NEAR(rate / 138e6, 1, 0.01) << begin << " " << request_bytes;
    }
  }
}

TEST(RotatingDisk, InnerTracksAreSlower) {
  const auto rate = [](uint64_t offset) {
    const auto disk = disk_of(builtin_model("hitachi-80gb"));
    const uint64_t begin = disk->end_ns({Kind::kRead, offset, 4096}, 0);
    return 1e9 / static_cast<double>(disk->end_ns({Kind::kRead, offset + 4096, 32 << 20U}, begin) - begin);
  };
  EXPECT_NEAR(rate(0) / rate(79'900'000'000), 1170.0 / 567, 0.15);
}

TEST(RotatingDisk, WhatWasReadOrReadAheadComesFromTheCache) {
  const auto disk = disk_of(builtin_model("hitachi-80gb"));
  const uint64_t end = disk->end_ns({Kind::kRead, 1 << 30U, 4096}, 0);
  const uint64_t hit_ns = 100'000 + 4096 * 1000 / 133 + 100;
  EXPECT_LT(disk->end_ns({Kind::kRead, 1 << 30U, 4096}, end) - end, hit_ns);
  // A moment later the disk has read on.
  const uint64_t later = end + 5 * kMsNs;
  EXPECT_LT(disk->end_ns({Kind::kRead, (1 << 30U) + 64 * kKiB, 4096}, later) - later, hit_ns);
  EXPECT_EQ(disk->report()["read_hits_count"], 2);
  // What was written since is read from the track.
  const uint64_t written = disk->end_ns({Kind::kWrite, 1 << 30U, 4096}, later + 5 * kMsNs);
  EXPECT_GT(disk->end_ns({Kind::kRead, 1 << 30U, 4096}, written) - written, hit_ns);
}

TEST(RotatingDisk, SeveralStreamsReadAheadEachInASegment) {
  const auto disk = disk_of(builtin_model("hitachi-80gb"));
  uint64_t at = 0;
  for (uint64_t step = 0; step < 64; ++step) {
    for (uint64_t stream = 0; stream < 4; ++stream) {
      at = disk->end_ns({Kind::kRead, (stream << 33U) + step * 4 * kKiB, 4 * kKiB}, at) + 2 * kMsNs;
    }
  }
  EXPECT_GT(disk->report()["read_hits_count"], 64 * 4 / 2);
}

TEST(RotatingDisk, AWriteCacheAcceptsAtOnceAndAFlushWaitsForTheTracks) {
  const auto cached = disk_of(with_write_cache(1 << 20U));
  const uint64_t accepted = cached->end_ns({Kind::kWrite, 1 << 30U, 4096}, 0);
  EXPECT_LT(accepted, kMsNs);
  EXPECT_EQ(cached->end_ns({Kind::kFlush, 0, 0}, accepted) > accepted + kMsNs, true);
  // With nothing to write, a flush is a command only.
  const uint64_t at = 1'000 * kMsNs;
  EXPECT_EQ(cached->end_ns({Kind::kFlush, 0, 0}, at), at + 100'000);
}

TEST(RotatingDisk, AnIdleDiskWritesItsCache) {
  const auto disk = disk_of(with_write_cache(1 << 20U));
  uint64_t at = 0;
  for (uint64_t i = 0; i < 50; ++i) at = disk->end_ns({Kind::kWrite, i << 30U, 4096}, at);
  at += 2'000 * kMsNs;
  EXPECT_EQ(disk->end_ns({Kind::kFlush, 0, 0}, at), at + 100'000);
  EXPECT_GT(disk->report()["busy_s"], 0.05);
}

TEST(RotatingDisk, AFullWriteCacheIsAsSlowAsTheTracks) {
  Load load;
  load.kind = Kind::kWrite;
  const double cached = requests_per_s(*disk_of(with_write_cache(256 * kKiB)), 80'000'000'000, load, 1);
  const double through = requests_per_s(*disk_of(builtin_model("hitachi-80gb")), 80'000'000'000, load, 1);
  // In the order of the sectors the seeks are shorter.
  EXPECT_GT(cached, 1.2 * through);
  EXPECT_LT(cached, 3 * through);
}

TEST(RotatingDisk, DiscardedSectorsAreNotWritten) {
  const auto disk = disk_of(with_write_cache(1 << 20U));
  const uint64_t at = disk->end_ns({Kind::kWrite, 1 << 30U, 64 * kKiB}, 0);
  const uint64_t discarded = disk->end_ns({Kind::kDiscard, 1 << 30U, 64 * kKiB}, at);
  EXPECT_EQ(disk->end_ns({Kind::kFlush, 0, 0}, discarded), discarded + 100'000);
}

TEST(RotatingDisk, AQueueMergesWhatWaitsBehindAnotherRequest) {
  const auto end_of = [](uint64_t max_merge_bytes) {
    nlohmann::json model = builtin_model("hitachi-80gb");
    model.erase("read_cache");
    model["queue"]["max_merge_bytes"] = max_merge_bytes;
    const auto disk = disk_of(model);
    disk->end_ns({Kind::kWrite, 40'000'000'000, 4096}, 0);
    uint64_t end = 0;
    for (uint64_t i = 0; i < 16; ++i) end = disk->end_ns({Kind::kWrite, i * 4096, 4096}, 0);
    EXPECT_EQ(disk->report()["merged_count"], max_merge_bytes == 0 ? 0 : 15);
    return end;
  };
  // Each request of its own misses its sector, and waits for a revolution.
  EXPECT_GT(end_of(0), end_of(512 * kKiB) + uint64_t{14} * 8 * kMsNs);
}

TEST(RotatingDisk, AQueueThatIsFullIsCounted) {
  nlohmann::json model = builtin_model("hitachi-80gb");
  model["queue"] = {{"entries_count", 8}, {"resume_count", 4}, {"max_merge_bytes", 0}, {"unplug_ms", 0}};
  const auto disk = disk_of(model);
  for (uint64_t i = 0; i < 9; ++i) disk->end_ns({Kind::kRead, i << 30U, 4096}, 0);
  EXPECT_EQ(disk->report()["queue_full_count"], 1);
}

TEST(RotatingDisk, APluggedQueueHoldsAWriteAndNotARead) {
  nlohmann::json model = with_write_cache(1 << 20U);
  model["queue"] = {{"unplug_ms", 3}};
  EXPECT_GT(disk_of(model)->end_ns({Kind::kWrite, 0, 4096}, 0), 3 * kMsNs);
  const auto disk = disk_of(model);
  const uint64_t first = disk->end_ns({Kind::kWrite, 0, 4096}, 0);
  EXPECT_LT(disk->end_ns({Kind::kWrite, 1 << 20U, 4096}, kMsNs) - first, kMsNs);
  model["queue"] = {{"unplug_ms", 0}};
  EXPECT_LT(disk_of(model)->end_ns({Kind::kWrite, 0, 4096}, 0), kMsNs);
}

TEST(DirtySectors, JoinSplitAndCount) {
  DirtySectors dirty;
  dirty.add({10, 20});
  dirty.add({30, 40});
  dirty.add({20, 30});
  EXPECT_TRUE(dirty.contains({10, 40}));
  EXPECT_EQ(dirty.count(), 30U);
  dirty.remove({15, 18});
  EXPECT_FALSE(dirty.contains({14, 16}));
  EXPECT_EQ(dirty.count(), 27U);
  dirty.add({12, 16});
  EXPECT_TRUE(dirty.contains({10, 16}));
  EXPECT_EQ(dirty.count(), 28U);
  const SectorRange taken = dirty.take_next(17, 5);
  EXPECT_EQ(taken.first, 18U);
  EXPECT_EQ(taken.end, 23U);
  EXPECT_EQ(dirty.take_next(100, 50).first, 10U);
  EXPECT_EQ(dirty.take_next(0, 50).first, 23U);
  EXPECT_TRUE(dirty.empty());
  EXPECT_EQ(dirty.count(), 0U);
}

}  // namespace
}  // namespace patina
