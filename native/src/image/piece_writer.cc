// Cuts data at its long runs of zeroes.
#include "image/piece_writer.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/all_zero.h"

namespace patina {
namespace {

// A run of zeroes shorter than this is written with its neighbours, unless zeroes are left as they are.
constexpr uint64_t kWorthZeroingBytes = uint64_t{64} << 10;

}  // namespace

Status PieceWriter::write(const Piece& piece, std::span<uint8_t> buffer, ChunkCodec& codec) {
  if (piece.zero) return zero(piece.chunk.offset_bytes, piece.chunk.length_bytes);
  const Result<std::span<uint8_t>> data = read_chunk(piece.chunk, buffer, codec);
  if (!data) return data.error();
  return write_data(piece.chunk.offset_bytes, *data);
}

Result<std::span<uint8_t>> PieceWriter::read_chunk(const IndexEntry& chunk, std::span<uint8_t> buffer,
                                                   ChunkCodec& codec) const {
  const std::span<uint8_t> data = buffer.first(chunk.length_bytes);
  const Result<uint64_t> read = store_.read(chunk.id, data, codec);
  if (read) return data;
  return Error{read.error().code, fmt::format("{} (for byte {} of the image); {} now holds a part of it only",
                                              read.error().message, chunk.offset_bytes, device_.path())};
}

Status PieceWriter::write_data(uint64_t offset_bytes, std::span<const uint8_t> data) {
  const auto is_zero_block = [&](size_t at) {
    return is_all_zero(data.subspan(at, std::min<size_t>(kDeviceAlignmentBytes, data.size() - at)));
  };
  const uint64_t least_zero_bytes = leave_zeroes_ ? kDeviceAlignmentBytes : kWorthZeroingBytes;
  size_t begin = 0;  // all before it is done
  size_t at = 0;
  while (at < data.size()) {
    if (!is_zero_block(at)) {
      at += kDeviceAlignmentBytes;
      continue;
    }
    const size_t zero_begin = at;
    while (at < data.size() && is_zero_block(at)) at += kDeviceAlignmentBytes;
    const size_t zero_end = std::min(at, data.size());
    if (zero_end - zero_begin < least_zero_bytes) continue;
    Status status = write_run(offset_bytes + begin, data.subspan(begin, zero_begin - begin), false);
    if (status) {
      status = write_run(offset_bytes + zero_begin, data.subspan(zero_begin, zero_end - zero_begin), true);
    }
    if (!status) return status;
    begin = zero_end;
  }
  return write_run(offset_bytes + begin, data.subspan(begin), false);
}

Status PieceWriter::write_run(uint64_t offset_bytes, std::span<const uint8_t> data, bool zero_run) {
  if (data.empty()) return ok_status();
  if (zero_run) return zero(offset_bytes, data.size());
  written_bytes_ += data.size();
  return device_.write(offset_bytes, data);
}

Status PieceWriter::zero(uint64_t offset_bytes, uint64_t length_bytes) {
  if (leave_zeroes_) return ok_status();
  zeroed_bytes_ += length_bytes;
  return device_.zero(offset_bytes, length_bytes);
}

}  // namespace patina
