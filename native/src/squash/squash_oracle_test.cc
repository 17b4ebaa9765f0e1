// What the programs of a file system would take for metadata is kept: real blocks, and real blocks changed at
// random. The oracles below are those programs' own checks, written down once more.
#include <gtest/gtest.h>

#include "base/all_zero.h"
#include "squash/squash.h"
#include "testing/property_testing.h"
#include "testing/squash_testing.h"

namespace patina {
namespace {

using Bytes = std::span<const uint8_t>;

uint64_t number(Bytes bytes, size_t at, size_t size, bool is_big) {
  uint64_t value = 0;
  for (size_t i = 0; i < size; ++i) value = value << 8U | bytes[at + (is_big ? i : size - 1 - i)];
  return value;
}
uint64_t little(Bytes bytes, size_t at, size_t size) {
  return number(bytes, at, size, false);
}
uint64_t big(Bytes bytes, size_t at, size_t size) {
  return number(bytes, at, size, true);
}

// e2fsprogs: ext2fs_extent_header_verify().
bool is_extent_node(Bytes block) {
  const uint64_t most = little(block, 4, 2);
  return little(block, 0, 2) == 0xf30a && little(block, 2, 2) <= most && most <= block.size() / 12 - 1 &&
         most >= block.size() / 12 - 3;
}

// check_ext_attr_header().
bool is_attributes(Bytes block) {
  const uint64_t magic = little(block, 0, 4);
  return (magic == 0xea010000 || magic == 0xea020000) && little(block, 8, 4) == 1;
}

// ext2fs_process_dir_block().
bool is_directory(Bytes block) {
  size_t offset = 0;
  while (offset < block.size() - 8) {
    const uint64_t length = little(block, offset + 4, 2);
    if (offset + length > block.size() || length < 8 || length % 4 != 0 || block[offset + 6] + 8U > length) {
      return false;
    }
    offset += length;
  }
  return offset == block.size();
}

// check_ind_bad_block() for each pointer.
bool is_indirect(Bytes block, uint64_t blocks_count) {
  for (size_t at = 0; at < block.size(); at += 4) {
    if (little(block, at, 4) >= blocks_count) return false;
  }
  return true;
}

// e2fsck_pass1_check_symlink(), as the kernel and the programs write it: zeroes follow.
bool is_link(Bytes block) {
  size_t length = 0;
  while (length < block.size() && block[length] != 0) ++length;
  if (length == block.size() || length == 0) return false;
  return std::all_of(block.begin() + static_cast<ptrdiff_t>(length), block.end(),
                     [](uint8_t byte) { return byte == 0; });
}

bool is_orphans(Bytes block) {
  return little(block, block.size() - 8, 4) == 0x0b10ca04;
}

bool is_ext_metadata(Bytes block, uint64_t blocks_count) {
  return is_extent_node(block) || is_attributes(block) || is_directory(block) ||
         is_indirect(block, blocks_count) || is_link(block) || is_orphans(block);
}

// libxfs: the magic numbers of each struct xfs_buf_ops for version 5, without checksums.
bool is_xfs_metadata(Bytes block) {
  const std::string first(block.begin(), block.begin() + 4);
  static const std::set<std::string> kMagics = {"XFSB", "XAGF", "XAGI", "XAFL", "AB3B", "AB3C",
                                                "IAB3", "FIB3", "BMA3", "RMB3", "R3FC", "XDB3",
                                                "XDD3", "XDF3", "XARM", "XSLM"};
  static const std::set<uint64_t> kLeaves = {0x3bee, 0x3df1, 0x3dff, 0x3ebe};
  return kMagics.contains(first) || first.substr(0, 2) == "IN" || first.substr(0, 2) == "DQ" ||
         kLeaves.contains(big(block, 8, 2));
}

// Swaps, clears and flips bytes, most of them at the begin.
std::vector<uint8_t> mutated(Bytes block, Random& random) {
  std::vector<uint8_t> changed(block.begin(), block.end());
  const auto size = static_cast<uint32_t>(changed.size());
  for (uint32_t i = random.below(4); i > 0; --i) {
    const uint32_t at = random.coin() ? random.below(64) : random.below(size);
    switch (random.below(5)) {
      case 0:
        changed[at] = static_cast<uint8_t>(random.next());
        break;
      case 1:
        changed[at] ^= static_cast<uint8_t>(1U << random.below(8));
        break;
      case 2:
        std::swap(changed[at], changed[random.below(size)]);
        break;
      case 3:
        std::fill(changed.begin() + at, changed.end(), uint8_t{0});
        break;
      default:
        changed[size - 1 - random.below(16)] = static_cast<uint8_t>(random.next());
    }
  }
  return changed;
}

struct OracleCase {
  ImageRecipe recipe;
  uint64_t block_bytes;
  std::function<bool(Bytes)> accepts;
  uint64_t data_piece;  // where nothing is placed
};

// Each block of the image, and each that the oracle accepts changed, in a piece of data.
void expect_accepted_blocks_kept(const OracleCase& each) {
  const FilledImage image = fill_image(each.recipe);
  SquashedDisk disk(image.bytes);
  ASSERT_EQ(disk.squash().kept_whole_reason(), "");
  Random random(8);
  uint64_t accepted_count = 0;
  std::vector<uint8_t> piece(kPieceBytes);
  const auto check = [&](Bytes block) {
    if (!each.accepts(block)) return;
    ++accepted_count;
    // Beside other blocks of random data.
    for (uint8_t& byte : piece) byte = static_cast<uint8_t>(0x80U | random.next());
    const uint64_t blocks_count = kPieceBytes / each.block_bytes;
    const uint64_t place = random.below(static_cast<uint32_t>(blocks_count)) * each.block_bytes;
    std::copy(block.begin(), block.end(), piece.begin() + static_cast<ptrdiff_t>(place));
    std::vector<Verdict> verdicts(1);
    disk.squash().classify(each.data_piece, piece, verdicts);
    ASSERT_EQ(verdicts[0], Verdict::kKeep);
  };
  for (uint64_t at = 0; at < image.bytes.size(); at += each.block_bytes) {
    const Bytes block = Bytes(image.bytes).subspan(at, each.block_bytes);
    if (is_all_zero(block)) continue;
    check(block);
    if (!each.accepts(block)) continue;
    for (uint32_t i = 0; i < property_cases(20); ++i) check(mutated(block, random));
    if (testing::Test::HasFatalFailure()) return;
  }
  EXPECT_GT(accepted_count, 1000U);
}

TreeShape small_tree() {
  return {.data_bytes = uint64_t{20} << 20U,
          .names_count = 500,
          .link_bytes = 900,
          .attribute_bytes = 700,
          .fragments_count = 300};
}

OracleCase ext(const char* type, const char* block_bytes, uint64_t bytes) {
  const uint64_t size_bytes = uint64_t{96} << 20U;
  return {
      {type, type, {"mke2fs", "-q", "-F", "-t", type, "-b", block_bytes}, size_bytes, small_tree(), "", {}},
      bytes,
      [=](Bytes block) { return is_ext_metadata(block, size_bytes / bytes); },
      20000};
}

TEST(SquashOracle, KeepsWhatE2fsprogsAccept) {
  PATINA_REQUIRE_ROOT();
  expect_accepted_blocks_kept(ext("ext4", "4096", 4096));
  expect_accepted_blocks_kept(ext("ext4", "1024", 1024));
  expect_accepted_blocks_kept(ext("ext3", "2048", 2048));
}

TEST(SquashOracle, KeepsWhatLibxfsAccepts) {
  PATINA_REQUIRE_ROOT();
  TreeShape tree = small_tree();
  tree.attribute_bytes = 20000;
  expect_accepted_blocks_kept(
      {{"xfs", "xfs", {"mkfs.xfs", "-q"}, uint64_t{320} << 20U, tree, "", {}}, 4096, is_xfs_metadata, 20000});
}

// btrfs-progs: check_tree_block() compares the id first.
TEST(SquashOracle, KeepsWhatBtrfsProgsAccept) {
  PATINA_REQUIRE_ROOT();
  const std::string id(16, '\x42');
  const auto accepts = [id](Bytes block) { return std::memcmp(&block[0x20], id.data(), id.size()) == 0; };
  expect_accepted_blocks_kept({{"btrfs",
                                "btrfs",
                                {"mkfs.btrfs", "-q", "-U", "42424242-4242-4242-4242-424242424242"},
                                uint64_t{256} << 20U,
                                small_tree(),
                                "",
                                {}},
                               4096,
                               accepts,
                               20000});
}

}  // namespace
}  // namespace patina
