// What a delta touched, chunk by chunk of an image.
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

// Hands out the touched chunks in order. What lies past the image is left out.
class TouchedChunks {
 public:
  // `extents` ascending and disjoint, and alive as long as this.
  TouchedChunks(IndexReader& index, const std::vector<ByteRange>& extents);

  // False at the end. kIndexInvalid when the file changed under us.
  Result<bool> take(TouchedChunk& touched);

 private:
  bool more() const;
  Status find_chunk();
  void take_parts(TouchedChunk& touched);

  IndexReader& index_;
  const std::vector<ByteRange>& extents_;
  const ChunkId zero_id_;
  size_t next_extent_ = 0;
  uint64_t next_byte_ = 0;  // of the extent that is next: what is before it was handed out
  IndexEntry chunk_;
};

}  // namespace patina
