// Rolls a device back to the image that it held: rewrites the blocks that a trial touched, or, where they are
// not known for certain, all that differ.
#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/workers.h"
#include "device/device.h"
#include "image/delta.h"
#include "image/image.h"
#include "image/image_pieces.h"
#include "image/piece_check.h"
#include "image/piece_writer.h"
#include "image/touched_rewrite.h"
#include "store/chunk_store.h"
#include "store/index.h"

namespace patina {
namespace {

class Rollback {
 public:
  Rollback(IndexReader& index, const ChunkStore& store, Device& device, ImageProgress& progress,
           PieceLoop loop, const std::atomic<bool>& stop)
      : index_(index),
        device_(device),
        writer_(store, device),
        progress_(progress),
        loop_(std::move(loop)),
        stop_(stop) {}

  // Rewrites these extents, and reads them back.
  Status rewrite(const std::vector<ByteRange>& extents);
  // Reads everything, and rewrites the blocks that differ.
  Status rewrite_differing();
  // Checks every chunk's digest.
  Status verify_all();

  uint64_t touched_bytes() const { return touched_bytes_; }
  uint64_t written_bytes() const { return writer_.written_bytes(); }
  uint64_t zeroed_bytes() const { return writer_.zeroed_bytes(); }
  uint64_t verified_bytes() const { return verified_bytes_; }

 private:
  Status rewrite_where_different(const PieceCheck& check, const IndexEntry& chunk, std::span<uint8_t> buffers,
                                 ChunkCodec& codec);

  IndexReader& index_;
  Device& device_;
  PieceWriter writer_;
  ImageProgress& progress_;
  const PieceLoop loop_;
  const std::atomic<bool>& stop_;
  std::atomic<uint64_t> touched_bytes_{0};
  uint64_t verified_bytes_ = 0;
};

Status Rollback::rewrite(const std::vector<ByteRange>& extents) {
  TouchedRewrite rewriting(index_, device_, writer_, progress_, loop_, stop_);
  Status status = rewriting.run(extents);
  touched_bytes_ = verified_bytes_ = rewriting.touched_bytes();
  return status;
}

Status Rollback::rewrite_differing() {
  PieceSource source(index_);
  const PieceCheck check(device_);
  PieceLoop loop = loop_;
  loop.buffer_bytes = 2 * loop_.buffer_bytes;
  Status status =
      for_each_piece(source, loop, stop_, progress_, [&](const Piece& piece, auto buffers, auto& codec) {
        if (!piece.zero) return rewrite_where_different(check, piece.chunk, buffers, codec);
        const uint64_t begin_bytes = piece.chunk.offset_bytes;
        return check.find_data({begin_bytes, begin_bytes + piece.chunk.length_bytes},
                               buffers.first(loop_.buffer_bytes), [this](const ByteRange& place) {
                                 touched_bytes_ += place.length_bytes();
                                 return writer_.zero(place.begin_bytes, place.length_bytes());
                               });
      });
  if (status) status = device_.settle();
  return status;
}

// `buffers`: one for the bytes of the device, one for those of the image.
Status Rollback::rewrite_where_different(const PieceCheck& check, const IndexEntry& chunk,
                                         std::span<uint8_t> buffers, ChunkCodec& codec) {
  const std::span<uint8_t> held = buffers.first(loop_.buffer_bytes);
  const Result<bool> same = check.holds(chunk, held);
  if (!same) return same.error();
  if (*same) return ok_status();
  const Result<std::span<uint8_t>> data =
      writer_.read_chunk(chunk, buffers.subspan(loop_.buffer_bytes), codec);
  if (!data) return data.error();
  const auto differs = [&](uint64_t at) {
    const uint64_t length = std::min(kDeviceAlignmentBytes, data->size() - at);
    return !std::equal(data->begin() + static_cast<ptrdiff_t>(at),
                       data->begin() + static_cast<ptrdiff_t>(at + length),
                       held.begin() + static_cast<ptrdiff_t>(at));
  };
  for (uint64_t at = 0; at < data->size(); at += kDeviceAlignmentBytes) {
    const uint64_t begin = at;
    while (at < data->size() && differs(at)) at += kDeviceAlignmentBytes;
    const uint64_t end = std::min<uint64_t>(at, data->size());
    if (begin >= end) continue;
    touched_bytes_ += end - begin;
    Status status = writer_.write_data(chunk.offset_bytes + begin, data->subspan(begin, end - begin));
    if (!status) return status;
  }
  return ok_status();
}

Status Rollback::verify_all() {
  PieceSource source(index_);
  const PieceCheck check(device_);
  verified_bytes_ = index_.image_bytes();
  return for_each_piece(source, loop_, stop_, progress_, [&check](const Piece& piece, auto buffer, auto&) {
    return check.require(piece, buffer, "the device is failing, or something else writes to it");
  });
}

// Returns why blocks outside the delta may differ; empty when they cannot.
Result<std::string> reason_to_compare(const std::optional<Delta>& delta, const Device& device) {
  if (!delta) return std::string("no_delta");
  if (delta->device_bytes != device.size_bytes()) {
    return Error{ErrorCode::kTraceInvalid,
                 fmt::format("the delta is of a device of {} bytes, {} has {}", delta->device_bytes,
                             device.path(), device.size_bytes())};
  }
  if (!delta->incomplete_reason.empty()) return delta->incomplete_reason;
  const std::string now = device.generation();
  if (now.empty() || delta->generation_end.empty()) return std::string("unknown_generation");
  return std::string(now == delta->generation_end ? "" : "device_changed_since");
}

uint64_t touched_bytes_within(const Delta& delta, uint64_t image_bytes) {
  uint64_t bytes = 0;
  for (const ByteRange& extent : delta.extents) {
    if (extent.begin_bytes < image_bytes) {
      bytes += std::min(extent.end_bytes, image_bytes) - extent.begin_bytes;
    }
  }
  return bytes;
}

nlohmann::ordered_json summary_of(const std::string& reason, const Device& device, const Rollback& rollback,
                                  double elapsed_s) {
  nlohmann::ordered_json why = nullptr;
  if (!reason.empty()) why = reason;
  return {{"type", "summary"},
          {"command", "rollback"},
          {"device_bytes", device.size_bytes()},
          {"compared", reason.empty() ? "touched" : "full"},
          {"full_reason", why},
          {"touched_bytes", rollback.touched_bytes()},
          {"written_bytes", rollback.written_bytes()},
          {"zeroed_bytes", rollback.zeroed_bytes()},
          {"verified_bytes", device.drops_data() ? 0 : rollback.verified_bytes()},
          {"generation", device.generation()},
          {"elapsed_s", elapsed_s}};
}

}  // namespace

Status run_rollback(const RollbackOptions& options, EventSink& sink, const std::atomic<bool>& stop) {
  const Error stdout_closed{ErrorCode::kCanceled, "stdout is closed"};
  if (!sink.emit(hello_event("rollback"))) return stdout_closed;
  Result<std::unique_ptr<IndexReader>> index = IndexReader::open(options.index_file, options.index_digest);
  if (!index) return index.error();
  Result<std::unique_ptr<ChunkStore>> store = ChunkStore::open(options.store);
  if (!store) return store.error();
  std::optional<Delta> delta;
  if (!options.delta_file.empty()) {
    Result<Delta> read = read_delta(options.delta_file);
    if (!read) return read.error();
    delta = std::move(*read);
  }
  Result<std::unique_ptr<Device>> device = Device::open_to_write(options.device);
  if (!device) return device.error();
  (*device)->set_drops_data(options.drops_data);
  const uint64_t image_bytes = (*index)->image_bytes();
  if (Status status = (*device)->check_fits(image_bytes); !status) return status;
  // Dirty buffers would otherwise reach the device after it was compared.
  if (Status status = (*device)->settle(); !status) return status;
  const Result<std::string> reason = reason_to_compare(delta, **device);
  if (!reason) return reason.error();
  const bool full = !delta.has_value() || !reason->empty();
  const uint64_t touched = full ? image_bytes : touched_bytes_within(*delta, image_bytes);
  ImageProgress progress(sink, "rollback", 2 * touched + (options.verify_all && !full ? image_bytes : 0));
  Rollback rollback(
      **index, **store, **device, progress,
      {.threads = writing_threads(options.threads, options.drops_data),
       .buffer_bytes = (*index)->max_chunk_bytes(),
       .when_stopped = "stopped: " + options.device + " is rolled back in part only; run it again",
       .gate = "rollback.piece"},
      stop);
  Status status = full ? rollback.rewrite_differing() : rollback.rewrite(delta->extents);
  if (status && (full || options.verify_all)) status = rollback.verify_all();
  if (status) status = progress.report();
  if (!status) return status;
  return sink.emit(summary_of(*reason, **device, rollback, progress.elapsed_s())) ? ok_status()
                                                                                  : Status(stdout_closed);
}

}  // namespace patina
