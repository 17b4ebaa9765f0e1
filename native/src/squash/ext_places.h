// Where an ext file system keeps the metadata that the super block and the descriptors place.
#pragma once

#include <cstdint>
#include <vector>

#include "squash/ext_geometry.h"
#include "squash/piece.h"
#include "squash/piece_ranges.h"

namespace patina {

class ExtPlaces {
 public:
  explicit ExtPlaces(const ExtGeometry& geometry);

  // Reads the descriptors whose primary copies are in these pieces. Returns whether a place has changed.
  bool read_descriptors(const PieceReader& reader, uint64_t first_piece, uint64_t pieces_count);
  // Adds everything that is placed. A group whose descriptor is not valid (yet) is added whole, with the
  // groups that share its tables.
  void add_to(PieceRanges& kept) const;
  // Adds the primary descriptors.
  void add_descriptors_to(PieceRanges& ranges) const;
  // The block with this inode and the byte there; block 0: not known.
  struct InodePlace {
    uint64_t block = 0;
    size_t offset = 0;
  };
  InodePlace inode(uint64_t number) const;

  uint64_t memory_bytes() const { return groups_.capacity() * sizeof(Group); }

 private:
  struct Group {
    uint64_t block_bitmap = 0;
    uint64_t inode_bitmap = 0;
    uint64_t inode_table = 0;  // all 0: not known
    bool operator==(const Group&) const = default;
  };

  bool read_block(const PieceReader& reader, uint64_t index);
  Group parse(std::span<const uint8_t> descriptor) const;
  void add_copies_to(PieceRanges& kept) const;
  void add_blocks(PieceRanges& to, uint64_t begin, uint64_t count) const;

  ExtGeometry geometry_;
  std::vector<Group> groups_;
};

}  // namespace patina
