// The blocks of an ext file system's own journal.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "squash/ext_geometry.h"
#include "squash/piece.h"

namespace patina {

struct BlockRange {
  uint64_t begin = 0;
  uint64_t end = 0;
  bool operator==(const BlockRange&) const = default;
};

struct ExtJournal {
  std::vector<BlockRange> blocks;
  std::vector<uint64_t> map_blocks;  // of its extent tree, or indirect ones
  bool operator==(const ExtJournal&) const = default;
};

// Of an inode: what its blocks depend on.
struct ExtInodeMap {
  std::array<uint8_t, 60> map{};
  uint64_t size_bytes = 0;
  bool has_extents = false;
  bool operator==(const ExtInodeMap&) const = default;
};

// Reads a block of at most one piece; false if it is not kept.
bool read_ext_block(const ExtGeometry& geometry, const PieceReader& reader, uint64_t block,
                    std::vector<uint8_t>& into);

ExtInodeMap ext_inode_map(std::span<const uint8_t> inode);
// The copy in the super block.
ExtInodeMap ext_journal_backup(const ExtGeometry& geometry);

// Follows the map of the inode, which is untrusted. None: a block of the map is not kept or not valid.
std::optional<ExtJournal> resolve_ext_journal(const ExtGeometry& geometry, const PieceReader& reader,
                                              const ExtInodeMap& inode);

}  // namespace patina
