// The part of a shingled disk that holds the data of files.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "shingle/free_extents.h"

namespace patina {

struct AreaSpace {
  uint64_t blocks_count = 0;
  uint64_t free_count = 0;
  uint64_t unusable_count = 0;  // of the free ones
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

  // Takes an extent that a map names. kBackingInvalid: it is not on the disk, or another map has it.
  virtual Status adopt(const BlockExtent& extent) = 0;
  // Returns extents of `count` blocks together; none if there is no place.
  virtual std::vector<BlockExtent> allocate(uint64_t count) = 0;
  // `may_be_durable`: a durable map may name it.
  virtual void release(const BlockExtent& extent, bool may_be_durable) = 0;
  // Returns whether a write to the extent changes or damages what is fenced.
  virtual bool is_fenced(const BlockExtent& extent) const = 0;
  // A commit makes all maps durable. What was released before its begin is not fenced after its end.
  virtual void begin_commit() = 0;
  virtual void end_commit(bool is_durable) = 0;

  // Whole blocks within an allocated extent. kIoError; kMaybeDamaged.
  virtual Status write(uint64_t first, std::span<const uint8_t> data) = 0;
  virtual Status read(uint64_t first, std::span<uint8_t> data) = 0;
  virtual Status flush() = 0;

  virtual uint64_t free_count() const = 0;
  virtual AreaSpace space() const = 0;
};

}  // namespace patina
