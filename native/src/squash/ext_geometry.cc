// Reads the super block of an ext file system: struct ext4_super_block of the kernel's fs/ext4/ext4.h.
#include "squash/ext_geometry.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "squash/bytes.h"

namespace patina {
namespace {

// 24 bytes of memory each. A file system of 128 TiB with blocks of 4 KiB has as many.
constexpr uint64_t kMaxGroups = uint64_t{1} << 20U;

// Words of features.
constexpr size_t kCompatible = 0x5c;
constexpr size_t kIncompatible = 0x60;
constexpr size_t kReadOnlyCompatible = 0x64;

constexpr uint32_t kHasJournal = 0x4;
constexpr uint32_t kSparseSuper2 = 0x200;
constexpr uint32_t kMetaGroups = 0x10;
constexpr uint32_t k64Bit = 0x80;
constexpr uint32_t kProtection = 0x100;
constexpr uint32_t kFlexGroups = 0x200;
constexpr uint32_t kEncrypted = 0x10000;
constexpr uint32_t kSparseSuper = 0x1;

struct Features {
  size_t word;
  uint32_t classified;
};
constexpr std::array kClassified = {
    // dir_prealloc, imagic_inodes, has_journal, ext_attr, resize_inode, dir_index, sparse_super2,
    // fast_commit,
    // stable_inodes, orphan_file
    Features{kCompatible, 0x1e3f},
    // filetype, needs_recovery, extent, meta_bg, 64bit, mmp, flex_bg, metadata_csum_seed, large_dir,
    // inline_data, encrypt, casefold
    Features{kIncompatible, 0x3e3d6},
    // sparse_super, large_file, old btree_dir, huge_file, uninit_bg, dir_nlink, extra_isize, quota, bigalloc,
    // metadata_csum, read-only, project, orphan_present
    Features{kReadOnlyCompatible, 0x1377f},
};

struct Refused {
  size_t word;
  uint32_t bit;
  const char* why;
};
constexpr std::array kRefused = {
    Refused{kIncompatible, 0x1, "It compresses files."},
    Refused{kIncompatible, 0x8, "It is the journal of another file system."},
    Refused{kIncompatible, 0x400,
            "It keeps extended attributes in inodes of their own (ea_inode), which look "
            "like data. Make it without ea_inode."},
    Refused{kIncompatible, 0x1000, "It keeps data in its directories (dirdata)."},
    Refused{kReadOnlyCompatible, 0x8000,
            "Its hashes of files (verity) look like data. Make it without verity."},
};

std::string refusal(std::span<const uint8_t> super_block) {
  for (const Refused& refused : kRefused) {
    if ((little_at<uint32_t>(super_block, refused.word) & refused.bit) != 0) return refused.why;
  }
  for (const Features& features : kClassified) {
    const uint32_t unknown = little_at<uint32_t>(super_block, features.word) & ~features.classified;
    if (unknown != 0) {
      return fmt::format("It has features that Patina does not know (bits {:#x} of the word at {:#x}).",
                         unknown, features.word);
    }
  }
  constexpr uint32_t kHurd = 1;
  if (little_at<uint32_t>(super_block, 0x48) == kHurd) return "It was made for the Hurd.";
  // resize2fs and e2fsck move metadata to places that the descriptors do not name yet.
  constexpr uint16_t kHasErrors = 2;
  if ((little_at<uint16_t>(super_block, 0x3a) & kHasErrors) != 0) {
    return "It is marked as having errors. Check it with e2fsck.";
  }
  return "";
}

bool is_power(uint64_t base, uint64_t number) {
  uint64_t power = base;
  while (power < number) power *= base;
  return power == number;
}

void read_sizes(std::span<const uint8_t> super_block, ExtGeometry& geometry) {
  const auto word = [super_block](size_t offset) -> uint64_t {
    return little_at<uint32_t>(super_block, offset);
  };
  const bool is_64bit = (word(kIncompatible) & k64Bit) != 0;
  geometry.blocks_count = word(0x4) | (is_64bit ? word(0x150) << 32U : 0);
  geometry.first_data_block = word(0x14);
  geometry.block_bytes = uint64_t{1024} << std::min<uint64_t>(word(0x18), 10);
  geometry.blocks_per_group = word(0x20);
  geometry.inodes_per_group = word(0x28);
  const bool has_revision = word(0x4c) != 0;
  geometry.inode_bytes = has_revision ? little_at<uint16_t>(super_block, 0x58) : 128;
  geometry.descriptor_bytes = is_64bit ? little_at<uint16_t>(super_block, 0xfe) : 32;
  geometry.reserved_descriptor_blocks = little_at<uint16_t>(super_block, 0xce);
  geometry.has_meta_groups = (word(kIncompatible) & kMetaGroups) != 0;
  geometry.first_meta_group = geometry.has_meta_groups ? word(0x104) : 0;
  if ((word(kIncompatible) & kFlexGroups) != 0) {
    geometry.groups_per_flex = uint64_t{1} << std::min<uint64_t>(super_block[0x174], 31);
  }
}

void read_places(std::span<const uint8_t> super_block, ExtGeometry& geometry) {
  const auto word = [super_block](size_t offset) { return little_at<uint32_t>(super_block, offset); };
  geometry.is_sparse = (word(kReadOnlyCompatible) & kSparseSuper) != 0;
  geometry.is_sparse2 = (word(kCompatible) & kSparseSuper2) != 0;
  if (geometry.is_sparse2) geometry.sparse2_backups = {word(0x24c), word(0x250)};
  if ((word(kIncompatible) & kProtection) != 0) {
    geometry.protection_block = little_at<uint64_t>(super_block, 0x168);
  }
  geometry.is_encrypted = (word(kIncompatible) & kEncrypted) != 0;
  geometry.has_journal = (word(kCompatible) & kHasJournal) != 0;
  if (!geometry.has_journal) return;
  geometry.journal_inode = word(0xe0);
  geometry.has_journal_backup = super_block[0xfd] == 1;
  if (!geometry.has_journal_backup) return;
  for (size_t i = 0; i < geometry.journal_backup.size(); ++i) {
    geometry.journal_backup[i] = word(0x10c + i * sizeof(uint32_t));
  }
}

// Returns why the numbers do not describe a file system on a disk of this size.
std::string flaw(const ExtGeometry& geometry, uint64_t size_bytes) {
  if (geometry.block_bytes > 4096) return "Its blocks are larger than 4 KiB.";
  constexpr const char* kInvalid = "Its super block is not valid.";
  const uint64_t most_per_group = uint64_t{1} << 32U;
  if (geometry.blocks_count > size_bytes / geometry.block_bytes) return "It is larger than the disk.";
  if (geometry.first_data_block > 1 || geometry.blocks_count <= geometry.first_data_block + 1)
    return kInvalid;
  if (geometry.blocks_per_group < 8 || geometry.blocks_per_group > most_per_group) return kInvalid;
  if (!std::has_single_bit(geometry.inode_bytes) || geometry.inode_bytes < 128 ||
      geometry.inode_bytes > geometry.block_bytes) {
    return kInvalid;
  }
  if (!std::has_single_bit(geometry.descriptor_bytes) || geometry.descriptor_bytes < 32 ||
      geometry.descriptor_bytes > geometry.block_bytes) {
    return kInvalid;
  }
  if (geometry.inodes_per_group == 0 || geometry.inode_table_blocks() > geometry.blocks_per_group)
    return kInvalid;
  if (geometry.groups_count > kMaxGroups) return "It has too many groups of blocks.";
  if (geometry.first_meta_group > geometry.descriptor_blocks()) return kInvalid;
  // Each number of 32 bits would then be one of its blocks, and each block could be an indirect one.
  if (geometry.blocks_count > UINT32_MAX) return "It has 2^32 blocks or more.";
  if (geometry.has_journal && geometry.journal_inode == 0) return "Its journal is on another device.";
  return "";
}

}  // namespace

uint64_t ExtGeometry::descriptor_blocks() const {
  const uint64_t in_block = descriptors_per_block();
  return (groups_count + in_block - 1) / in_block;
}

uint64_t ExtGeometry::inode_table_blocks() const {
  return (inodes_per_group * inode_bytes + block_bytes - 1) / block_bytes;
}

uint64_t ExtGeometry::group_end(uint64_t group) const {
  return std::min(group_begin(group) + blocks_per_group, blocks_count);
}

bool ExtGeometry::has_backup(uint64_t group) const {
  if (group == 0) return true;
  if (is_sparse2) return group == sparse2_backups[0] || group == sparse2_backups[1];
  if (group == 1 || !is_sparse) return true;
  return is_power(3, group) || is_power(5, group) || is_power(7, group);
}

uint64_t ExtGeometry::descriptor_block(uint64_t index) const {
  if (!has_meta_groups || index < first_meta_group) return super_block() + 1 + index;
  const uint64_t group = index * descriptors_per_block();
  const uint64_t begin = group == 0 ? super_block() : group_begin(group);
  return begin + (has_backup(group) ? 1 : 0);
}

ReadExtGeometry read_ext_geometry(std::span<const uint8_t> super_block, uint64_t size_bytes) {
  ReadExtGeometry read;
  read.reason = refusal(super_block);
  if (!read.reason.empty()) return read;
  ExtGeometry& geometry = read.geometry;
  read_sizes(super_block, geometry);
  read_places(super_block, geometry);
  if (geometry.blocks_per_group > 0 && geometry.blocks_count > geometry.first_data_block) {
    const uint64_t in_groups = geometry.blocks_count - geometry.first_data_block;
    geometry.groups_count = (in_groups + geometry.blocks_per_group - 1) / geometry.blocks_per_group;
  }
  read.reason = flaw(geometry, size_bytes);
  return read;
}

}  // namespace patina
