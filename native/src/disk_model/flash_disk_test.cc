#include "disk_model/flash_disk.h"

#include <gtest/gtest.h>

#include "testing/disk_model_testing.h"

namespace patina {
namespace {

using Kind = DiskRequest::Kind;

double amplification_of(const DiskModel& disk) {
  return disk.report()["flash_write_amplification"].get<double>();
}

// Fills the disk in order, and then writes `times` its capacity at random, 4 KiB each.
uint64_t fill_and_write(DiskModel& disk, uint64_t capacity_bytes, double times, uint64_t seed) {
  uint64_t at = 0;
  for (uint64_t offset = 0; offset < capacity_bytes; offset += 65'536) {
    at = disk.end_ns({Kind::kWrite, offset, std::min<uint64_t>(65'536, capacity_bytes - offset)}, at);
  }
  Random random(seed);
  const auto writes = static_cast<uint64_t>(times * static_cast<double>(capacity_bytes) / 4096);
  for (uint64_t i = 0; i < writes; ++i) {
    at = disk.end_ns({Kind::kWrite, random.next() % (capacity_bytes / 4096) * 4096, 4096}, at);
  }
  return at;
}

TEST(FlashDisk, SequentialWritesAreNotAmplified) {
  const auto disk = disk_of(small_flash());
  for (int round = 0; round < 3; ++round) fill_and_write(*disk, 64 << 20U, 0, 1);
  EXPECT_EQ(amplification_of(*disk), 1.0);
}

TEST(FlashDisk, RandomWritesOfAFullDiskAreAmplifiedAndSlower) {
  const auto disk = disk_of(small_flash());
  const uint64_t filled = fill_and_write(*disk, 64 << 20U, 0, 1);
  const auto again = disk_of(small_flash());
  const uint64_t end = fill_and_write(*again, 64 << 20U, 4, 1);
  EXPECT_GT(amplification_of(*again), 2);
  EXPECT_GT(static_cast<double>(end - filled), 2.0 * 4 * static_cast<double>(filled));
}

TEST(FlashDisk, ALargeDiskKeepsASampleAndAmplifiesTheSame) {
  nlohmann::json model = small_flash();
  model["over_provisioning_fraction"] = 0.28;
  const auto spec = spec_of(model);
  const auto& flash = std::get<FlashSpec>(spec.disk);
  FlashDisk whole(flash, spec.capacity_bytes, 1);
  FlashDisk sampled(flash, spec.capacity_bytes, 1, /*max_sampled_units=*/4096);
  EXPECT_EQ(whole.map().units_count(), 16'384U);
  EXPECT_EQ(sampled.map().units_count(), 4096U);
  fill_and_write(whole, spec.capacity_bytes, 4, 7);
  fill_and_write(sampled, spec.capacity_bytes, 4, 7);
  EXPECT_NEAR(sampled.write_amplification() / whole.write_amplification(), 1, 0.1);
}

TEST(FlashDisk, ATebibyteNeedsSomeTensOfMegabytes) {
  nlohmann::json model = builtin_model("flash-nvme");
  model["capacity_bytes"] = uint64_t{1} << 40U;
  EXPECT_LT(disk_of(model)->report()["memory_bytes"], 40 << 20U);
}

TEST(FlashDisk, DiscardedSpaceIsNotMoved) {
  const auto disk = disk_of(small_flash());
  uint64_t at = fill_and_write(*disk, 64 << 20U, 2, 1);
  at = disk->end_ns({Kind::kDiscard, 0, 64 << 20U}, at);
  EXPECT_EQ(dynamic_cast<FlashDisk&>(*disk).map().mapped_count(), 0U);
  const double before = amplification_of(*disk);
  fill_and_write(*disk, 64 << 20U, 0, 1);
  EXPECT_LT(amplification_of(*disk), before);
}

TEST(FlashDisk, ReadsOfSeveralDiesOverlap) {
  const auto one_ns = disk_of(small_flash())->end_ns({Kind::kRead, 0, 4096}, 0);
  const auto disk = disk_of(small_flash());
  uint64_t end = 0;
  for (uint64_t die = 0; die < 32; ++die)
    end = std::max(end, disk->end_ns({Kind::kRead, die * 16'384, 4096}, 0));
  EXPECT_LT(end, 8 * one_ns);
  // Of one die, one after the other.
  const auto busy = disk_of(small_flash());
  end = 0;
  for (uint64_t i = 0; i < 32; ++i) end = std::max(end, busy->end_ns({Kind::kRead, 0, 4096}, 0));
  EXPECT_GT(end, 32 * 60'000U);
}

TEST(FlashDisk, TheBufferAcceptsAWriteAndAFlushWaitsUnlessProtected) {
  for (const bool is_protected : {false, true}) {
    nlohmann::json model = small_flash();
    model["power_loss_protection"] = is_protected;
    const auto disk = disk_of(model);
    const uint64_t accepted = disk->end_ns({Kind::kWrite, 0, 4096}, 0);
    EXPECT_LT(accepted, 100'000U);
    const uint64_t flushed = disk->end_ns({Kind::kFlush, 0, 0}, accepted);
    EXPECT_EQ(flushed > accepted + 700'000, !is_protected);
    // A page that a flush writes in part counts as a whole one.
    EXPECT_EQ(amplification_of(*disk), is_protected ? 1 : 4);
  }
}

TEST(FlashDisk, WithoutABufferAWriteEndsWhenItsPagesAreProgrammed) {
  nlohmann::json model = small_flash();
  model["write_buffer_bytes"] = 0;
  const auto disk = disk_of(model);
  EXPECT_GT(disk->end_ns({Kind::kWrite, 0, 65'536}, 0), 700'000U);
  EXPECT_EQ(amplification_of(*disk), 1.0);
}

TEST(FlashDisk, ABufferThatIsFullWritesAtTheRateOfTheDies) {
  const auto disk = disk_of(small_flash());
  uint64_t at = 0;
  for (uint64_t i = 0; i < 64; ++i) at = disk->end_ns({Kind::kWrite, i << 20U, 1 << 20U}, at);
  // 32 dies of a page in 0.7 ms and its transfer, or the bus.
  const double dies = 32 * 16'384 / (0.7e-3 + 16'384 / 4e8);
  EXPECT_LT((64 << 20U) / (static_cast<double>(at) / 1e9), std::min(dies, 5.5e8) * 1.1);
}

}  // namespace
}  // namespace patina
