// Follows the map of a journal's inode: an extent tree (ext4) or indirect blocks (ext3).
#include "squash/ext_journal.h"

#include <algorithm>
#include <span>

#include "squash/bytes.h"

namespace patina {
namespace {

constexpr uint16_t kExtentMagic = 0xf30a;
// Far above a journal of any size: bounds the reading of a map that is not valid.
constexpr size_t kMaxMapBlocks = 1 << 16;

class Walk {
 public:
  Walk(const ExtGeometry& geometry, const PieceReader& reader, ExtJournal& journal)
      : geometry_(geometry), reader_(reader), journal_(journal) {}

  // struct ext4_extent_header, then entries of 12 bytes. Returns false if it is not valid.
  bool tree(std::span<const uint8_t> node, uint16_t depth) {
    constexpr size_t kEntryBytes = 12;
    const size_t entries_count = little_at<uint16_t>(node, 2);
    if (little_at<uint16_t>(node, 0) != kExtentMagic || little_at<uint16_t>(node, 6) != depth) return false;
    if ((entries_count + 1) * kEntryBytes > node.size()) return false;
    for (size_t i = 1; i <= entries_count; ++i) {
      const std::span<const uint8_t> entry = node.subspan(i * kEntryBytes, kEntryBytes);
      if (!(depth == 0 ? extent(entry) : branch(entry, depth))) return false;
    }
    return true;
  }

  // Blocks that are mapped by pointers, at `levels` of indirection. `left`: those still to be found.
  bool pointers(std::span<const uint8_t> words, int levels, uint64_t& left) {
    for (size_t at = 0; at < words.size() && left > 0; at += sizeof(uint32_t)) {
      const uint64_t block = little_at<uint32_t>(words, at);
      if (levels == 0) {
        --left;
        // A journal has no holes.
        if (!add({block, block + 1})) return false;
        continue;
      }
      std::vector<uint8_t> below;
      if (!map_block(block, below) || !pointers(below, levels - 1, left)) return false;
    }
    return true;
  }

 private:
  bool extent(std::span<const uint8_t> entry) {
    constexpr uint64_t kMostBlocks = 32768;  // beyond it: unwritten
    uint64_t blocks_count = little_at<uint16_t>(entry, 4);
    if (blocks_count > kMostBlocks) blocks_count -= kMostBlocks;
    const uint64_t begin = uint64_t{little_at<uint16_t>(entry, 6)} << 32U | little_at<uint32_t>(entry, 8);
    return add({begin, begin + blocks_count});
  }
  bool branch(std::span<const uint8_t> entry, uint16_t depth) {
    const uint64_t block = uint64_t{little_at<uint16_t>(entry, 8)} << 32U | little_at<uint32_t>(entry, 4);
    std::vector<uint8_t> node;
    return map_block(block, node) && tree(node, static_cast<uint16_t>(depth - 1));
  }
  bool map_block(uint64_t block, std::vector<uint8_t>& into) {
    if (block == 0 || journal_.map_blocks.size() >= kMaxMapBlocks) return false;
    if (!read_ext_block(geometry_, reader_, block, into)) return false;
    journal_.map_blocks.push_back(block);
    return true;
  }
  bool add(BlockRange range) {
    if (range.begin <= geometry_.first_data_block || range.end > geometry_.blocks_count) return false;
    std::vector<BlockRange>& blocks = journal_.blocks;
    if (!blocks.empty() && blocks.back().end == range.begin) {
      blocks.back().end = range.end;
    } else {
      blocks.push_back(range);
    }
    return true;
  }

  const ExtGeometry& geometry_;
  const PieceReader& reader_;
  ExtJournal& journal_;
};

bool follow_pointers(Walk& walk, std::span<const uint8_t> map, uint64_t blocks_count) {
  constexpr size_t kDirectBytes = 12 * sizeof(uint32_t);
  uint64_t left = blocks_count;
  bool valid = walk.pointers(map.first(kDirectBytes), 0, left);
  for (int levels = 1; levels <= 3 && valid; ++levels) {
    const size_t at = kDirectBytes + static_cast<size_t>(levels - 1) * sizeof(uint32_t);
    valid = walk.pointers(map.subspan(at, sizeof(uint32_t)), levels, left);
  }
  return valid && left == 0;
}

uint64_t blocks_of(const ExtJournal& journal) {
  uint64_t count = 0;
  for (const BlockRange& range : journal.blocks) count += range.end - range.begin;
  return count;
}

}  // namespace

bool read_ext_block(const ExtGeometry& geometry, const PieceReader& reader, uint64_t block,
                    std::vector<uint8_t>& into) {
  if (block >= geometry.blocks_count) return false;
  std::array<uint8_t, kPieceBytes> piece;
  const uint64_t at = block * geometry.block_bytes;
  if (!reader(at / kPieceBytes, piece)) return false;
  const auto begin = piece.begin() + static_cast<ptrdiff_t>(at % kPieceBytes);
  into.assign(begin, begin + static_cast<ptrdiff_t>(geometry.block_bytes));
  return true;
}

ExtInodeMap ext_inode_map(std::span<const uint8_t> inode) {
  constexpr uint32_t kHasExtents = 0x80000;
  ExtInodeMap read;
  std::copy_n(inode.begin() + 0x28, read.map.size(), read.map.begin());
  read.size_bytes = little_at<uint32_t>(inode, 0x4) | uint64_t{little_at<uint32_t>(inode, 0x6c)} << 32U;
  read.has_extents = (little_at<uint32_t>(inode, 0x20) & kHasExtents) != 0;
  return read;
}

ExtInodeMap ext_journal_backup(const ExtGeometry& geometry) {
  ExtInodeMap backup;
  std::memcpy(backup.map.data(), geometry.journal_backup.data(), backup.map.size());
  backup.size_bytes = geometry.journal_backup[16] | uint64_t{geometry.journal_backup[15]} << 32U;
  backup.has_extents = little_at<uint16_t>(backup.map, 0) == kExtentMagic;
  return backup;
}

std::optional<ExtJournal> resolve_ext_journal(const ExtGeometry& geometry, const PieceReader& reader,
                                              const ExtInodeMap& inode) {
  constexpr uint16_t kMaxDepth = 5;
  const uint64_t blocks_count = inode.size_bytes / geometry.block_bytes;
  if (blocks_count == 0 || blocks_count > geometry.blocks_count) return std::nullopt;
  ExtJournal journal;
  Walk walk(geometry, reader, journal);
  if (inode.has_extents) {
    const uint16_t depth = little_at<uint16_t>(inode.map, 6);
    if (depth > kMaxDepth || !walk.tree(inode.map, depth)) return std::nullopt;
  } else if (!follow_pointers(walk, inode.map, blocks_count)) {
    return std::nullopt;
  }
  // Part of it may be where a block is still to be written.
  if (blocks_of(journal) < blocks_count) return std::nullopt;
  return journal;
}

}  // namespace patina
