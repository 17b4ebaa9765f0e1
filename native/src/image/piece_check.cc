// Reads and hashes data; does neither to holes.
#include "image/piece_check.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/all_zero.h"

namespace patina {

Result<bool> PieceCheck::holds(const IndexEntry& chunk, std::span<uint8_t> buffer) const {
  const std::span<uint8_t> data = buffer.first(chunk.length_bytes);
  const Result<uint64_t> read = data_map_.read(chunk.offset_bytes, data);
  if (!read) return read.error();
  return chunk_id_of(data) == chunk.id;
}

Status PieceCheck::find_data(const ByteRange& run, std::span<uint8_t> buffer,
                             const std::function<Status(const ByteRange& place)>& found) const {
  for (uint64_t at = run.begin_bytes; at < run.end_bytes;) {
    at = std::max(at, data_map_.next_data(at).begin_bytes);
    if (at >= run.end_bytes) break;
    const std::span<uint8_t> data = buffer.first(std::min<uint64_t>(buffer.size(), run.end_bytes - at));
    if (const Result<uint64_t> read = data_map_.read(at, data); !read) return read.error();
    const ByteRange place{at, at + data.size()};
    if (!is_all_zero(data)) {
      if (Status status = found(place); !status) return status;
    }
    at = place.end_bytes;
  }
  return ok_status();
}

Status PieceCheck::require(const Piece& piece, std::span<uint8_t> buffer, const char* reason) const {
  if (device_.drops_data()) return ok_status();
  const auto mismatch = [&](uint64_t offset_bytes, uint64_t length_bytes) {
    return Error{ErrorCode::kVerifyMismatch,
                 fmt::format("{} does not hold the image: the {} bytes at byte {} should be chunk {}; {}",
                             device_.path(), length_bytes, offset_bytes, piece.chunk.id.hex(), reason)};
  };
  const uint64_t begin_bytes = piece.chunk.offset_bytes;
  if (piece.zero) {
    return find_data(
        {begin_bytes, begin_bytes + piece.chunk.length_bytes}, buffer,
        [&](const ByteRange& place) -> Status { return mismatch(place.begin_bytes, place.length_bytes()); });
  }
  const Result<bool> held = holds(piece.chunk, buffer);
  if (!held) return held.error();
  if (!*held) return mismatch(begin_bytes, piece.chunk.length_bytes);
  return ok_status();
}

}  // namespace patina
