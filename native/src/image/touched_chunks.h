// The parts of an image that a delta touched, chunk by chunk.
#pragma once

#include <cstddef>
#include <vector>

#include "base/byte_range.h"
#include "base/result.h"
#include "image/image_pieces.h"
#include "store/index.h"

namespace patina {

// The touched parts of one chunk, or one touched stretch of a run of zero chunks.
struct TouchedChunk {
  Piece piece;
  std::vector<ByteRange> parts;  // of the device, ascending

  uint64_t touched_bytes() const;
};

// Provides the touched chunks in order, without extents past the image.
class TouchedChunks {
 public:
  // `extents` ascending and disjoint, and alive as long as this.
  TouchedChunks(IndexReader& index, const std::vector<ByteRange>& extents);

  // Takes the next touched chunk; false at the end. kIndexInvalid when the index file changed meanwhile.
  Result<bool> take(TouchedChunk& touched);

 private:
  bool more() const;
  Status find_chunk();
  void take_parts(TouchedChunk& touched);

  IndexReader& index_;
  const std::vector<ByteRange>& extents_;
  const ChunkId zero_id_;
  size_t next_extent_ = 0;
  uint64_t next_byte_ = 0;  // in the next extent: the bytes before it were provided
  IndexEntry chunk_;
};

}  // namespace patina
