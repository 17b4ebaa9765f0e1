// Verifies an image: that the store has every chunk of it whole, and that a device holds it.
#include <fmt/core.h>

#include <mutex>
#include <nlohmann/json.hpp>

#include "base/workers.h"
#include "device/device.h"
#include "image/image.h"
#include "image/image_pieces.h"
#include "image/piece_check.h"
#include "store/chunk_store.h"
#include "store/index.h"
#include "store/seen_chunks.h"

namespace patina {
namespace {

// Counts findings, and keeps the description of the first.
class Findings {
 public:
  void add(uint64_t offset_bytes, Error error) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (count_++ == 0 || offset_bytes < first_offset_bytes_) {
      first_offset_bytes_ = offset_bytes;
      first_ = std::move(error);
    }
  }
  // Returns ok when there are none.
  Status status(const std::string& of_what) const {
    if (count_ == 0) return ok_status();
    return Error{first_.code, fmt::format("{} ({} of {} are wrong)", first_.message, count_, of_what)};
  }

 private:
  std::mutex mutex_;
  uint64_t count_ = 0;
  uint64_t first_offset_bytes_ = 0;
  Error first_{};
};

// Checks each distinct chunk of the image once.
class StoreCheck {
 public:
  StoreCheck(const ChunkStore& store, Findings& findings) : store_(store), findings_(findings) {}

  // Records a chunk that cannot be read as a finding.
  Status check(const Piece& piece, std::span<uint8_t> buffer, ChunkCodec& codec) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (!seen_.insert(piece.chunk.id)) return ok_status();
      ++distinct_chunks_count_;
    }
    // A run of zero chunks is as long as many of them.
    const uint64_t length = std::min<uint64_t>(piece.chunk.length_bytes, buffer.size());
    const Result<uint64_t> read = store_.read(piece.chunk.id, buffer.first(length), codec);
    if (!read) {
      findings_.add(piece.chunk.offset_bytes,
                    {read.error().code, fmt::format("{} (for byte {} of the image)", read.error().message,
                                                    piece.chunk.offset_bytes)});
      return ok_status();
    }
    stored_bytes_ += *read;
    return ok_status();
  }

  uint64_t distinct_chunks_count() const { return distinct_chunks_count_; }
  uint64_t stored_bytes() const { return stored_bytes_; }

 private:
  const ChunkStore& store_;
  Findings& findings_;
  std::mutex mutex_;
  SeenChunks seen_;  // under mutex_, and so is the next
  uint64_t distinct_chunks_count_ = 0;
  std::atomic<uint64_t> stored_bytes_{0};
};

class Verification {
 public:
  Verification(const VerifyOptions& options, IndexReader& index, EventSink& sink)
      : options_(options),
        index_(index),
        progress_(
            sink, "verify",
            index.image_bytes() * (uint64_t{!options.store.empty()} + uint64_t{!options.device.empty()})),
        loop_{.threads = worker_count(options.threads),
              .buffer_bytes = index.max_chunk_bytes(),
              .when_stopped = "stopped before all of it was verified",
              .gate = "verify.piece"} {
    summary_ = {{"type", "summary"},
                {"command", "verify"},
                {"image_bytes", index.image_bytes()},
                {"chunks_count", index.chunks_count()},
                {"distinct_chunks_count", nullptr},
                {"stored_bytes", nullptr},
                {"generation", nullptr}};
  }

  Status verify_store(const std::atomic<bool>& stop);
  Status verify_device(const std::atomic<bool>& stop);
  nlohmann::ordered_json summary() {
    summary_["elapsed_s"] = progress_.elapsed_s();
    return summary_;
  }

 private:
  const VerifyOptions& options_;
  IndexReader& index_;
  ImageProgress progress_;
  const PieceLoop loop_;
  nlohmann::ordered_json summary_;
};

Status Verification::verify_store(const std::atomic<bool>& stop) {
  const Result<std::unique_ptr<ChunkStore>> store = ChunkStore::open(options_.store);
  if (!store) return store.error();
  Findings findings;
  StoreCheck check(**store, findings);
  PieceSource source(index_);
  Status status = for_each_piece(
      source, loop_, stop, progress_,
      [&check](const Piece& piece, auto buffer, auto& codec) { return check.check(piece, buffer, codec); });
  if (status) status = findings.status(fmt::format("{} distinct chunks", check.distinct_chunks_count()));
  if (status) status = progress_.report();
  summary_["distinct_chunks_count"] = check.distinct_chunks_count();
  summary_["stored_bytes"] = check.stored_bytes();
  return status;
}

Status Verification::verify_device(const std::atomic<bool>& stop) {
  const Result<std::unique_ptr<Device>> device = Device::open_to_read(options_.device);
  if (!device) return device.error();
  if (Status status = (*device)->check_fits(index_.image_bytes()); !status) return status;
  if (Status status = (*device)->settle(); !status) return status;
  Findings findings;
  const PieceCheck check(**device);
  PieceSource source(index_);
  Status status =
      for_each_piece(source, loop_, stop, progress_, [&](const Piece& piece, auto buffer, auto&) -> Status {
        Status required = check.require(piece, buffer, "it was written to since");
        if (required || required.error().code != ErrorCode::kVerifyMismatch) return required;
        findings.add(piece.chunk.offset_bytes, required.error());
        return ok_status();
      });
  if (status)
    status = findings.status(fmt::format("{} chunks or runs of zero chunks", index_.chunks_count()));
  if (status) status = progress_.report();
  summary_["generation"] = (*device)->generation();
  return status;
}

}  // namespace

Status run_verify(const VerifyOptions& options, EventSink& sink, const std::atomic<bool>& stop) {
  if (!sink.emit(hello_event("verify"))) return Error{ErrorCode::kCanceled, "stdout is closed"};
  Result<std::unique_ptr<IndexReader>> index = IndexReader::open(options.index_file, options.index_digest);
  if (!index) return index.error();
  Verification verification(options, **index, sink);
  if (!options.store.empty()) {
    if (Status status = verification.verify_store(stop); !status) return status;
  }
  if (!options.device.empty()) {
    if (Status status = verification.verify_device(stop); !status) return status;
  }
  if (!sink.emit(verification.summary())) return Error{ErrorCode::kCanceled, "stdout is closed"};
  return ok_status();
}

}  // namespace patina
