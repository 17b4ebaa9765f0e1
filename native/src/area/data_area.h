// The part of a shingled disk that holds the data of files.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "shingle/banded_space.h"
#include "shingle/free_extents.h"

namespace patina {

struct AreaSpace {
  uint64_t blocks_count = 0;
  uint64_t free_count = 0;
  uint64_t unusable_count = 0;     // of the free ones: see FreePart
  uint64_t unavailable_count = 0;  // of the free ones, what users cannot have, even once all is cleaned
};

// A free extent, or a part of one.
struct FreePart {
  BlockExtent blocks;
  // Caveat-Scriptor: the extent has at most DID blocks. Strict append: the blocks are dead.
  bool is_unusable = false;
};

// In blocks of 4 KiB. A released extent is free at once, but a map of extents that is durable may still name
// it: it is *fenced* until the next commit, and nothing may be written that changes or damages it. Thread
// safe.
class DataArea {
 public:
  static constexpr uint64_t kBlockBytes = 4096;

  DataArea() = default;
  virtual ~DataArea() = default;
  DataArea(const DataArea&) = delete;
  DataArea& operator=(const DataArea&) = delete;

  // Takes an extent that the map of a file names. kBackingInvalid: it is not on the disk, or another file has
  // it.
  virtual Status adopt(const BlockExtent& extent, uint64_t inode) = 0;
  // Returns extents of `count` blocks together; none if there is no place.
  virtual std::vector<BlockExtent> allocate(uint64_t count, PlacedBy by) = 0;
  // They are written, and belong to this file.
  virtual void placed(const std::vector<BlockExtent>& /*extents*/, uint64_t /*inode*/) {}
  // `may_be_durable`: a durable map may name it.
  virtual void release(const BlockExtent& extent, bool may_be_durable) = 0;
  // Returns whether a write to the extent changes or damages what is fenced.
  virtual bool is_fenced(const BlockExtent& extent) const = 0;
  // A commit makes all maps durable. What was released before its begin is not fenced after its end.
  virtual void begin_commit() = 0;
  virtual void end_commit(bool is_durable) = 0;
  // Whether released blocks are free only after a commit.
  virtual bool has_waiting() const { return false; }

  // Where a block is on the device, and the first block that is not before that place.
  virtual uint64_t place_bytes(uint64_t block) const = 0;
  virtual uint64_t block_at(uint64_t place_bytes) const = 0;
  // Returns free extents from `block` on, ascending, in at most so many parts.
  virtual std::vector<FreePart> free_parts(uint64_t block, size_t most) const = 0;
  // Returns extents of maybe damaged blocks, which a read refuses, from `block` on, ascending, at most so
  // many.
  virtual std::vector<BlockExtent> damaged_extents(uint64_t block, size_t most) const = 0;
  // Returns how many blocks from `block` on lie together on the device.
  virtual uint64_t together_count(uint64_t block) const = 0;

  // Whole blocks within an allocated extent. kIoError; kMaybeDamaged.
  virtual Status write(uint64_t first, std::span<const uint8_t> data) = 0;
  virtual Status read(uint64_t first, std::span<uint8_t> data) = 0;
  virtual Status flush() = 0;
  // Whether all of an adopted extent can be read. kMaybeDamaged.
  virtual Status check_sound(const BlockExtent& extent) const = 0;

  // A part of the disk to be cleaned: its blocks, and the files that have some of them.
  struct Cleaning {
    BlockExtent part;
    std::vector<uint64_t> inodes;
  };
  // Whether it is cleaned at all.
  virtual bool has_cleaner() const { return false; }
  // None: there is nothing to clean.
  virtual std::optional<Cleaning> begin_cleaning() { return std::nullopt; }
  // Whether the cleaning that has begun last gave something back: another one gains nothing otherwise.
  virtual bool has_gained() const { return false; }
  // Whether so little can be written without cleaning that it should begin.
  virtual bool should_clean() const { return false; }

  // What users may place, once all is cleaned.
  virtual uint64_t free_count() const = 0;
  virtual AreaSpace space() const = 0;
};

}  // namespace patina
