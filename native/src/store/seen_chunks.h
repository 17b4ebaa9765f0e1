// A set of chunks in little memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "store/chunk_id.h"

namespace patina {

// Remembers 64 bits of each digest, 8 bytes a place: an image of millions of chunks in tens of megabytes.
// "Seen" can be wrong, very rarely; the caller must check it, or use it only where an error is harmless.
class SeenChunks {
 public:
  SeenChunks() : places_(1024) {}
  // Adds a chunk; returns true when it is new.
  bool insert(const ChunkId& id);
  bool contains(const ChunkId& id) const;

 private:
  bool place(uint64_t key);

  std::vector<uint64_t> places_;  // 0 is empty
  size_t used_ = 0;
};

}  // namespace patina
