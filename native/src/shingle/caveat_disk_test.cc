// Damage on a Caveat-Scriptor disk: what a write damages, what reads refuse, and that both survive a kill.
#include "shingle/caveat_disk.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <map>

#include "base/random.h"
#include "shingle/shingled_space.h"
#include "testing/device_testing.h"
#include "testing/property_testing.h"

namespace patina {
namespace {

constexpr uint64_t kSector = CaveatGeometry::kSectorBytes;

std::vector<uint8_t> sectors(uint64_t count, uint64_t seed) {
  const std::string bytes = random_bytes(count * kSector, static_cast<uint32_t>(seed));
  return {bytes.begin(), bytes.end()};
}

class CaveatDiskTest : public testing::Test {
 protected:
  std::unique_ptr<CaveatDisk> make(const CaveatGeometry& geometry,
                                   Unwritten unwritten = Unwritten::kMaybeDamaged) {
    write_at(data(), geometry.sectors_count * kSector - 1, std::string(1, '\0'));
    return opened(CaveatDisk::create(data(), map(), geometry, unwritten));
  }
  std::unique_ptr<CaveatDisk> open() const { return opened(CaveatDisk::open(data(), map())); }
  std::string data() const { return folder_ / "data"; }
  std::string map() const { return folder_ / "map"; }

  static ErrorCode error_of(const Status& status) {
    return status ? ErrorCode::kInternal : status.error().code;
  }
  static Status read(CaveatDisk& disk, uint64_t first, uint64_t count = 1) {
    std::vector<uint8_t> into(count * kSector);
    return disk.read(first, into);
  }

 private:
  static std::unique_ptr<CaveatDisk> opened(Result<std::unique_ptr<CaveatDisk>> disk) {
    EXPECT_TRUE(disk.ok()) << disk.error().message;
    return std::move(*disk);
  }

  const ScratchFolder folder_;
};

TEST_F(CaveatDiskTest, IsMaybeDamagedUntilItIsWritten) {
  const auto disk = make({.sectors_count = 100, .did_sectors = 4});
  EXPECT_EQ(disk->damaged_count(), 100U);
  EXPECT_EQ(disk->dump(0, 10), (std::vector<BlockExtent>{{0, 100}}));
  EXPECT_EQ(error_of(read(*disk, 7)), ErrorCode::kMaybeDamaged);
  ASSERT_TRUE(disk->write(7, sectors(3, 1)).ok());
  std::vector<uint8_t> found(3 * kSector);
  ASSERT_TRUE(disk->read(7, found).ok());
  EXPECT_EQ(found, sectors(3, 1));
  EXPECT_EQ(disk->position(), 10U);
  const Status beside = read(*disk, 7, 4);
  ASSERT_FALSE(beside.ok());
  EXPECT_NE(beside.error().message.find("sector 10 "), std::string::npos) << beside.error().message;
}

// Sectors max(i + 1 + DNOR, j + 1) to j + DID.
TEST_F(CaveatDiskTest, AWriteDamagesWhatIsBehindItsTracks) {
  const auto disk = make({.sectors_count = 100, .did_sectors = 8, .dnor_sectors = 3});
  for (uint64_t sector = 99; sector < 100; --sector)
    ASSERT_TRUE(disk->write(sector, sectors(1, sector)).ok());
  // Each write left sound what lies up to DNOR behind it, and damaged up to DID.
  EXPECT_EQ(disk->dump(0, 100), (std::vector<BlockExtent>{{4, 96}}));
  ASSERT_TRUE(disk->write(0, sectors(100, 1)).ok());
  EXPECT_EQ(disk->damaged_count(), 0U);
  ASSERT_TRUE(disk->write(20, sectors(1, 2)).ok());
  EXPECT_EQ(disk->dump(0, 100), (std::vector<BlockExtent>{{24, 5}}));
  ASSERT_TRUE(disk->write(50, sectors(10, 2)).ok());
  EXPECT_EQ(disk->dump(30, 100), (std::vector<BlockExtent>{{60, 8}}));
  ASSERT_TRUE(disk->write(95, sectors(2, 2)).ok());  // the end of the disk
  EXPECT_EQ(disk->dump(90, 100), (std::vector<BlockExtent>{{99, 1}}));
  EXPECT_EQ(disk->dump(0, 2), (std::vector<BlockExtent>{{24, 5}, {60, 8}}));
}

TEST_F(CaveatDiskTest, AWriteToTheUnshingledPartDamagesNothing) {
  const CaveatGeometry geometry{
      .sectors_count = 100, .did_sectors = 8, .dnor_sectors = 3, .unshingled_sectors = 20};
  auto disk = make(geometry);
  ASSERT_TRUE(disk->write(0, sectors(100, 1)).ok());
  ASSERT_TRUE(disk->write(5, sectors(15, 2)).ok());
  EXPECT_EQ(disk->damaged_count(), 0U);
  ASSERT_TRUE(disk->write(20, sectors(1, 2)).ok());
  EXPECT_EQ(disk->dump(0, 100), (std::vector<BlockExtent>{{24, 5}}));
  ASSERT_TRUE(disk->write(20, sectors(80, 1)).ok());
  ASSERT_TRUE(disk->write(10, sectors(11, 2)).ok());  // over the border: sector 20 is the first shingled one
  EXPECT_EQ(disk->dump(0, 100), (std::vector<BlockExtent>{{24, 5}}));
  disk = open();
  EXPECT_EQ(disk->modesense(), geometry);
}

TEST_F(CaveatDiskTest, ADiskOfZeroesIsSoundUntilAWriteDamagesIt) {
  write_at(data(), 0, std::string(100 * kSector, 'x'));
  const auto disk = make({.sectors_count = 100, .did_sectors = 4}, Unwritten::kZeroes);
  EXPECT_EQ(disk->damaged_count(), 0U);
  std::vector<uint8_t> found(100 * kSector);
  ASSERT_TRUE(disk->read(0, found).ok());
  EXPECT_EQ(found, std::vector<uint8_t>(100 * kSector));
  ASSERT_TRUE(disk->write(10, sectors(1, 1)).ok());
  EXPECT_EQ(error_of(read(*disk, 12)), ErrorCode::kMaybeDamaged);
  EXPECT_EQ(disk->damaged_count(), 4U);
}

TEST_F(CaveatDiskTest, ADiskThatExistsIsNotZeroed) {
  {
    ASSERT_TRUE(make({.sectors_count = 10})->write(0, sectors(10, 1)).ok());
  }
  const auto refused = CaveatDisk::create(data(), map(), {.sectors_count = 10}, Unwritten::kZeroes);
  EXPECT_EQ(refused.error().code, ErrorCode::kBackingInvalid);
  std::vector<uint8_t> found(10 * kSector);
  ASSERT_TRUE(open()->read(0, found).ok());
  EXPECT_EQ(found, sectors(10, 1));
}

TEST_F(CaveatDiskTest, RefusesWhatIsNotWholeSectorsOnTheDisk) {
  const auto disk = make({.sectors_count = 10, .did_sectors = 1});
  EXPECT_EQ(error_of(disk->write(9, sectors(2, 1))), ErrorCode::kUsage);
  EXPECT_EQ(error_of(disk->write(10, sectors(1, 1))), ErrorCode::kUsage);
  EXPECT_EQ(error_of(disk->write(UINT64_MAX, sectors(1, 1))), ErrorCode::kUsage);
  EXPECT_EQ(error_of(disk->write(0, {})), ErrorCode::kUsage);
  EXPECT_EQ(error_of(disk->write(0, std::vector<uint8_t>(100))), ErrorCode::kUsage);
  EXPECT_EQ(error_of(read(*disk, 5, 6)), ErrorCode::kUsage);
  EXPECT_EQ(disk->damaged_count(), 10U);
}

TEST_F(CaveatDiskTest, RefusesADiskThatCannotBe) {
  const auto refused = [this](const CaveatGeometry& geometry) {
    const auto disk = CaveatDisk::create(data(), map(), geometry);
    EXPECT_FALSE(disk.ok());
    return disk.error().code;
  };
  EXPECT_EQ(refused({.sectors_count = 10}), ErrorCode::kBackingInvalid);  // no file
  write_at(data(), 10 * kSector - 1, std::string(1, '\0'));
  EXPECT_EQ(refused({.sectors_count = 11}), ErrorCode::kDeviceTooSmall);
  EXPECT_EQ(refused({.sectors_count = 0}), ErrorCode::kUsage);
  EXPECT_EQ(refused({.sectors_count = UINT64_MAX}), ErrorCode::kUsage);
  EXPECT_EQ(refused({.sectors_count = 10, .did_sectors = 1, .dnor_sectors = 2}), ErrorCode::kUsage);
  EXPECT_EQ(refused({.sectors_count = 10, .unshingled_sectors = 11}), ErrorCode::kUsage);
  ASSERT_TRUE(CaveatDisk::create(data(), map(), {.sectors_count = 10}).ok());
  EXPECT_EQ(refused({.sectors_count = 10}), ErrorCode::kBackingInvalid);  // it exists
  const auto again = CaveatDisk::open(data(), map());
  ASSERT_TRUE(again.ok());
  EXPECT_EQ((*again)->modesense(), (CaveatGeometry{.sectors_count = 10}));
  write_at(map(), 0, "other");
  EXPECT_EQ(CaveatDisk::open(data(), map()).error().code, ErrorCode::kBackingInvalid);
}

// Against the rule itself, sector by sector, with the disk opened again and again.
TEST_F(CaveatDiskTest, AnyWritesDamageByTheRuleAndReadsNeverReturnDamage) {
  for (uint32_t seed = 0; seed < property_cases(5); ++seed) {
    Random random(seed);
    const uint64_t count = 1 + random.below(400);
    const uint64_t did = random.below(80);
    const uint64_t unshingled = random.coin() ? 0 : random.below(static_cast<uint32_t>(count));
    const CaveatGeometry geometry{.sectors_count = count,
                                  .did_sectors = did,
                                  .dnor_sectors = random.below(static_cast<uint32_t>(did) + 1),
                                  .unshingled_sectors = unshingled};
    std::unique_ptr<CaveatDisk> disk = make(geometry);
    std::vector<bool> damaged(count, true);
    std::vector<uint64_t> seeds(count);
    for (uint64_t i = 1; i <= 500; ++i) {
      const uint64_t first = random.below(static_cast<uint32_t>(count));
      const uint64_t end =
          first + 1 + random.below(static_cast<uint32_t>(std::min<uint64_t>(count - first, 30)));
      if (random.coin()) {
        std::vector<uint8_t> data;
        for (uint64_t sector = first; sector < end; ++sector) {
          seeds[sector] = i * 1000 + sector;
          const std::vector<uint8_t> one(kSector, static_cast<uint8_t>(seeds[sector]));
          data.insert(data.end(), one.begin(), one.end());
          damaged[sector] = false;
        }
        ASSERT_TRUE(disk->write(first, data).ok());
        const uint64_t last = end - 1;
        const uint64_t shingled = std::max(first, unshingled);
        for (uint64_t sector = std::max(shingled + 1 + geometry.dnor_sectors, last + 1);
             last >= unshingled && sector <= last + did && sector < count; ++sector) {
          damaged[sector] = true;
        }
      } else {
        std::vector<uint8_t> found((end - first) * kSector);
        const Status read = disk->read(first, found);
        const bool any =
            std::any_of(damaged.begin() + static_cast<ptrdiff_t>(first),
                        damaged.begin() + static_cast<ptrdiff_t>(end), [](bool is) { return is; });
        ASSERT_EQ(read.ok(), !any);
        for (uint64_t sector = first; read.ok() && sector < end; ++sector) {
          ASSERT_EQ(found[(sector - first) * kSector], static_cast<uint8_t>(seeds[sector]));
        }
      }
      if (random.below(50) == 0) {
        ASSERT_TRUE(disk->flush().ok());
        disk = open();
      }
      ASSERT_EQ(disk->damaged_count(),
                static_cast<uint64_t>(std::count(damaged.begin(), damaged.end(), true)));
    }
    disk.reset();
    std::filesystem::remove(map());
    std::filesystem::remove(data());
  }
}

// Files that a policy places are read back as written, each damaged block is free.
TEST_F(CaveatDiskTest, KeepsEachFileThatAPolicyPlaced) {
  constexpr uint64_t kBlocks = 3000;
  for (const PlacementPolicy& row : kPlacementPolicies) {
    const auto disk = make({.sectors_count = kBlocks, .did_sectors = 24, .dnor_sectors = 3});
    ShingledSpace space(kBlocks, {.did = 24, .dnor = 3}, row);
    Random random(7);
    struct Written {
      BlockExtent extent;
      uint64_t seed;
    };
    std::map<uint64_t, Written> written;  // by first block
    for (uint64_t i = 0; i < 2000; ++i) {
      const std::vector<BlockExtent> extents = space.allocate(1 + random.below(40));
      for (const BlockExtent& extent : extents) {
        ASSERT_TRUE(disk->write(extent.first, sectors(extent.count, i)).ok());
        written[extent.first] = {extent, i};
      }
      if (!extents.empty() && random.coin()) continue;
      auto victim = written.lower_bound(random.below(kBlocks));
      if (victim == written.end()) victim = written.begin();
      const auto [extent, seed] = victim->second;
      std::vector<uint8_t> found(extent.count * kSector);
      const Status read = disk->read(extent.first, found);
      ASSERT_TRUE(read.ok()) << row.name << ": " << read.error().message;
      ASSERT_EQ(found, sectors(extent.count, seed)) << row.name;
      space.release(extent);
      written.erase(victim);
    }
    std::filesystem::remove(map());
  }
}

// A child writes until it is killed. The map then has all damage of the writes before, and any part of that
// of the last one.
TEST_F(CaveatDiskTest, AKillLosesNoDamage) {
  const CaveatGeometry geometry{.sectors_count = 500, .did_sectors = 20};
  const auto place = [](uint64_t i) { return i * 37 % 499; };
  for (uint32_t kill = 0; kill < crash_cases(5); ++kill) {
    ASSERT_TRUE(make(geometry)->write(0, sectors(500, 1)).ok());
    auto* written = static_cast<std::atomic<uint64_t>*>(
        ::mmap(nullptr, sizeof(uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      const auto disk = CaveatDisk::open(data(), map());
      const std::vector<uint8_t> data = sectors(2, kill);
      for (uint64_t i = 0; disk.ok() && (*disk)->write(place(i), data).ok(); ++i) written->store(i + 1);
      ::_exit(1);
    }
    wait_until("some writes", [&] { return written->load() > uint64_t{40} * kill; });
    ASSERT_EQ(::kill(child, SIGKILL), 0);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));
    std::vector<bool> before(geometry.sectors_count);
    const auto write = [&](uint64_t i) {
      for (uint64_t sector = place(i); sector < std::min(place(i) + 22, geometry.sectors_count); ++sector) {
        before[sector] = sector >= place(i) + 2;
      }
    };
    for (uint64_t i = 0; i < written->load(); ++i) write(i);
    std::vector<bool> after = before;
    std::swap(before, after);
    write(written->load());
    std::swap(before, after);
    const auto disk = open();
    for (uint64_t sector = 0; sector < geometry.sectors_count; ++sector) {
      const bool is_damaged = error_of(read(*disk, sector)) == ErrorCode::kMaybeDamaged;
      ASSERT_TRUE(is_damaged == before[sector] || is_damaged == after[sector]) << sector;
    }
    ::munmap(written, sizeof(uint64_t));
    std::filesystem::remove(map());
  }
}

}  // namespace
}  // namespace patina
