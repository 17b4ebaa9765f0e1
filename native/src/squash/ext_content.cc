// Recognises what an ext file system places anywhere: nodes of extent trees, indirect blocks, directories,
// extended attributes, symbolic links, the orphan file and a journal; and inodes on their way to another
// place.
#include "squash/ext_content.h"

#include <algorithm>

#include "squash/bytes.h"

namespace patina {
namespace {

bool has_magic(std::span<const uint8_t> block) {
  constexpr uint16_t kExtentNode = 0xf30a;
  constexpr uint32_t kAttributes = 0xea020000;
  constexpr uint32_t kOldAttributes = 0xea010000;
  constexpr uint32_t kJournal = 0xc03b3998;
  constexpr uint32_t kOrphans = 0x0b10ca04;
  const auto first = little_at<uint32_t>(block, 0);
  return static_cast<uint16_t>(first) == kExtentNode || first == kAttributes || first == kOldAttributes ||
         big_at<uint32_t>(block, 0) == kJournal || little_at<uint32_t>(block, block.size() - 8) == kOrphans;
}

// Records (inode, length, length of the name) that end exactly at the block's end. Roots and nodes of indexes
// are records too, and checksums are in a last one. Names may be encrypted.
bool is_directory(std::span<const uint8_t> block) {
  constexpr size_t kHeaderBytes = 8;
  size_t at = 0;
  while (at + kHeaderBytes <= block.size()) {
    const size_t length = little_at<uint16_t>(block, at + 4);
    const size_t name_length = block[at + 6];
    if (length % 4 != 0 || length < kHeaderBytes + name_length || length > block.size() - at) return false;
    at += length;
  }
  return at == block.size();
}

// Inodes of up to 1 KiB. Their tables have places, but tune2fs widens inodes (-I), and resize2fs moves
// tables, before the super block and the descriptors name the new places. A type is of 7, or none; the upper
// half of the number of a block with attributes is zero on a file system of fewer than 2^32 blocks.
bool may_be_inodes(std::span<const uint8_t> block) {
  constexpr size_t kAttributesUpperHalf = 0x76;
  constexpr uint32_t kTypes =
      1U << 0U | 1U << 1U | 1U << 2U | 1U << 4U | 1U << 6U | 1U << 8U | 1U << 10U | 1U << 12U;
  for (size_t at = 0; at < block.size(); at += 1024) {
    if ((kTypes >> (block[at + 1] >> 4U) & 1U) == 0) return false;
    if (little_at<uint16_t>(block, at + kAttributesUpperHalf) != 0) return false;
  }
  return true;
}

// A file of quotas has blocks of 1 KiB: a header, a tree of the numbers of its own blocks, and leaves. A leaf
// has two such numbers, at most 21 entries, and 6 bytes of zeroes (struct qt_disk_dqdbheader). The first one
// in a block of the file system decides.
bool may_be_quotas(std::span<const uint8_t> block, uint64_t blocks_count) {
  constexpr uint16_t kMaxEntries = 21;  // of 48 bytes
  const auto magic = little_at<uint32_t>(block, 0);
  if (magic == 0xd9c01f11 || magic == 0xd9c01927 || magic == 0xd9c03f14) return true;
  const bool is_leaf = little_at<uint16_t>(block, 8) <= kMaxEntries && little_at<uint16_t>(block, 10) == 0 &&
                       little_at<uint32_t>(block, 12) == 0;
  return is_leaf || are_all_below(block.first(1024), blocks_count);
}

// A text without a zero, and zeroes up to the end of the block.
bool may_be_plain_link(std::span<const uint8_t> block) {
  if (block.back() != 0) return false;
  const auto text_end = std::find(block.begin(), block.end(), uint8_t{0});
  return std::all_of(text_end, block.end(), [](uint8_t byte) { return byte == 0; });
}

// An encrypted target may have zeroes in it. The block has one more at its end.
bool may_be_encrypted_link(std::span<const uint8_t> block) {
  return block.back() == 0;
}

}  // namespace

bool ExtContent::may_be_metadata(std::span<const uint8_t> block) const {
  // An indirect block has numbers of blocks only. So have zeroes, and the tree of a file of quotas.
  return has_magic(block) || may_be_quotas(block, blocks_count) || is_directory(block) ||
         may_be_inodes(block);
}

bool ExtContent::may_be_link(std::span<const uint8_t> block) const {
  return is_encrypted ? may_be_encrypted_link(block) : may_be_plain_link(block);
}

}  // namespace patina
