// Restores an image: writes every byte of it, then reads the device back and checks every chunk's digest.
#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <mutex>
#include <nlohmann/json.hpp>
#include <vector>

#include "chunk_store.h"
#include "device.h"
#include "device_data_map.h"
#include "image.h"
#include "image_workers.h"
#include "index.h"

namespace patina {
namespace {

// Zeroing in steps keeps progress moving and a stop prompt.
constexpr uint64_t kZeroStepBytes = uint64_t{256} << 20;
// Inside a chunk, a run of zeroes shorter than this is written with its neighbours.
constexpr uint64_t kWorthZeroingBytes = uint64_t{64} << 10;

// One chunk of the index, or a run of chunks that are zero.
struct Piece {
  IndexEntry chunk;
  bool zero = false;
};

// Hands out the pieces of an index in order.
class PieceSource {
 public:
  PieceSource(IndexReader& index, const ChunkId& zero_id) : index_(index), zero_id_(zero_id) {
    index_.rewind();
  }

  // False at the end. kIndexInvalid when the file changed under us.
  Result<bool> take(Piece& piece) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!has_ahead_ && index_.at_end()) return false;
    if (Status status = read_ahead(); !status) return status.error();
    piece.chunk = ahead_;
    piece.zero = is_zero_chunk(ahead_);
    has_ahead_ = false;
    while (piece.zero && piece.chunk.length_bytes < kZeroStepBytes && !index_.at_end()) {
      if (Status status = read_ahead(); !status) return status.error();
      if (!is_zero_chunk(ahead_)) break;
      piece.chunk.length_bytes += ahead_.length_bytes;
      has_ahead_ = false;
    }
    return true;
  }

 private:
  bool is_zero_chunk(const IndexEntry& entry) const {
    return entry.id == zero_id_ && entry.length_bytes == index_.max_chunk_bytes();
  }

  Status read_ahead() {
    if (has_ahead_) return ok_status();
    const Result<IndexEntry> entry = index_.next();
    if (!entry) return entry.error();
    ahead_ = *entry;
    has_ahead_ = true;
    return ok_status();
  }

  std::mutex mutex_;
  IndexReader& index_;
  const ChunkId zero_id_;
  IndexEntry ahead_;
  bool has_ahead_ = false;
};

class Restore {
 public:
  Restore(IndexReader& index, const ChunkStore& store, Device& device, ImageProgress& progress)
      : index_(index), store_(store), device_(device), progress_(progress) {
    zero_id_ = chunk_id_of(std::vector<uint8_t>(index.max_chunk_bytes()));
  }

  // Before the device is touched: is there a file for each chunk?
  Status check_chunks_present(const std::atomic<bool>& stop);
  Status write_device(int threads, const std::atomic<bool>& stop);
  Status verify_device(int threads, const std::atomic<bool>& stop);

  uint64_t written_bytes() const { return written_bytes_; }
  uint64_t zeroed_bytes() const { return zeroed_bytes_; }
  uint64_t verified_bytes() const { return verified_bytes_; }

 private:
  using PieceWork = std::function<Status(const Piece&, std::span<uint8_t>, ChunkCodec&)>;
  Status for_each_piece(int threads, const std::atomic<bool>& stop, const PieceWork& work);
  Status write_piece(const Piece& piece, std::span<uint8_t> data, ChunkCodec& codec);
  Status write_data(uint64_t offset_bytes, std::span<const uint8_t> data);
  Status write_run(uint64_t offset_bytes, std::span<const uint8_t> data, bool zero);
  Status verify_piece(const DeviceDataMap& data_map, const Piece& piece, std::span<uint8_t> data) const;
  Status verify_zero_run(const DeviceDataMap& data_map, const IndexEntry& run,
                         std::span<uint8_t> buffer) const;
  Error mismatch(const IndexEntry& chunk) const;

  IndexReader& index_;
  const ChunkStore& store_;
  Device& device_;
  ImageProgress& progress_;
  ChunkId zero_id_;
  std::atomic<uint64_t> written_bytes_{0};
  std::atomic<uint64_t> zeroed_bytes_{0};
  std::atomic<uint64_t> verified_bytes_{0};
};

Status Restore::check_chunks_present(const std::atomic<bool>& stop) {
  PieceSource source(index_, zero_id_);
  ChunkId previous = zero_id_;
  Piece piece;
  while (!stop.load()) {
    const Result<bool> taken = source.take(piece);
    if (!taken) return taken.error();
    if (!*taken) return ok_status();
    if (piece.zero || piece.chunk.id == previous) continue;
    previous = piece.chunk.id;
    if (store_.contains(previous)) continue;
    return Error{ErrorCode::kChunkMissing,
                 fmt::format("chunk {}, for byte {} of the image, is not in the store {}; {} was not touched",
                             previous.hex(), piece.chunk.offset_bytes, store_.path(), device_.path())};
  }
  return Error{ErrorCode::kCanceled, "stopped before " + device_.path() + " was touched"};
}

Status Restore::for_each_piece(int threads, const std::atomic<bool>& stop, const PieceWork& work) {
  PieceSource source(index_, zero_id_);
  return run_workers(threads, [&](std::atomic<bool>& halt) -> Status {
    AlignedBuffer buffer(index_.max_chunk_bytes());
    ChunkCodec codec;
    Piece piece;
    while (!halt.load()) {
      if (stop.load()) {
        return Error{ErrorCode::kCanceled,
                     "stopped: " + device_.path() + " now holds a part of the image only"};
      }
      const Result<bool> taken = source.take(piece);
      if (!taken) return taken.error();
      if (!*taken) break;
      Status status = work(piece, buffer.first(index_.max_chunk_bytes()), codec);
      if (status) status = progress_.add(piece.chunk.length_bytes);
      if (!status) return status;
    }
    return ok_status();
  });
}

Status Restore::write_device(int threads, const std::atomic<bool>& stop) {
  Status status = for_each_piece(threads, stop, [this](const Piece& piece, auto data, auto& codec) {
    return write_piece(piece, data, codec);
  });
  if (status) status = device_.settle();
  if (status) status = progress_.report();
  return status;
}

Status Restore::write_piece(const Piece& piece, std::span<uint8_t> data, ChunkCodec& codec) {
  const uint64_t offset = piece.chunk.offset_bytes;
  if (piece.zero) {
    zeroed_bytes_ += piece.chunk.length_bytes;
    return device_.zero(offset, piece.chunk.length_bytes);
  }
  data = data.first(piece.chunk.length_bytes);
  const Result<uint64_t> read = store_.read(piece.chunk.id, data, codec);
  if (read) return write_data(offset, data);
  return Error{read.error().code, fmt::format("{} (for byte {} of the image); {} now holds a part of it only",
                                              read.error().message, offset, device_.path())};
}

Status Restore::write_data(uint64_t offset_bytes, std::span<const uint8_t> data) {
  const auto is_zero_block = [&](size_t at) {
    return is_all_zero(data.subspan(at, std::min<size_t>(kDeviceAlignmentBytes, data.size() - at)));
  };
  size_t begin = 0;  // what is before it is done
  size_t at = 0;
  while (at < data.size()) {
    if (!is_zero_block(at)) {
      at += kDeviceAlignmentBytes;
      continue;
    }
    const size_t zero_begin = at;
    while (at < data.size() && is_zero_block(at)) at += kDeviceAlignmentBytes;
    const size_t zero_end = std::min(at, data.size());
    if (zero_end - zero_begin < kWorthZeroingBytes) continue;
    Status status = write_run(offset_bytes + begin, data.subspan(begin, zero_begin - begin), false);
    if (status) {
      status = write_run(offset_bytes + zero_begin, data.subspan(zero_begin, zero_end - zero_begin), true);
    }
    if (!status) return status;
    begin = zero_end;
  }
  return write_run(offset_bytes + begin, data.subspan(begin), false);
}

Status Restore::write_run(uint64_t offset_bytes, std::span<const uint8_t> data, bool zero) {
  if (data.empty()) return ok_status();
  (zero ? zeroed_bytes_ : written_bytes_) += data.size();
  return zero ? device_.zero(offset_bytes, data.size()) : device_.write(offset_bytes, data);
}

Error Restore::mismatch(const IndexEntry& chunk) const {
  return {
      ErrorCode::kVerifyMismatch,
      fmt::format(
          "{} does not read back what was written: the {} bytes at byte {} should be chunk {}; the device "
          "is failing, or something else writes to it",
          device_.path(), chunk.length_bytes, chunk.offset_bytes, chunk.id.hex())};
}

Status Restore::verify_device(int threads, const std::atomic<bool>& stop) {
  const DeviceDataMap data_map(device_);
  return for_each_piece(threads, stop, [this, &data_map](const Piece& piece, auto data, auto&) {
    Status status = verify_piece(data_map, piece, data);
    if (status) verified_bytes_ += piece.chunk.length_bytes;
    return status;
  });
}

Status Restore::verify_piece(const DeviceDataMap& data_map, const Piece& piece,
                             std::span<uint8_t> data) const {
  if (piece.zero) return verify_zero_run(data_map, piece.chunk, data);
  data = data.first(piece.chunk.length_bytes);
  const Result<uint64_t> read = data_map.read(piece.chunk.offset_bytes, data);
  if (!read) return read.error();
  if (chunk_id_of(data) != piece.chunk.id) return mismatch(piece.chunk);
  return ok_status();
}

Status Restore::verify_zero_run(const DeviceDataMap& data_map, const IndexEntry& run,
                                std::span<uint8_t> buffer) const {
  const uint64_t end_bytes = run.offset_bytes + run.length_bytes;
  for (uint64_t at = run.offset_bytes; at < end_bytes;) {
    at = std::max(at, data_map.next_data(at).begin_bytes);
    if (at >= end_bytes) break;
    const std::span<uint8_t> data = buffer.first(std::min<uint64_t>(buffer.size(), end_bytes - at));
    if (Status status = device_.read(at, data); !status) return status;
    if (!is_all_zero(data)) return mismatch({.offset_bytes = at, .length_bytes = data.size(), .id = run.id});
    at += data.size();
  }
  return ok_status();
}

nlohmann::ordered_json summary_of(const Device& device, const Restore& restore, double elapsed_s) {
  return {{"type", "summary"},
          {"command", "restore"},
          {"device_bytes", device.size_bytes()},
          {"written_bytes", restore.written_bytes()},
          {"zeroed_bytes", restore.zeroed_bytes()},
          {"verified_bytes", restore.verified_bytes()},
          {"elapsed_s", elapsed_s}};
}

}  // namespace

Status run_restore(const RestoreOptions& options, EventSink& sink, const std::atomic<bool>& stop) {
  if (!sink.emit(hello_event("restore"))) return Error{ErrorCode::kCanceled, "nobody reads the events"};
  Result<std::unique_ptr<IndexReader>> index = IndexReader::open(options.index_file);
  if (!index) return index.error();
  Result<std::unique_ptr<ChunkStore>> store = ChunkStore::open(options.store);
  if (!store) return store.error();
  Result<std::unique_ptr<Device>> device = Device::open_to_write(options.device);
  if (!device) return device.error();
  const uint64_t image_bytes = (*index)->image_bytes();
  if ((*device)->size_bytes() < image_bytes) {
    return Error{ErrorCode::kDeviceTooSmall,
                 fmt::format("{} has {} bytes, the image {}: take a device that is as large", options.device,
                             (*device)->size_bytes(), image_bytes)};
  }
  // Every byte is passed twice: written, then read back.
  ImageProgress progress(sink, "restore", 2 * image_bytes);
  const int threads = worker_count(options.threads);
  Restore restore(**index, **store, **device, progress);
  if (Status status = restore.check_chunks_present(stop); !status) return status;
  if (Status status = restore.write_device(threads, stop); !status) return status;
  if (Status status = restore.verify_device(threads, stop); !status) return status;
  if (Status status = progress.report(); !status) return status;
  if (!sink.emit(summary_of(**device, restore, progress.elapsed_s()))) {
    return Error{ErrorCode::kCanceled, "nobody reads the events"};
  }
  return ok_status();
}

}  // namespace patina
