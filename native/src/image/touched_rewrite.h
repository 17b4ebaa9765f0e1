// Rewrites the blocks that a trial touched, and reads them back.
#pragma once

#include <xxhash.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "base/byte_range.h"
#include "base/result.h"
#include "base/workers.h"
#include "device/device.h"
#include "image/image_pieces.h"
#include "image/piece_check.h"
#include "image/piece_writer.h"
#include "image/touched_chunks.h"
#include "store/chunk_store.h"

namespace patina {

// Works in rounds, so that a bounded number of parts is recorded: each is written, synced and read back.
class TouchedRewrite {
 public:
  TouchedRewrite(IndexReader& index, Device& device, PieceWriter& writer, ImageProgress& progress,
                 const PieceLoop& loop, const std::atomic<bool>& stop)
      : index_(index), device_(device), writer_(writer), progress_(progress), loop_(loop), stop_(stop) {}

  // `extents` ascending and disjoint. Errors: those of PieceWriter::write(), kVerifyMismatch, kIndexInvalid,
  // kCanceled.
  Status run(const std::vector<ByteRange>& extents);

  // Bytes that were written, or zeroed, and then read back.
  uint64_t touched_bytes() const { return touched_bytes_; }

 private:
  // A part that was written, by the hash of its bytes; of zeroes none is needed.
  struct WrittenPart {
    ByteRange place;
    bool zero = false;
    XXH128_hash_t hash{};
  };
  class LateWrites;

  Result<bool> collect_round(TouchedChunks& source);
  Status write_round();
  Status zero_pieces(const std::atomic<bool>& halt);
  Status write_pieces(const std::atomic<bool>& halt);
  Status write_piece(const TouchedChunk& touched, std::span<uint8_t> buffer, ChunkCodec& codec,
                     LateWrites& late);
  Status verify_round();
  Status verify_part(const PieceCheck& check, const WrittenPart& part, std::span<uint8_t> buffer) const;
  void remember(const WrittenPart& part);
  Error stopped() const { return {ErrorCode::kCanceled, loop_.when_stopped}; }

  IndexReader& index_;
  Device& device_;
  PieceWriter& writer_;
  ImageProgress& progress_;
  const PieceLoop& loop_;
  const std::atomic<bool>& stop_;
  std::vector<TouchedChunk> zeroes_;  // of this round
  std::vector<TouchedChunk> data_;
  std::atomic<size_t> next_zero_{0};
  std::atomic<size_t> next_data_{0};
  std::atomic<bool> zeroing_{false};
  std::mutex mutex_;
  std::vector<WrittenPart> written_;  // under mutex_ while a round is written
  uint64_t touched_bytes_ = 0;
};

}  // namespace patina
