// Bands that are written in sequence only, and their cursors after a kill.
#include "shingle/strict_append_disk.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include <algorithm>
#include <atomic>
#include <csignal>

#include "base/random.h"
#include "testing/device_testing.h"
#include "testing/property_testing.h"

namespace patina {
namespace {

constexpr uint64_t kSector = BandGeometry::kSectorBytes;
constexpr BandGeometry kGeometry{.bands_count = 6, .band_sectors = 50, .gap_sectors = 3};
constexpr uint64_t kSectorsCount = 6 * 53 - 3;

std::vector<uint8_t> sectors(uint64_t count, uint64_t content) {
  std::vector<uint8_t> bytes(count * kSector);
  for (uint64_t i = 0; i < count; ++i) {
    std::fill_n(bytes.begin() + static_cast<ptrdiff_t>(i * kSector), kSector,
                static_cast<uint8_t>(content + i));
  }
  return bytes;
}

class StrictAppendDiskTest : public testing::Test {
 protected:
  void SetUp() override { write_at(data(), kSectorsCount * kSector - 1, std::string(1, '\0')); }

  std::unique_ptr<StrictAppendDisk> make() const {
    return opened(StrictAppendDisk::create(data(), cursors(), kGeometry));
  }
  std::unique_ptr<StrictAppendDisk> open() const { return opened(StrictAppendDisk::open(data(), cursors())); }
  std::string data() const { return folder_ / "data"; }
  std::string cursors() const { return folder_ / "cursors"; }

  static ErrorCode error_of(const Status& status) {
    return status ? ErrorCode::kInternal : status.error().code;
  }
  static Status read(const StrictAppendDisk& disk, uint64_t band, uint64_t sector, uint64_t count) {
    std::vector<uint8_t> into(count * kSector);
    return disk.read(band, sector, into);
  }

 private:
  static std::unique_ptr<StrictAppendDisk> opened(Result<std::unique_ptr<StrictAppendDisk>> disk) {
    EXPECT_TRUE(disk.ok()) << disk.error().message;
    return std::move(*disk);
  }

  const ScratchFolder folder_;
};

TEST_F(StrictAppendDiskTest, AppendsToBandsAndReadsWhatIsWrittenOnly) {
  const auto disk = make();
  EXPECT_EQ(error_of(read(*disk, 2, 0, 1)), ErrorCode::kMaybeDamaged);
  ASSERT_TRUE(disk->write(2, sectors(30, 1)).ok());
  ASSERT_TRUE(disk->write(2, sectors(20, 31)).ok());
  std::vector<uint8_t> found(50 * kSector);
  ASSERT_TRUE(disk->read(2, 0, found).ok());
  EXPECT_EQ(found, sectors(50, 1));
  EXPECT_EQ(*disk->get(2), 50U);
  const Status full = disk->write(2, sectors(1, 9));
  EXPECT_EQ(error_of(full), ErrorCode::kNoSpace);
  EXPECT_EQ(error_of(read(*disk, 2, 50, 1)), ErrorCode::kMaybeDamaged);
  EXPECT_EQ(error_of(read(*disk, 1, 0, 1)), ErrorCode::kMaybeDamaged);
}

TEST_F(StrictAppendDiskTest, ACursorIsSetBackOnly) {
  const auto disk = make();
  for (uint64_t band = 0; band < 3; ++band) ASSERT_TRUE(disk->write(band, sectors(10, band)).ok());
  EXPECT_EQ(error_of(disk->set(0, 11)), ErrorCode::kUsage);
  ASSERT_TRUE(disk->set(0, 4).ok());
  EXPECT_TRUE(read(*disk, 0, 0, 4).ok());
  EXPECT_EQ(error_of(read(*disk, 0, 0, 5)), ErrorCode::kMaybeDamaged);
  ASSERT_TRUE(disk->reset(1).ok());
  EXPECT_EQ(*disk->get(1), 0U);
  EXPECT_EQ(*disk->get(2), 10U);
  ASSERT_TRUE(disk->reset_all().ok());
  EXPECT_EQ(*disk->get(0), 0U);
  EXPECT_EQ(*disk->get(2), 0U);
}

TEST_F(StrictAppendDiskTest, RefusesWhatIsNoBandOrNotWholeSectors) {
  const auto disk = make();
  EXPECT_EQ(error_of(disk->write(6, sectors(1, 1))), ErrorCode::kUsage);
  EXPECT_EQ(error_of(disk->write(0, {})), ErrorCode::kUsage);
  EXPECT_EQ(error_of(disk->write(0, std::vector<uint8_t>(7))), ErrorCode::kUsage);
  EXPECT_EQ(error_of(read(*disk, 6, 0, 1)), ErrorCode::kUsage);
  EXPECT_EQ(error_of(read(*disk, 0, 0, 0)), ErrorCode::kUsage);
  EXPECT_EQ(error_of(read(*disk, 0, UINT64_MAX, 1)), ErrorCode::kMaybeDamaged);
  EXPECT_FALSE(disk->get(6).ok());
  EXPECT_EQ(error_of(disk->set(6, 0)), ErrorCode::kUsage);
}

TEST_F(StrictAppendDiskTest, RefusesADiskThatCannotBe) {
  const auto refused = [this](const BandGeometry& geometry) {
    return StrictAppendDisk::create(data(), cursors(), geometry).error().code;
  };
  EXPECT_EQ(refused({.bands_count = 0, .band_sectors = 1}), ErrorCode::kUsage);
  EXPECT_EQ(refused({.bands_count = 1, .band_sectors = 0}), ErrorCode::kUsage);
  EXPECT_EQ(refused({.bands_count = UINT64_MAX, .band_sectors = 2}), ErrorCode::kUsage);
  EXPECT_EQ(refused({.bands_count = 1, .band_sectors = 2, .gap_sectors = UINT64_MAX}), ErrorCode::kUsage);
  EXPECT_EQ(refused({.bands_count = 7, .band_sectors = 50, .gap_sectors = 3}), ErrorCode::kDeviceTooSmall);
  make();
  EXPECT_EQ(refused(kGeometry), ErrorCode::kBackingInvalid);  // it exists
  const auto again = StrictAppendDisk::open(data(), cursors());
  ASSERT_TRUE(again.ok());
  EXPECT_EQ((*again)->modesense(), kGeometry);
  std::filesystem::resize_file(cursors(), 60);
  EXPECT_EQ(StrictAppendDisk::open(data(), cursors()).error().code, ErrorCode::kBackingInvalid);
  EXPECT_EQ(StrictAppendDisk::open(data() + "x", cursors()).error().code, ErrorCode::kBackingInvalid);
}

TEST_F(StrictAppendDiskTest, AnyCallsKeepWhatIsBeforeTheCursors) {
  for (uint32_t seed = 0; seed < property_cases(5); ++seed) {
    Random random(seed);
    std::unique_ptr<StrictAppendDisk> disk = make();
    std::vector<std::vector<uint8_t>> bands(kGeometry.bands_count);  // a byte for each written sector
    for (int i = 0; i < 800; ++i) {
      const uint64_t band = random.below(6);
      std::vector<uint8_t>& model = bands[band];
      const uint64_t count = 1 + random.below(12);
      const auto content = static_cast<uint8_t>(random.next());
      switch (random.below(8)) {
        case 0:
          model.resize(random.below(static_cast<uint32_t>(model.size()) + 1));
          ASSERT_TRUE(disk->set(band, model.size()).ok());
          break;
        case 1:
          ASSERT_TRUE(disk->flush().ok());
          disk = open();
          break;
        default:
          ASSERT_EQ(disk->write(band, sectors(count, content)).ok(), model.size() + count <= 50);
          if (model.size() + count > 50) break;
          for (uint64_t sector = 0; sector < count; ++sector)
            model.push_back(static_cast<uint8_t>(content + sector));
      }
      ASSERT_EQ(*disk->get(band), model.size());
      if (model.empty()) continue;
      const uint64_t at = random.below(static_cast<uint32_t>(model.size()));
      std::vector<uint8_t> found(kSector);
      ASSERT_TRUE(disk->read(band, at, found).ok());
      ASSERT_TRUE(std::ranges::all_of(found, [&](uint8_t byte) { return byte == model[at]; }));
    }
    std::filesystem::remove(cursors());
  }
}

// A child appends until it is killed: what it knows to be written can be read.
TEST_F(StrictAppendDiskTest, AKillLosesNothingThatWasWritten) {
  const uint64_t most = kGeometry.bands_count * kGeometry.band_sectors;
  for (uint32_t kill = 0; kill < crash_cases(5); ++kill) {
    make();
    auto* written = static_cast<std::atomic<uint64_t>*>(
        ::mmap(nullptr, sizeof(uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      const auto disk = StrictAppendDisk::open(data(), cursors());
      for (uint64_t i = 0; disk.ok() && i < most && (*disk)->write(i % 6, sectors(1, i)).ok(); ++i)
        written->store(i + 1);
      for (;;) ::pause();
    }
    wait_until("some writes", [&] { return written->load() > uint64_t{20} * kill % most; });
    ASSERT_EQ(::kill(child, SIGKILL), 0);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    const auto disk = open();
    for (uint64_t i = 0; i < written->load(); ++i) {
      std::vector<uint8_t> found(kSector);
      ASSERT_TRUE(disk->read(i % 6, i / 6, found).ok()) << i;
      ASSERT_EQ(found, sectors(1, i));
    }
    ::munmap(written, sizeof(uint64_t));
    std::filesystem::remove(cursors());
  }
}

}  // namespace
}  // namespace patina
