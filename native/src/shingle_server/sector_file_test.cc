// Bytes of a disk of sectors: what is read first, and what is refused.
#include "shingle_server/sector_file.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <nlohmann/json.hpp>

#include "base/random.h"
#include "testing/device_testing.h"
#include "testing/property_testing.h"

namespace patina {
namespace {

constexpr uint64_t kSector = CaveatGeometry::kSectorBytes;

class SectorFileTest : public testing::Test {
 protected:
  std::unique_ptr<CaveatDisk> make(const CaveatGeometry& geometry, Unwritten unwritten) {
    write_at(folder_ / "data", geometry.sectors_count * kSector - 1, std::string(1, '\0'));
    std::filesystem::remove(folder_ / "map");
    return std::move(*CaveatDisk::create(folder_ / "data", folder_ / "map", geometry, unwritten));
  }
  static std::vector<uint8_t> bytes(uint64_t count, uint8_t content) {
    return std::vector<uint8_t>(count, content);
  }

  const ScratchFolder folder_;
};

TEST_F(SectorFileTest, APartOfASectorIsWrittenWhereItCanBeRead) {
  const auto disk = make({.sectors_count = 20, .did_sectors = 3}, Unwritten::kMaybeDamaged);
  SectorFile file(*disk);
  EXPECT_EQ(file.size_bytes(), 20 * kSector);
  EXPECT_EQ(file.write(100, bytes(50, 1)), EIO);  // the rest of the sector is not known
  EXPECT_EQ(file.write(0, bytes(2 * kSector, 1)), 0);
  EXPECT_EQ(file.write(100, bytes(50, 2)), 0);
  std::vector<uint8_t> found(kSector);
  EXPECT_EQ(file.read(0, found), 0);
  EXPECT_EQ(found[99], 1);
  EXPECT_EQ(found[100], 2);
  EXPECT_EQ(found[149], 2);
  EXPECT_EQ(found[150], 1);
  // That write damaged the sector behind it.
  EXPECT_EQ(file.read(kSector, found), EIO);
  EXPECT_EQ(file.write(kSector - 10, bytes(20, 3)), EIO);
  EXPECT_EQ(file.read(kSector - 10, std::span(found).first(20)), EIO);
  EXPECT_EQ(file.zero(0, kSector), EOPNOTSUPP);
  EXPECT_EQ(file.flush(), 0);
  const auto report = file.report();
  EXPECT_EQ(report["damaged_sectors_count"], 19);
  EXPECT_EQ(report["reads_count"], 3);
  EXPECT_EQ(report["failed_reads_count"], 2);
  EXPECT_EQ(report["writes_count"], 4);
  EXPECT_EQ(report["refused_writes_count"], 2);
}

TEST_F(SectorFileTest, AnyBytesAreThoseOfAFileWhereNothingIsDamaged) {
  for (uint32_t seed = 0; seed < property_cases(20); ++seed) {
    Random random(seed);
    const auto disk = make({.sectors_count = 20}, Unwritten::kZeroes);  // DID 0
    SectorFile file(*disk);
    std::vector<uint8_t> model(20 * kSector);
    for (int i = 0; i < 200; ++i) {
      const uint64_t begin = random.below(static_cast<uint32_t>(model.size()));
      const uint64_t length =
          1 + random.below(static_cast<uint32_t>(std::min<uint64_t>(model.size() - begin, 3 * kSector)));
      const std::span range = std::span(model).subspan(begin, length);
      if (random.coin()) {
        std::ranges::fill(range, static_cast<uint8_t>(random.next()));
        ASSERT_EQ(file.write(begin, range), 0);
      } else {
        std::vector<uint8_t> found(length);
        ASSERT_EQ(file.read(begin, found), 0);
        ASSERT_TRUE(std::ranges::equal(found, range));
      }
    }
  }
}

}  // namespace
}  // namespace patina
