// What is kept of disks without a file system, with two, and when it changes.
#include "squash/squash.h"

#include <gtest/gtest.h>

#include "testing/squash_testing.h"

namespace patina {
namespace {

constexpr uint64_t kSmallBytes = uint64_t{64} << 20U;
constexpr uint64_t kXfsBytes = uint64_t{320} << 20U;
constexpr uint64_t kOtherBytes = uint64_t{128} << 20U;
constexpr uint64_t kDataPiece = 10000;  // far from all that is placed

std::vector<uint8_t> random_piece(uint32_t seed = 1) {
  const std::string bytes = random_bytes(kPieceBytes, seed);
  return {bytes.begin(), bytes.end()};
}

Verdict verdict_on(const Squash& squash, uint64_t piece, const std::vector<uint8_t>& data) {
  std::vector<Verdict> verdicts(1);
  squash.classify(piece, data, verdicts);
  return verdicts[0];
}

void put(std::vector<uint8_t>& disk, uint64_t offset, const std::string& bytes) {
  std::copy(bytes.begin(), bytes.end(), disk.begin() + static_cast<ptrdiff_t>(offset));
}

TEST(Squash, KeepsEverythingOfADiskWithoutAFileSystem) {
  SquashedDisk disk(kSmallBytes);
  EXPECT_EQ(disk.squash().file_system(), "");
  EXPECT_EQ(disk.squash().kept_whole_reason(),
            "Every piece of the disk is kept. It has no file system that Patina can classify.");
  EXPECT_EQ(verdict_on(disk.squash(), kDataPiece, random_piece()), Verdict::kKeep);
}

TEST(Squash, KeepsEverythingBeforeTheDiskIsRead) {
  const Squash squash(kSmallBytes, [](uint64_t, std::span<uint8_t, kPieceBytes>) { return false; });
  EXPECT_EQ(squash.kept_whole_reason(), "Every piece of the disk is kept. The disk has not been read yet.");
  EXPECT_EQ(verdict_on(squash, kDataPiece, random_piece()), Verdict::kKeep);
}

TEST(Squash, DropsDataAndKeepsZeroes) {
  SquashedDisk disk(made_image({"mke2fs", "-q", "-F", "-t", "ext4", "-b", "4096"}, kSmallBytes));
  EXPECT_EQ(disk.squash().file_system(), "ext4");
  EXPECT_EQ(disk.squash().kept_whole_reason(), "");
  EXPECT_EQ(verdict_on(disk.squash(), kDataPiece, random_piece()), Verdict::kDrop);
  EXPECT_EQ(verdict_on(disk.squash(), kDataPiece, std::vector<uint8_t>(kPieceBytes)), Verdict::kKeep);
}

TEST(Squash, ReadsWhatTheFileSystemHasAllocated) {
  EXPECT_EQ(SquashedDisk(kSmallBytes).squash().used_bytes(), std::nullopt);
  const auto used_on = [](const std::vector<std::string>& mkfs, uint64_t size_bytes) {
    return SquashedDisk(made_image(mkfs, size_bytes)).squash().used_bytes().value_or(0);
  };
  // A fresh one has its tables, and a journal of some MiB.
  const uint64_t ext4 = used_on({"mke2fs", "-q", "-F", "-t", "ext4", "-b", "1024"}, kSmallBytes);
  EXPECT_GT(ext4, uint64_t{4} << 20U);
  EXPECT_LT(ext4, kSmallBytes / 4);
  const uint64_t xfs = used_on({"mkfs.xfs", "-q", "-f"}, kXfsBytes);
  EXPECT_GT(xfs, uint64_t{8} << 20U);
  EXPECT_LT(xfs, kXfsBytes / 2);
  const uint64_t btrfs = used_on({"mkfs.btrfs", "-q"}, kOtherBytes);
  EXPECT_GT(btrfs, uint64_t{64} << 10U);
  EXPECT_LT(btrfs, uint64_t{4} << 20U);
}

TEST(Squash, KeepsAllOfAWriteWithASuperBlock) {
  SquashedDisk disk(made_image({"mkfs.btrfs", "-q"}, uint64_t{128} << 20U));
  std::vector<uint8_t> data;
  for (uint32_t i = 0; i < 300; ++i) {
    const std::vector<uint8_t> piece = random_piece(i + 1);
    data.insert(data.end(), piece.begin(), piece.end());
  }
  std::copy_n(disk.piece(16).begin(), kPieceBytes, data.begin());
  for (const Verdict verdict : disk.write(16, data)) EXPECT_EQ(verdict, Verdict::kKeep);
}

TEST(Squash, KeepsWhatIsBehindTheFileSystem) {
  std::vector<uint8_t> content = made_image({"mke2fs", "-q", "-F", "-t", "ext4", "-b", "4096"}, kSmallBytes);
  content.resize(2 * kSmallBytes);
  SquashedDisk disk(content);
  EXPECT_EQ(verdict_on(disk.squash(), kSmallBytes / kPieceBytes - 1, random_piece()), Verdict::kDrop);
  EXPECT_EQ(verdict_on(disk.squash(), kSmallBytes / kPieceBytes, random_piece()), Verdict::kKeep);
}

TEST(Squash, KeepsEverythingOfTwoFileSystemsAtOnce) {
  std::vector<uint8_t> content = made_image({"mkfs.xfs", "-q"}, kXfsBytes);
  put(content, 0x438, "\x53\xef");
  SquashedDisk disk(content);
  EXPECT_EQ(disk.squash().file_system(), "");
  EXPECT_EQ(
      disk.squash().kept_whole_reason(),
      "Every piece of the disk is kept. It has super blocks of ext4 and xfs. Wipe it before a file system is "
      "made.");
  EXPECT_EQ(verdict_on(disk.squash(), kDataPiece, random_piece()), Verdict::kKeep);
}

TEST(Squash, FindsTheKindAnewWhenASignatureIsWiped) {
  SquashedDisk disk(made_image({"mkfs.xfs", "-q"}, kXfsBytes));
  EXPECT_EQ(disk.squash().file_system(), "xfs");
  std::vector<uint8_t> first(disk.piece(0).begin(), disk.piece(0).end());
  std::fill_n(first.begin(), 4, uint8_t{0});
  disk.write(0, first);
  EXPECT_EQ(disk.squash().file_system(), "");
  EXPECT_EQ(verdict_on(disk.squash(), kDataPiece, random_piece()), Verdict::kKeep);
}

TEST(Squash, FindsTheKindAnewWhenTheDiskIsDiscarded) {
  std::vector<uint8_t> content = made_image({"mkfs.btrfs", "-q"}, kXfsBytes);
  Squash squash(content.size(), [&content](uint64_t piece, std::span<uint8_t, kPieceBytes> into) {
    std::memcpy(into.data(), &content[piece * kPieceBytes], kPieceBytes);
    return true;
  });
  squash.reload();
  EXPECT_EQ(squash.file_system(), "btrfs");
  std::fill(content.begin(), content.end(), uint8_t{0});
  squash.stored(0, content.size() / kPieceBytes);
  EXPECT_EQ(squash.file_system(), "");
}

// Wiped before each, with all writes of mkfs in any order.
TEST(Squash, FollowsMkfsOverAnotherFileSystem) {
  const std::vector<uint8_t> ext4 = made_image({"mke2fs", "-q", "-F", "-t", "ext4"}, kXfsBytes);
  const std::vector<uint8_t> ext3 = made_image({"mke2fs", "-q", "-F", "-t", "ext3", "-b", "1024"}, kXfsBytes);
  const std::vector<uint8_t> xfs = made_image({"mkfs.xfs", "-q"}, kXfsBytes);
  const std::vector<uint8_t> btrfs = made_image({"mkfs.btrfs", "-q"}, kXfsBytes);
  Random random(5);
  SquashedDisk disk(kXfsBytes);
  const auto follow = [&](const std::vector<uint8_t>& made, const char* name) {
    std::vector<uint8_t> wiped = disk.bytes();
    std::fill_n(wiped.begin(), size_t{1} << 20U, uint8_t{0});
    disk.become(wiped, random);
    EXPECT_EQ(disk.squash().file_system(), "");
    disk.become(made, random);
    EXPECT_EQ(disk.squash().file_system(), name);
    EXPECT_EQ(disk.squash().kept_whole_reason(), "");
    EXPECT_TRUE(disk.bytes() == made) << name;
  };
  follow(ext4, "ext4");
  follow(xfs, "xfs");
  follow(ext3, "ext4");
  follow(btrfs, "btrfs");
  follow(xfs, "xfs");
  follow(btrfs, "btrfs");
  follow(ext4, "ext4");
}

TEST(Squash, ReloadsWhatIsOnTheDiskNow) {
  std::vector<uint8_t> content(kXfsBytes);
  Squash squash(content.size(), [&content](uint64_t piece, std::span<uint8_t, kPieceBytes> into) {
    std::memcpy(into.data(), &content[piece * kPieceBytes], kPieceBytes);
    return true;
  });
  squash.reload();
  EXPECT_EQ(squash.file_system(), "");
  content = made_image({"mkfs.xfs", "-q"}, kXfsBytes);
  squash.reload();
  EXPECT_EQ(squash.file_system(), "xfs");
}

struct Refused {
  const char* name;
  std::vector<std::string> mkfs;
  std::vector<std::pair<uint64_t, std::string>> changes;  // bytes at offsets
  const char* reason;

  friend void PrintTo(const Refused& refused, std::ostream* out) { *out << refused.name; }
};

class SquashRefuses : public testing::TestWithParam<Refused> {};

TEST_P(SquashRefuses, ToDropAnything) {
  const Refused& refused = GetParam();
  std::vector<uint8_t> content =
      made_image(refused.mkfs, refused.mkfs[0] == "mkfs.xfs" ? kXfsBytes : kOtherBytes);
  for (const auto& [offset, bytes] : refused.changes) put(content, offset, bytes);
  SquashedDisk disk(content);
  EXPECT_NE(disk.squash().file_system(), "");
  EXPECT_EQ(disk.squash().kept_whole_reason(),
            std::string("Every piece of the disk is kept. ") + refused.reason);
  EXPECT_EQ(verdict_on(disk.squash(), kDataPiece, random_piece()), Verdict::kKeep);
}

std::vector<std::string> ext(std::vector<std::string> options) {
  std::vector<std::string> command = {"mke2fs", "-q", "-F", "-t", "ext4"};
  command.insert(command.end(), options.begin(), options.end());
  return command;
}

std::string zeroes(size_t count, char first) {
  std::string bytes(count, '\0');
  bytes[0] = first;
  return bytes;
}

std::vector<Refused> refusals() {
  const std::vector<std::string> xfs = {"mkfs.xfs", "-q"};
  const std::vector<std::string> btrfs = {"mkfs.btrfs", "-q"};
  constexpr uint64_t kBtrfs = 0x10000;
  const char* const unknown_btrfs = "It has features or a state that Patina does not know.";
  return {
      {"AttributesInInodes",
       ext({"-O", "ea_inode"}),
       {},
       "It keeps extended attributes in inodes of their own (ea_inode), which look like data. Make it "
       "without "
       "ea_inode."},
      {"Verity",
       ext({"-O", "verity"}),
       {},
       "Its hashes of files (verity) look like data. Make it without verity."},
      {"JournalDevice", ext({"-O", "journal_dev"}), {}, "It is the journal of another file system."},
      {"JournalElsewhere", ext({}), {{1024 + 0xe0, zeroes(4, 0)}}, "Its journal is on another device."},
      {"JournalNotReadable",
       ext({}),
       {{1024 + 0xe0, zeroes(4, 5)}},
       "The places of its journal cannot be read."},
      {"Hurd", {"mke2fs", "-q", "-F", "-o", "hurd"}, {}, "It was made for the Hurd."},
      {"LargeBlocks", ext({"-b", "8192"}), {}, "Its blocks are larger than 4 KiB."},
      {"Errors", ext({}), {{1024 + 0x3a, "\x03"}}, "It is marked as having errors. Check it with e2fsck."},
      {"Compression", ext({}), {{1024 + 0x60, "\xc3"}}, "It compresses files."},
      {"DataInDirectories", ext({}), {{1024 + 0x61, "\x12"}}, "It keeps data in its directories (dirdata)."},
      {"UnknownExtFeature",
       ext({}),
       {{1024 + 0x63, "\x40"}},
       "It has features that Patina does not know (bits 0x40000000 of the word at 0x60)."},
      {"UnknownReadOnlyExtFeature",
       ext({}),
       {{1024 + 0x67, "\x40"}},
       "It has features that Patina does not know (bits 0x40000000 of the word at 0x64)."},
      {"LargerThanTheDisk", ext({}), {{1024 + 0x7, "\x10"}}, "It is larger than the disk."},
      {"NoBlocksInGroups", ext({}), {{1024 + 0x20, zeroes(4, 0)}}, "Its super block is not valid."},
      {"NoInodesInGroups", ext({}), {{1024 + 0x28, zeroes(4, 0)}}, "Its super block is not valid."},
      {"XfsWithoutChecksums",
       {"mkfs.xfs", "-q", "-m", "crc=0"},
       {},
       "It has no checksums (version 4). Make it with crc=1."},
      {"XfsSmallBlocks", {"mkfs.xfs", "-q", "-b", "size=1024"}, {}, "Its blocks are not of 4 KiB."},
      {"XfsLargeDirectories",
       {"mkfs.xfs", "-q", "-n", "size=8192"},
       {},
       "Its directories have blocks larger than those of the file system."},
      {"XfsRealtime", xfs, {{16, zeroes(8, 1)}}, "It has a realtime section."},
      {"XfsLogElsewhere", xfs, {{48, zeroes(8, 0)}}, "Its log is on another device."},
      {"XfsBeingMade", xfs, {{126, "\x01"}}, "It is being made."},
      {"XfsUnknownFeature", xfs, {{218, "\x40"}}, "It has features that Patina does not know."},
      {"XfsNoGroups", xfs, {{84, zeroes(4, 0)}}, "Its super block is not valid."},
      {"BtrfsFreeSpaceInFiles",
       {"mkfs.btrfs", "-q", "-R", "^free-space-tree"},
       {},
       "It keeps its free space in files (free space cache v1). Mount it once with space_cache=v2."},
      {"BtrfsDevices", btrfs, {{kBtrfs + 0x88, "\x02"}}, "It has several devices."},
      {"BtrfsZoned", btrfs, {{kBtrfs + 0xbd, "\x13"}}, "It is zoned."},
      {"BtrfsStripes", btrfs, {{kBtrfs + 0xbd, "\x43"}}, "It has a tree of RAID stripes."},
      {"BtrfsUnknownFeature", btrfs, {{kBtrfs + 0xbd, "\x23"}}, unknown_btrfs},
      {"BtrfsChangingItsId", btrfs, {{kBtrfs + 0x3c, "\x08"}}, unknown_btrfs},
      {"BtrfsNodesOfNoSize", btrfs, {{kBtrfs + 0x94, zeroes(4, 0)}}, "Its super block is not valid."},
      {"BtrfsNodesUnaligned", btrfs, {{kBtrfs + 0x51, "\x10"}}, "Its super block is not valid."},
  };
}

INSTANTIATE_TEST_SUITE_P(Features, SquashRefuses, testing::ValuesIn(refusals()),
                         [](const testing::TestParamInfo<Refused>& refused) { return refused.param.name; });

}  // namespace
}  // namespace patina
