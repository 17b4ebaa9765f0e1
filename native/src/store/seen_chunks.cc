// Open addressing over the digests' own bits.
#include "store/seen_chunks.h"

#include <algorithm>

namespace patina {
namespace {

uint64_t key_of(const ChunkId& id) {
  return std::max<uint64_t>(ChunkIdHash{}(id), 1);
}

}  // namespace

bool SeenChunks::place(uint64_t key) {
  const size_t mask = places_.size() - 1;
  for (size_t at = key & mask;; at = (at + 1) & mask) {
    if (places_[at] == key) return false;
    if (places_[at] == 0) {
      places_[at] = key;
      return true;
    }
  }
}

bool SeenChunks::contains(const ChunkId& id) const {
  const uint64_t key = key_of(id);
  const size_t mask = places_.size() - 1;
  size_t at = key & mask;
  while (places_[at] != 0 && places_[at] != key) at = (at + 1) & mask;
  return places_[at] == key;
}

bool SeenChunks::insert(const ChunkId& id) {
  if (!place(key_of(id))) return false;
  ++used_;
  if (used_ * 4 > places_.size() * 3) {
    std::vector<uint64_t> old(places_.size() * 2);
    old.swap(places_);
    for (const uint64_t moved : old) {
      if (moved != 0) place(moved);
    }
  }
  return true;
}

}  // namespace patina
