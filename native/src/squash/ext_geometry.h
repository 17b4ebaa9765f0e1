// What the super block of an ext2, ext3 or ext4 file system sets out.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

namespace patina {

struct ExtGeometry {
  static constexpr size_t kJournalBackupWords = 17;  // the map of the journal's inode (15), and its size

  uint64_t block_bytes = 0;  // 1, 2 or 4 KiB
  uint64_t blocks_count = 0;
  uint64_t first_data_block = 0;
  uint64_t blocks_per_group = 0;
  uint64_t groups_count = 0;
  uint64_t groups_per_flex = 1;
  uint64_t inodes_per_group = 0;
  uint64_t inode_bytes = 0;
  uint64_t descriptor_bytes = 0;
  uint64_t reserved_descriptor_blocks = 0;
  uint64_t first_meta_group = 0;  // with has_meta_groups: earlier descriptors are behind the super block
  bool has_meta_groups = false;
  bool is_sparse = false;
  bool is_sparse2 = false;
  std::array<uint64_t, 2> sparse2_backups{};
  uint64_t protection_block = 0;  // of multiple mount protection; 0: none
  bool has_journal = false;
  uint64_t journal_inode = 0;
  std::array<uint32_t, kJournalBackupWords> journal_backup{};
  bool has_journal_backup = false;
  bool is_encrypted = false;

  bool operator==(const ExtGeometry&) const = default;

  uint64_t super_block() const { return 1024 / block_bytes; }  // its number
  uint64_t descriptors_per_block() const { return block_bytes / descriptor_bytes; }
  uint64_t descriptor_blocks() const;
  uint64_t inode_table_blocks() const;
  uint64_t group_begin(uint64_t group) const { return first_data_block + group * blocks_per_group; }
  uint64_t group_end(uint64_t group) const;
  bool has_backup(uint64_t group) const;
  // The block with these descriptors that the kernel reads.
  uint64_t descriptor_block(uint64_t index) const;
};

struct ReadExtGeometry {
  ExtGeometry geometry;
  std::string reason;  // not empty: the file system cannot be classified
};

// `super_block`: 1024 bytes with the magic number, otherwise untrusted. `size_bytes`: of the disk.
ReadExtGeometry read_ext_geometry(std::span<const uint8_t> super_block, uint64_t size_bytes);

}  // namespace patina
