// Reads group descriptors, and computes where their copies are.
#include "squash/ext_places.h"

#include <algorithm>

#include "squash/bytes.h"
#include "squash/ext_journal.h"

namespace patina {

ExtPlaces::ExtPlaces(const ExtGeometry& geometry) : geometry_(geometry), groups_(geometry.groups_count) {}

bool ExtPlaces::read_descriptors(const PieceReader& reader, uint64_t first_piece, uint64_t pieces_count) {
  bool changed = false;
  const uint64_t in_piece = kPieceBytes / geometry_.block_bytes;
  const uint64_t begin = first_piece * in_piece;
  const uint64_t end = (first_piece + pieces_count) * in_piece;
  for (uint64_t index = 0; index < geometry_.descriptor_blocks(); ++index) {
    const uint64_t block = geometry_.descriptor_block(index);
    if (block >= begin && block < end) changed |= read_block(reader, index);
  }
  return changed;
}

bool ExtPlaces::read_block(const PieceReader& reader, uint64_t index) {
  std::vector<uint8_t> block;
  const bool is_kept = read_ext_block(geometry_, reader, geometry_.descriptor_block(index), block);
  const uint64_t in_block = geometry_.descriptors_per_block();
  const uint64_t begin = index * in_block;
  const uint64_t end = std::min(begin + in_block, geometry_.groups_count);
  bool changed = false;
  for (uint64_t group = begin; group < end; ++group) {
    Group read;
    if (is_kept) {
      read = parse(
          std::span(block).subspan((group - begin) * geometry_.descriptor_bytes, geometry_.descriptor_bytes));
    }
    changed |= read != groups_[group];
    groups_[group] = read;
  }
  return changed;
}

ExtPlaces::Group ExtPlaces::parse(std::span<const uint8_t> descriptor) const {
  const auto number = [descriptor](size_t low, size_t high) {
    const uint64_t upper = descriptor.size() >= 64 ? little_at<uint32_t>(descriptor, high) : 0;
    return upper << 32U | little_at<uint32_t>(descriptor, low);
  };
  const Group read{number(0, 0x20), number(4, 0x24), number(8, 0x28)};
  const auto is_inside = [this](uint64_t block, uint64_t count) {
    return block > geometry_.first_data_block && block < geometry_.blocks_count &&
           count <= geometry_.blocks_count - block;
  };
  const bool is_valid = is_inside(read.block_bitmap, 1) && is_inside(read.inode_bitmap, 1) &&
                        is_inside(read.inode_table, geometry_.inode_table_blocks());
  return is_valid ? read : Group{};
}

void ExtPlaces::add_blocks(PieceRanges& to, uint64_t begin, uint64_t count) const {
  if (count == 0) return;
  const uint64_t bytes = geometry_.block_bytes;
  to.add(begin * bytes / kPieceBytes, ((begin + count) * bytes + kPieceBytes - 1) / kPieceBytes);
}

void ExtPlaces::add_descriptors_to(PieceRanges& ranges) const {
  for (uint64_t index = 0; index < geometry_.descriptor_blocks(); ++index) {
    add_blocks(ranges, geometry_.descriptor_block(index), 1);
  }
}

// Copies of the super block and of the descriptors, and what is reserved for more of them. Somewhat more than
// that is added where the layout has variants.
void ExtPlaces::add_copies_to(PieceRanges& kept) const {
  const uint64_t copied =
      1 + geometry_.reserved_descriptor_blocks +
      (geometry_.has_meta_groups ? geometry_.first_meta_group : geometry_.descriptor_blocks());
  const uint64_t in_meta_group = geometry_.descriptors_per_block();
  for (uint64_t group = 0; group < geometry_.groups_count; ++group) {
    const uint64_t begin = geometry_.group_begin(group);
    if (geometry_.has_backup(group)) add_blocks(kept, begin, copied + (group == 0 ? 1 : 0));
    if (!geometry_.has_meta_groups) continue;
    const uint64_t place = group % in_meta_group;
    if (place <= 1 || place + 1 == in_meta_group) add_blocks(kept, begin, 3);
  }
}

void ExtPlaces::add_to(PieceRanges& kept) const {
  add_copies_to(kept);
  add_descriptors_to(kept);
  if (geometry_.protection_block != 0 && geometry_.protection_block < geometry_.blocks_count) {
    add_blocks(kept, geometry_.protection_block, 1);
  }
  for (uint64_t group = 0; group < geometry_.groups_count; ++group) {
    const Group& places = groups_[group];
    if (places == Group{}) {
      const uint64_t first = group / geometry_.groups_per_flex * geometry_.groups_per_flex;
      const uint64_t last = std::min(first + geometry_.groups_per_flex, geometry_.groups_count) - 1;
      const uint64_t begin = geometry_.group_begin(first);
      add_blocks(kept, begin, geometry_.group_end(last) - begin);
      group = last;
      continue;
    }
    add_blocks(kept, places.block_bitmap, 1);
    add_blocks(kept, places.inode_bitmap, 1);
    add_blocks(kept, places.inode_table, geometry_.inode_table_blocks());
  }
}

ExtPlaces::InodePlace ExtPlaces::inode(uint64_t number) const {
  if (number == 0) return {};
  const uint64_t group = (number - 1) / geometry_.inodes_per_group;
  if (group >= groups_.size() || groups_[group] == Group{}) return {};
  const uint64_t offset = (number - 1) % geometry_.inodes_per_group * geometry_.inode_bytes;
  return {groups_[group].inode_table + offset / geometry_.block_bytes,
          static_cast<size_t>(offset % geometry_.block_bytes)};
}

}  // namespace patina
