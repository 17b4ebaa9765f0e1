// The map of a stretched disk: one place for each byte, and the same one for the emulator and the kernel.
#include "disk_model/stretch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <vector>

#include "base/random.h"
#include "disk_model/disk_spec.h"

namespace patina {
namespace {

constexpr uint64_t kUnit = Stretch::kUnitBytes;

Stretch stretch_of(uint64_t disk_bytes, uint64_t large_bytes, uint64_t pieces_count) {
  Result<Stretch> made = Stretch::over(disk_bytes, large_bytes, pieces_count);
  EXPECT_TRUE(made.ok()) << made.error().message;
  return *made;
}

// Where the kernel would put a sector, by its table.
struct Target {
  uint64_t start = 0;
  uint64_t length = 0;
  std::string kind;
  std::string device;
  uint64_t offset = 0;
};

std::vector<Target> targets_of(const Stretch& stretch) {
  std::istringstream table(device_mapper_table(stretch, "/dev/sdx"));
  std::vector<Target> targets;
  Target target;
  while (table >> target.start >> target.length >> target.kind >> target.device >> target.offset) {
    targets.push_back(target);
  }
  return targets;
}

TEST(Stretch, SpreadsThePiecesEvenly) {
  const Stretch stretch = stretch_of(100 * kUnit, 1000 * kUnit, 4);
  const std::vector<uint64_t> begins = {0, 25, 50, 75};
  for (uint64_t i = 0; i < 4; ++i) {
    const Stretch::Piece piece = stretch.piece(i);
    EXPECT_EQ(piece.begin_bytes, begins[i] * kUnit);
    EXPECT_EQ(piece.length_bytes, 25 * kUnit);
    EXPECT_EQ(piece.place_bytes, i * 250 * kUnit);
  }
}

TEST(Stretch, WithoutOneEachByteIsAtItsOwnPlace) {
  const Stretch none;
  const Stretch::Piece all = none.piece_at(uint64_t{1} << 50U);
  EXPECT_EQ(all.begin_bytes, all.place_bytes);
  EXPECT_GT(all.length_bytes, uint64_t{1} << 50U);
}

TEST(Stretch, TheTableIsThatOfDmsetup) {
  const Stretch stretch = stretch_of(3 * kUnit, 8 * kUnit, 2);
  EXPECT_EQ(device_mapper_table(stretch, "/dev/sdx"), "0 8 linear /dev/sdx 0\n8 16 linear /dev/sdx 24\n");
}

TEST(Stretch, TheEndOfAnOddDiskIsKept) {
  const std::vector<Target> targets = targets_of(stretch_of((7 * kUnit) + 512, 9 * kUnit, 3));
  EXPECT_EQ(targets.back().start + targets.back().length, 57);
}

TEST(Stretch, WhatCannotBeIsRefused) {
  EXPECT_EQ(Stretch::over(8 * kUnit, (8 * kUnit) - 1, 2).error().code, ErrorCode::kUsage);
  EXPECT_TRUE(Stretch::over(8 * kUnit, 8 * kUnit, 8).ok());
  EXPECT_NE(Stretch::over(8 * kUnit, 9 * kUnit, 9).error().message.find("give 1 to 8"), std::string::npos);
  EXPECT_FALSE(Stretch::over(8 * kUnit, 9 * kUnit, 0).ok());
  EXPECT_FALSE(Stretch::over(8 * kUnit, Stretch::kMostBytes + 1, 2).ok());
  EXPECT_FALSE(Stretch::over(uint64_t{1} << 40U, uint64_t{1} << 41U, Stretch::kMostPieces + 1).ok());
}

// Any size of both disks and any number of pieces: the targets of the table cover the small disk without a
// gap, lie within the large one in the same order and apart from each other, and are where the emulator puts
// each byte. So no two bytes have one place.
TEST(Stretch, PropertyEachByteHasItsOwnPlaceAndBothMapsAgree) {
  Random random(20);
  for (int round = 0; round < 2000; ++round) {
    const uint64_t disk_sectors = 8 + (random.next() % (round % 2 == 0 ? 2000 : uint64_t{1} << 41U));
    const uint64_t disk_bytes = disk_sectors * kSectorBytes;
    const uint64_t units = (disk_bytes + kUnit - 1) / kUnit;
    const uint64_t large_bytes =
        (units * kUnit) + (random.next() % (round % 3 == 0 ? 5 * kUnit : 4 * disk_bytes));
    const uint64_t pieces_count = 1 + (random.next() % std::min<uint64_t>(units, 300));
    const Stretch stretch = stretch_of(disk_bytes, large_bytes, pieces_count);
    const std::vector<Target> targets = targets_of(stretch);
    ASSERT_EQ(targets.size(), pieces_count);
    uint64_t start = 0;
    uint64_t free_from = 0;
    for (const Target& target : targets) {
      ASSERT_EQ(target.start, start);
      ASSERT_GT(target.length, 0);
      ASSERT_GE(target.offset, free_from);
      start += target.length;
      free_from = target.offset + target.length;
      for (const uint64_t sector :
           {target.start, target.start + (random.next() % target.length), start - 1}) {
        const Stretch::Piece piece = stretch.piece_at(sector * kSectorBytes);
        ASSERT_EQ(piece.begin_bytes / kSectorBytes, target.start);
        ASSERT_EQ(piece.place_bytes / kSectorBytes, target.offset);
      }
    }
    ASSERT_EQ(start, disk_sectors);
    ASSERT_LE(free_from * kSectorBytes, large_bytes);
  }
}

}  // namespace
}  // namespace patina
