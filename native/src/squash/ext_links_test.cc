// Text that may be the target of a symbolic link is decided on once the file system is unmounted.
#include "squash/ext_links.h"

#include <gtest/gtest.h>

#include "squash/squash.h"
#include "testing/squash_testing.h"

namespace patina {
namespace {

constexpr uint64_t kDiskBytes = uint64_t{64} << 20U;
constexpr uint64_t kFreePiece = 12000;
constexpr size_t kTargetBytes = 700;
constexpr size_t kSmallestBlockBytes = 1024;

std::string text(uint32_t seed, size_t bytes) {
  Random random(seed);
  return TreeFiller::text(bytes, random);
}

// The end of a file.
std::vector<uint8_t> text_and_zeroes() {
  const std::string end = text(2, kPieceBytes - 300);
  std::vector<uint8_t> piece(end.begin(), end.end());
  piece.resize(kPieceBytes);
  return piece;
}

// A file system with a symbolic link, whose super block says what the kernel writes at a mount and its end.
class LinkedDisk {
 public:
  explicit LinkedDisk(std::vector<std::string> mkfs) {
    const ScratchFolder folder;
    std::filesystem::create_directory(folder / "tree");
    const std::string target = text(1, kTargetBytes);
    std::filesystem::create_symlink(target, folder / "tree/link");
    mkfs.insert(mkfs.end(), {"-d", folder / "tree"});
    make_image(mkfs, kDiskBytes, folder / "image");
    const std::vector<uint8_t> bytes = bytes_of_file(folder / "image");
    disk_ = std::make_unique<SquashedDisk>(bytes);
    EXPECT_EQ(disk_->squash().kept_whole_reason(), "");
    const std::string_view all(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    link_piece_ = all.find(target) / kPieceBytes;
    link_at_ = all.find(target) % kPieceBytes;
    block_bytes_ = size_t{1024} << bytes[1024 + 0x18];
    EXPECT_LT(link_piece_, disk_->pieces_count());
  }

  SquashedDisk& disk() { return *disk_; }
  uint64_t link_piece() const { return link_piece_; }

  void begin_mount(uint32_t time) { write_super_block(true, time); }
  void end_mount(uint32_t time) { write_super_block(false, time); }
  Verdict write(uint64_t piece, std::vector<uint8_t> bytes) { return disk_->write(piece, bytes)[0]; }
  Verdict write_text(uint64_t piece) { return write(piece, text_and_zeroes()); }
  // Beside text in the other blocks of its piece, where they are small.
  Verdict write_link() {
    const auto content = disk_->piece(link_piece_);
    std::vector<uint8_t> bytes(content.begin(), content.end());
    for (size_t at = 0; at < bytes.size(); at += kSmallestBlockBytes) {
      const bool is_of_link = at / block_bytes_ == link_at_ / block_bytes_;
      if (!is_of_link) std::fill_n(bytes.begin() + static_cast<ptrdiff_t>(at), kSmallestBlockBytes, 'x');
    }
    return write(link_piece_, bytes);
  }

 private:
  void write_super_block(bool needs_recovery, uint32_t time) {
    const auto content = disk_->piece(0);
    std::vector<uint8_t> piece(content.begin(), content.end());
    constexpr size_t kSuperBlock = 1024;
    std::memcpy(&piece[kSuperBlock + 0x2c], &time, sizeof time);
    piece[kSuperBlock + 0x60] =
        static_cast<uint8_t>((piece[kSuperBlock + 0x60] & ~4U) | (needs_recovery ? 4U : 0U));
    write(0, piece);
  }

  std::unique_ptr<SquashedDisk> disk_;
  uint64_t link_piece_ = 0;
  size_t link_at_ = 0;
  size_t block_bytes_ = 0;
};

std::vector<std::string> ext4() {
  return {"mke2fs", "-q", "-F", "-t", "ext4", "-b", "4096"};
}

class ExtLinksOf : public testing::TestWithParam<std::vector<std::string>> {};

TEST_P(ExtLinksOf, AMountAreKeptAndOtherTextIsDroppedAtItsEnd) {
  LinkedDisk linked(GetParam());
  linked.begin_mount(7);
  EXPECT_EQ(linked.write_text(kFreePiece), Verdict::kKeepForNow);
  EXPECT_EQ(linked.write_link(), Verdict::kKeepForNow);
  EXPECT_EQ(linked.disk().settle(), "");
  EXPECT_TRUE(linked.disk().is_kept(kFreePiece));  // its inode may be in the journal
  linked.end_mount(7);
  EXPECT_EQ(linked.disk().settle(), "");
  EXPECT_FALSE(linked.disk().is_kept(kFreePiece));
  EXPECT_TRUE(linked.disk().is_kept(linked.link_piece()));
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, ExtLinksOf,
    testing::Values(ext4(), std::vector<std::string>{"mke2fs", "-q", "-F", "-t", "ext4", "-b", "1024"},
                    std::vector<std::string>{"mke2fs", "-q", "-F", "-t", "ext3", "-b", "2048"}),
    [](const auto& kind) { return kind.param[4] + "_" + kind.param[6]; });

TEST(ExtLinks, TextOfAMountThatDidNotEndIsKept) {
  LinkedDisk linked(ext4());
  linked.begin_mount(7);
  linked.write_text(kFreePiece);
  linked.begin_mount(8);  // after a crash
  linked.end_mount(8);
  EXPECT_EQ(linked.disk().settle(), "");
  EXPECT_TRUE(linked.disk().is_kept(kFreePiece));
}

// An image of the disk may have been taken between the two, and a trace would not see the drop.
TEST(ExtLinks, TextOfAnEarlierMountIsKept) {
  LinkedDisk linked(ext4());
  linked.begin_mount(7);
  linked.write_text(kFreePiece);
  linked.end_mount(7);
  linked.begin_mount(8);
  linked.write_text(kFreePiece + 1);
  linked.end_mount(8);
  EXPECT_EQ(linked.disk().settle(), "");
  EXPECT_TRUE(linked.disk().is_kept(kFreePiece));
  EXPECT_FALSE(linked.disk().is_kept(kFreePiece + 1));
}

TEST(ExtLinks, TextWrittenWhileUnmountedIsKept) {
  LinkedDisk linked(ext4());
  EXPECT_EQ(linked.write_text(kFreePiece), Verdict::kKeep);
  linked.begin_mount(7);
  linked.end_mount(7);
  EXPECT_EQ(linked.write_text(kFreePiece + 1), Verdict::kKeep);
  EXPECT_EQ(linked.disk().settle(), "");
  EXPECT_TRUE(linked.disk().is_kept(kFreePiece));
  EXPECT_TRUE(linked.disk().is_kept(kFreePiece + 1));
}

TEST(ExtLinks, TextIsKeptWhereTheEmulatorWasStartedAgain) {
  LinkedDisk linked(ext4());
  linked.begin_mount(7);
  linked.write_text(kFreePiece);
  linked.disk().squash().reload();
  linked.end_mount(7);
  EXPECT_EQ(linked.disk().settle(), "");
  EXPECT_TRUE(linked.disk().is_kept(kFreePiece));
}

TEST(ExtLinks, WhatWasWrittenOverTextIsKeptIfItIsMetadata) {
  LinkedDisk linked(ext4());
  linked.begin_mount(7);
  linked.write_text(kFreePiece);
  linked.write_text(kFreePiece + 1);
  std::vector<uint8_t> node(kPieceBytes, 'x');
  node[0] = 0x0a;
  node[1] = 0xf3;
  EXPECT_EQ(linked.write(kFreePiece, node), Verdict::kKeep);
  EXPECT_EQ(linked.write(kFreePiece + 1, std::vector<uint8_t>(kPieceBytes, 'x')), Verdict::kDrop);
  linked.end_mount(7);
  EXPECT_EQ(linked.disk().settle(), "");
  EXPECT_TRUE(linked.disk().is_kept(kFreePiece));
}

TEST(ExtLinks, AllTextIsKeptIfAnInodeIsNotUnderstood) {
  LinkedDisk linked(ext4());
  linked.begin_mount(7);
  linked.write_text(kFreePiece);
  // The inode of the link: its mode, and the extent with its only block.
  constexpr uint32_t kMode = 0xa000;
  uint64_t changed_count = 0;
  for (uint64_t piece = 1; piece < linked.disk().pieces_count(); ++piece) {
    const auto content = linked.disk().piece(piece);
    for (size_t at = 0; at < kPieceBytes; at += 256) {
      const bool is_link = (little_at<uint16_t>(content, at) & 0xf000U) == kMode &&
                           little_at<uint16_t>(content, at + 0x28) == 0xf30a &&
                           little_at<uint32_t>(content, at + 0x28 + 20) == linked.link_piece();
      if (!is_link) continue;
      std::vector<uint8_t> bytes(content.begin(), content.end());
      bytes[at + 0x28 + 6] = 1;  // its depth
      linked.write(piece, bytes);
      ++changed_count;
    }
  }
  EXPECT_EQ(changed_count, 1U);
  linked.end_mount(7);
  EXPECT_EQ(linked.disk().settle(), "");
  EXPECT_TRUE(linked.disk().is_kept(kFreePiece));
}

// It is not marked as mounted, and its inodes come in any order.
TEST(ExtLinks, TextIsKeptWithoutAJournal) {
  LinkedDisk linked({"mke2fs", "-q", "-F", "-t", "ext2", "-b", "4096"});
  linked.begin_mount(7);
  EXPECT_EQ(linked.write_text(kFreePiece), Verdict::kKeep);
  linked.end_mount(7);
  EXPECT_EQ(linked.disk().settle(), "");
  EXPECT_TRUE(linked.disk().is_kept(kFreePiece));
}

// Of a disk of a TiB full of text: two bits a piece, with the map of the log.
TEST(ExtLinks, BoundTheirMemory) {
  ExtLinks links;
  std::vector<uint8_t> super_block(1024);
  super_block[0x60] = 4;
  links.read_super_block(super_block);
  constexpr uint64_t kPieces = (uint64_t{1} << 40U) / kPieceBytes;
  for (uint64_t piece = 0; piece < kPieces; piece += 7) links.keep_for_now(piece);
  EXPECT_LE(links.memory_bytes(), uint64_t{33} << 20U);
}

}  // namespace
}  // namespace patina
