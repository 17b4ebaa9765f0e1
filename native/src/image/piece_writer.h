// Writes the content of an image to a device: data as data, zeroes by the device's own command.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>

#include "base/result.h"
#include "device/device.h"
#include "image/image_pieces.h"
#include "store/chunk_store.h"

namespace patina {

// Safe from several threads, each with its own pieces.
class PieceWriter {
 public:
  // `leave_zeroes`: of a device that is known to be zero, whose zeroes need not be written.
  PieceWriter(const ChunkStore& store, const Device& device, bool leave_zeroes = false)
      : store_(store), device_(device), leave_zeroes_(leave_zeroes) {}

  // Errors: kChunkMissing, kChunkCorrupt, kStoreIoError, kIoError.
  Status write(const Piece& piece, std::span<uint8_t> buffer, ChunkCodec& codec);
  // Returns the chunk's bytes, checked against its digest. The same errors, naming the byte of the image.
  Result<std::span<uint8_t>> read_chunk(const IndexEntry& chunk, std::span<uint8_t> buffer,
                                        ChunkCodec& codec) const;
  Status write_data(uint64_t offset_bytes, std::span<const uint8_t> data);
  Status zero(uint64_t offset_bytes, uint64_t length_bytes);

  uint64_t written_bytes() const { return written_bytes_; }
  uint64_t zeroed_bytes() const { return zeroed_bytes_; }

 private:
  Status write_run(uint64_t offset_bytes, std::span<const uint8_t> data, bool zero_run);

  const ChunkStore& store_;
  const Device& device_;
  const bool leave_zeroes_;
  std::atomic<uint64_t> written_bytes_{0};
  std::atomic<uint64_t> zeroed_bytes_{0};
};

}  // namespace patina
