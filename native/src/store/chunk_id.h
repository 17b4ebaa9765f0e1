// The name of a chunk: the SHA-256 of its uncompressed bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

namespace patina {

struct ChunkId {
  std::array<uint8_t, 32> bytes{};

  std::string hex() const;
  bool operator==(const ChunkId&) const = default;
};

// A digest is uniform already: its first bytes are its hash.
struct ChunkIdHash {
  size_t operator()(const ChunkId& id) const {
    size_t hash = 0;
    std::memcpy(&hash, id.bytes.data(), sizeof hash);
    return hash;
  }
};

ChunkId chunk_id_of(std::span<const uint8_t> data);
// Returns the id of so many zero bytes.
ChunkId zero_chunk_id(uint64_t length_bytes);

}  // namespace patina
