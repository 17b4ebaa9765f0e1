// Reads an index ahead by one chunk, joins zero chunks, omits chunks that the device has already.
#include "image/image_pieces.h"

#include "base/gate.h"
#include "device/device.h"

namespace patina {

Result<AssumedContent> AssumedContent::open(const std::string& assume) {
  AssumedContent content;
  content.zero_ = assume == "zero";
  if (assume.empty() || content.zero_) return content;
  Result<std::unique_ptr<IndexReader>> index = IndexReader::open(assume);
  if (!index) return index.error();
  content.index_ = std::move(*index);
  return content;
}

void AssumedContent::rewind() {
  at_ = {};
  if (index_) index_->rewind();
}

Result<bool> AssumedContent::holds(const IndexEntry& chunk, bool is_zero) {
  if (!index_) return zero_ && is_zero;
  while (at_.offset_bytes + at_.length_bytes <= chunk.offset_bytes && !index_->at_end()) {
    const Result<IndexEntry> next = index_->next();
    if (!next) return next.error();
    at_ = *next;
  }
  return at_.offset_bytes == chunk.offset_bytes && at_.length_bytes == chunk.length_bytes &&
         at_.id == chunk.id;
}

PieceSource::PieceSource(IndexReader& index, AssumedContent* assumed)
    : index_(index), assumed_(assumed), zero_id_(zero_chunk_id(index.max_chunk_bytes())) {
  index_.rewind();
  if (assumed_ != nullptr) assumed_->rewind();
}

Status PieceSource::read_ahead() {
  while (!has_ahead_ && !at_end_) {
    if (index_.at_end()) {
      at_end_ = true;
      break;
    }
    const Result<IndexEntry> entry = index_.next();
    if (!entry) return entry.error();
    ahead_.chunk = *entry;
    ahead_.zero = entry->id == zero_id_ && entry->length_bytes == index_.max_chunk_bytes();
    has_ahead_ = true;
    if (assumed_ == nullptr) break;
    const Result<bool> held = assumed_->holds(ahead_.chunk, ahead_.zero);
    if (!held) return held.error();
    has_ahead_ = !*held;
  }
  return ok_status();
}

Result<bool> PieceSource::take(Piece& piece) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (Status status = read_ahead(); !status) return status.error();
  if (at_end_) return false;
  piece = ahead_;
  has_ahead_ = false;
  while (piece.zero && piece.chunk.length_bytes < kZeroStepBytes) {
    if (Status status = read_ahead(); !status) return status.error();
    const uint64_t end_bytes = piece.chunk.offset_bytes + piece.chunk.length_bytes;
    if (at_end_ || !ahead_.zero || ahead_.chunk.offset_bytes != end_bytes) break;
    piece.chunk.length_bytes += ahead_.chunk.length_bytes;
    has_ahead_ = false;
  }
  return true;
}

int writing_threads(int asked, bool drops_data) {
  return drops_data ? 1 : worker_count(asked);
}

Status for_each_piece(PieceSource& source, const PieceLoop& loop, const std::atomic<bool>& stop,
                      ImageProgress& progress, const PieceWork& work) {
  StepGates gates(Gates::of_environment(), loop.gate, stop);
  return run_workers(loop.threads, [&](std::atomic<bool>& halt) -> Status {
    AlignedBuffer buffer(loop.buffer_bytes);
    ChunkCodec codec;
    Piece piece;
    while (!halt.load()) {
      gates.pass_next();
      if (stop.load()) return Error{ErrorCode::kCanceled, loop.when_stopped};
      const Result<bool> taken = source.take(piece);
      if (!taken) return taken.error();
      if (!*taken) break;
      Status status = work(piece, buffer.first(loop.buffer_bytes), codec);
      if (status) status = progress.add(piece.chunk.length_bytes);
      if (!status) return status;
    }
    return ok_status();
  });
}

}  // namespace patina
