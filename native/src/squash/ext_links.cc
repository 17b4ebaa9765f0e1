// Follows mounts by the super block, and reads the inodes of symbolic links.
#include "squash/ext_links.h"

#include <algorithm>

#include "base/all_zero.h"
#include "squash/bytes.h"
#include "squash/ext_journal.h"

namespace patina {

void ExtLinks::read_super_block(std::span<const uint8_t> super_block) {
  constexpr uint32_t kNeedsRecovery = 0x4;
  const bool needs_recovery = (little_at<uint32_t>(super_block, 0x60) & kNeedsRecovery) != 0;
  // Each mount that writes sets the time, and counts itself.
  const Mount mount{little_at<uint32_t>(super_block, 0x2c), little_at<uint16_t>(super_block, 0x34)};
  if (mount == mount_ && state_ == State::kMounted) {
    if (!needs_recovery) state_ = State::kUnmounted;
    return;
  }
  if (mount == mount_ && state_ == State::kUnmounted && !needs_recovery) return;
  forget();
  mount_ = mount;
  if (needs_recovery) state_ = State::kMounted;
}

void ExtLinks::keep_for_now(uint64_t piece) {
  if (state_ == State::kMounted) groups_[piece / kGroupPieces].set(piece % kGroupPieces);
}

void ExtLinks::keep_log_for_now(uint64_t piece) {
  if (state_ == State::kMounted) log_groups_[piece / kGroupPieces].set(piece % kGroupPieces);
}

void ExtLinks::forget() {
  state_ = State::kNone;
  groups_.clear();
  log_groups_.clear();
}

std::vector<uint64_t> ExtLinks::pieces_of(const Groups& groups) {
  std::vector<uint64_t> pieces;
  for (const auto& [number, group] : groups) {
    for (uint64_t i = 0; i < kGroupPieces; ++i) {
      if (group[i]) pieces.push_back(number * kGroupPieces + i);
    }
  }
  std::sort(pieces.begin(), pieces.end());
  return pieces;
}

std::vector<uint64_t> ExtLinks::log() const {
  return state_ == State::kUnmounted ? pieces_of(log_groups_) : std::vector<uint64_t>();
}

void ExtLinks::remove(uint64_t piece) {
  const auto group = groups_.find(piece / kGroupPieces);
  if (group != groups_.end()) group->second.reset(piece % kGroupPieces);
}

// A target of up to 59 bytes is in the inode itself. It is then taken for numbers of blocks, which does no
// harm. Returns false if the inode is not understood.
bool ExtLinks::remove_blocks_of(std::span<const uint8_t> inode, uint64_t block_bytes) {
  constexpr uint16_t kExtentMagic = 0xf30a;
  constexpr size_t kExtentBytes = 12;
  const ExtInodeMap read = ext_inode_map(inode);
  const std::span<const uint8_t> map(read.map);
  if (!read.has_extents) {
    remove(little_at<uint32_t>(map, 0) * block_bytes / kPieceBytes);
    return true;
  }
  const size_t extents_count = little_at<uint16_t>(map, 2);
  const bool is_leaf = little_at<uint16_t>(map, 0) == kExtentMagic && little_at<uint16_t>(map, 6) == 0;
  if (!is_leaf || (extents_count + 1) * kExtentBytes > map.size()) return false;
  // A target is not longer than a block.
  for (size_t i = 1; i <= extents_count; ++i) {
    remove(little_at<uint32_t>(map, i * kExtentBytes + 8) * block_bytes / kPieceBytes);
  }
  return true;
}

bool ExtLinks::remove_links(const ExtGeometry& geometry, const ExtPlaces& places, const PieceReader& reader) {
  std::vector<uint8_t> block;
  for (uint64_t group = 0; group < geometry.groups_count; ++group) {
    const uint64_t table = places.inode(group * geometry.inodes_per_group + 1).block;
    if (table == 0) return false;
    for (uint64_t i = 0; i < geometry.inode_table_blocks(); ++i) {
      if (!read_ext_block(geometry, reader, table + i, block)) return false;
      if (is_all_zero(block)) continue;
      for (size_t at = 0; at < block.size(); at += geometry.inode_bytes) {
        constexpr uint16_t kTypes = 0xf000;
        constexpr uint16_t kLink = 0xa000;
        const std::span<const uint8_t> inode = std::span(block).subspan(at, geometry.inode_bytes);
        const bool is_link = (little_at<uint16_t>(inode, 0) & kTypes) == kLink;
        if (is_link && !remove_blocks_of(inode, geometry.block_bytes)) return false;
      }
    }
  }
  return true;
}

std::vector<uint64_t> ExtLinks::settle(const ExtGeometry& geometry, const ExtPlaces& places,
                                       const PieceReader& reader) {
  std::vector<uint64_t> pieces;
  if (state_ != State::kUnmounted) return pieces;
  if (!groups_.empty() && remove_links(geometry, places, reader)) pieces = pieces_of(groups_);
  forget();
  return pieces;
}

}  // namespace patina
