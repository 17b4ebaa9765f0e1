// Walks an index and the extents of a delta side by side, seeking over untouched chunks.
#include "image/touched_chunks.h"

#include <algorithm>

namespace patina {

uint64_t TouchedChunk::touched_bytes() const {
  uint64_t bytes = 0;
  for (const ByteRange& part : parts) bytes += part.length_bytes();
  return bytes;
}

TouchedChunks::TouchedChunks(IndexReader& index, const std::vector<ByteRange>& extents)
    : index_(index), extents_(extents), zero_id_(zero_chunk_id(index.max_chunk_bytes())) {
  index_.rewind();
}

bool TouchedChunks::more() const {
  return next_extent_ < extents_.size() &&
         std::max(next_byte_, extents_[next_extent_].begin_bytes) < index_.image_bytes();
}

// Makes chunk_ the one in which the next touched byte lies.
Status TouchedChunks::find_chunk() {
  const uint64_t at = std::max(next_byte_, extents_[next_extent_].begin_bytes);
  if (chunk_.length_bytes > 0 && at < chunk_.offset_bytes + chunk_.length_bytes) return ok_status();
  if (Status status = index_.seek(at); !status) return status;
  const Result<IndexEntry> entry = index_.next();
  if (!entry) return entry.error();
  chunk_ = *entry;
  return ok_status();
}

void TouchedChunks::take_parts(TouchedChunk& touched) {
  const uint64_t end_bytes = chunk_.offset_bytes + chunk_.length_bytes;
  while (next_extent_ < extents_.size() && extents_[next_extent_].begin_bytes < end_bytes) {
    const ByteRange& extent = extents_[next_extent_];
    const ByteRange part{std::max({next_byte_, extent.begin_bytes, chunk_.offset_bytes}),
                         std::min(extent.end_bytes, end_bytes)};
    const bool joins = !touched.parts.empty() && touched.parts.back().end_bytes == part.begin_bytes;
    if (joins) {
      touched.parts.back().end_bytes = part.end_bytes;
    } else {
      touched.parts.push_back(part);
    }
    next_byte_ = part.end_bytes;
    if (extent.end_bytes > end_bytes) return;
    ++next_extent_;
  }
}

Result<bool> TouchedChunks::take(TouchedChunk& touched) {
  touched.parts.clear();
  if (!more()) return false;
  if (Status status = find_chunk(); !status) return status.error();
  const auto is_zero = [this] {
    return chunk_.id == zero_id_ && chunk_.length_bytes == index_.max_chunk_bytes();
  };
  touched.piece = {.chunk = chunk_, .zero = is_zero()};
  take_parts(touched);
  // One stretch of zeroes is one command to the device, however many chunks it has.
  while (touched.piece.zero && more() && touched.parts.size() == 1 &&
         touched.parts.back().length_bytes() < kZeroStepBytes &&
         std::max(next_byte_, extents_[next_extent_].begin_bytes) == touched.parts.back().end_bytes) {
    if (Status status = find_chunk(); !status) return status.error();
    if (!is_zero()) break;
    take_parts(touched);
  }
  return true;
}

}  // namespace patina
