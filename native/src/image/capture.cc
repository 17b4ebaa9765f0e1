// Captures a device: each thread reads, hashes and stores chunks; the index takes them in device order.
#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <condition_variable>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/all_zero.h"
#include "base/gate.h"
#include "base/workers.h"
#include "device/device.h"
#include "device/device_data_map.h"
#include "device/device_generation.h"
#include "image/image.h"
#include "image/unused_ranges.h"
#include "store/chunk_writer.h"
#include "store/index.h"

namespace patina {
namespace {

// How far one thread may be ahead of the slowest before it waits: bounds the results out of order.
constexpr uint64_t kMaxChunksAhead = 4096;
// Up to this many distinct chunks the writer's records of them stay under 128 MiB.
constexpr uint64_t kMaxDataChunks = 12'000'000;

// Consecutive chunks for one thread: one that may hold data, or a run of whole chunks known to be zero.
struct Piece {
  uint64_t first_chunk = 0;
  uint64_t chunks_count = 0;
  bool known_zero = false;
};

class Capture {
 public:
  Capture(const Device& device, ChunkWriter& writer, IndexWriter& index, ImageProgress& progress,
          uint64_t chunk_size_bytes, std::vector<ByteRange> unused, StepGates& gates)
      : device_(device),
        data_map_(device, std::move(unused)),
        writer_(writer),
        index_(index),
        progress_(progress),
        gates_(gates),
        chunk_bytes_(chunk_size_bytes),
        whole_chunks_(device.size_bytes() / chunk_size_bytes),
        chunks_count_((device.size_bytes() + chunk_size_bytes - 1) / chunk_size_bytes) {
    zero_id_ = chunk_id_of(std::vector<uint8_t>(chunk_bytes_));
  }

  Status run(int threads, const std::atomic<bool>& stop);

  uint64_t chunks_count() const { return chunks_count_; }
  uint64_t read_bytes() const { return read_bytes_; }
  uint64_t zero_bytes() const { return zero_bytes_; }

 private:
  Status work(std::atomic<bool>& halt, const std::atomic<bool>& stop);
  bool take(Piece& piece);
  Status capture_piece(const Piece& piece, std::span<uint8_t> buffer, ChunkCodec& codec, ChunkId& id);
  Status commit(const Piece& piece, const ChunkId& id, std::atomic<bool>& halt);
  Status append_ready();
  uint64_t end_bytes(uint64_t chunk) const {
    return std::min(device_.size_bytes(), (chunk + 1) * chunk_bytes_);
  }

  const Device& device_;
  const DeviceDataMap data_map_;
  ChunkWriter& writer_;
  IndexWriter& index_;
  ImageProgress& progress_;
  StepGates& gates_;
  const uint64_t chunk_bytes_;
  const uint64_t whole_chunks_;
  const uint64_t chunks_count_;
  ChunkId zero_id_;

  std::mutex take_mutex_;
  uint64_t next_chunk_ = 0;  // under take_mutex_

  struct Done {
    Piece piece;
    ChunkId id;
  };
  std::mutex commit_mutex_;
  std::condition_variable committed_;
  std::map<uint64_t, Done> out_of_order_;  // by first chunk; this and the next under commit_mutex_
  uint64_t next_commit_ = 0;
  std::atomic<uint64_t> read_bytes_{0};
  std::atomic<uint64_t> zero_bytes_{0};
};

Status Capture::run(int threads, const std::atomic<bool>& stop) {
  return run_workers(threads, [this, &stop](std::atomic<bool>& halt) {
    Status status = work(halt, stop);
    if (!status) {
      // Under the lock, so that a thread about to wait for an earlier piece does not miss it.
      const std::lock_guard<std::mutex> lock(commit_mutex_);
      halt.store(true);
      committed_.notify_all();
    }
    return status;
  });
}

Status Capture::work(std::atomic<bool>& halt, const std::atomic<bool>& stop) {
  AlignedBuffer buffer(chunk_bytes_);
  ChunkCodec codec;
  Piece piece;
  while (!halt.load() && take(piece)) {
    gates_.pass_next();
    if (stop.load())
      return Error{ErrorCode::kCanceled, "stopped while " + device_.path() + " was being captured"};
    ChunkId id;
    Status status = capture_piece(piece, buffer.first(chunk_bytes_), codec, id);
    if (status) status = commit(piece, id, halt);
    if (!status) return status;
  }
  return ok_status();
}

bool Capture::take(Piece& piece) {
  const std::lock_guard<std::mutex> lock(take_mutex_);
  if (next_chunk_ == chunks_count_) return false;
  const ByteRange data = data_map_.next_data(next_chunk_ * chunk_bytes_);
  // The last chunk may be shorter; then it is not the zero chunk either, and is handled as data.
  const uint64_t zero_end = std::min(data.begin_bytes / chunk_bytes_, whole_chunks_);
  piece.first_chunk = next_chunk_;
  piece.known_zero = zero_end > next_chunk_;
  piece.chunks_count = piece.known_zero ? zero_end - next_chunk_ : 1;
  next_chunk_ += piece.chunks_count;
  return true;
}

Status Capture::capture_piece(const Piece& piece, std::span<uint8_t> buffer, ChunkCodec& codec, ChunkId& id) {
  const uint64_t offset = piece.first_chunk * chunk_bytes_;
  const std::span<uint8_t> data = buffer.first(end_bytes(piece.first_chunk) - offset);
  bool zero = piece.known_zero;
  if (!zero) {
    const Result<uint64_t> read = data_map_.read(offset, data);
    if (!read) return read.error();
    read_bytes_ += *read;
    zero = is_all_zero(data);
  } else {
    std::fill(data.begin(), data.end(), uint8_t{0});
  }
  if (zero) zero_bytes_ += end_bytes(piece.first_chunk + piece.chunks_count - 1) - offset;
  id = zero && data.size() == chunk_bytes_ ? zero_id_ : chunk_id_of(data);
  return writer_.put(id, data, codec);
}

Status Capture::commit(const Piece& piece, const ChunkId& id, std::atomic<bool>& halt) {
  std::unique_lock<std::mutex> lock(commit_mutex_);
  // The thread with the awaited piece never waits itself.
  committed_.wait(lock, [&] { return halt.load() || piece.first_chunk <= next_commit_ + kMaxChunksAhead; });
  out_of_order_.emplace(piece.first_chunk, Done{piece, id});
  if (Status status = append_ready(); !status) return status;
  committed_.notify_all();
  return ok_status();
}

Status Capture::append_ready() {
  while (!out_of_order_.empty() && out_of_order_.begin()->first == next_commit_) {
    const Done done = out_of_order_.begin()->second;
    out_of_order_.erase(out_of_order_.begin());
    const uint64_t begin_bytes = next_commit_ * chunk_bytes_;
    for (uint64_t i = 0; i < done.piece.chunks_count; ++i, ++next_commit_) {
      if (Status status = index_.append(end_bytes(next_commit_), done.id); !status) return status;
    }
    if (Status status = progress_.add(end_bytes(next_commit_ - 1) - begin_bytes); !status) return status;
  }
  return ok_status();
}

Status check_options(const CaptureOptions& options) {
  if (!std::has_single_bit(options.chunk_size_bytes) || options.chunk_size_bytes < kDeviceAlignmentBytes ||
      options.chunk_size_bytes > kMaxChunkSizeBytes) {
    return Error{ErrorCode::kUsage,
                 fmt::format("a chunk size of {} bytes cannot be used: give a power of two "
                             "from {} to {}",
                             options.chunk_size_bytes, kDeviceAlignmentBytes, kMaxChunkSizeBytes)};
  }
  return ok_status();
}

Status check_chunks_fit(const Device& device, uint64_t chunk_size_bytes) {
  if (device.size_bytes() / chunk_size_bytes <= kMaxDataChunks) return ok_status();
  return Error{ErrorCode::kUsage,
               fmt::format("{} has {} bytes, too many for chunks of {}: give a larger --chunk-size",
                           device.path(), device.size_bytes(), chunk_size_bytes)};
}

nlohmann::ordered_json summary_of(const CaptureOptions& options, const Device& device, const Capture& capture,
                                  const ChunkTotals& totals, const std::string& digest, double elapsed_s) {
  return {{"type", "summary"},
          {"command", "capture"},
          {"mode", capture_mode_name(options.mode)},
          {"device_bytes", device.size_bytes()},
          {"read_bytes", capture.read_bytes()},
          {"zero_bytes", capture.zero_bytes()},
          {"stored_bytes", totals.stored_bytes},
          {"new_bytes", totals.new_bytes},
          {"chunk_size_bytes", options.chunk_size_bytes},
          {"chunks_count", capture.chunks_count()},
          {"distinct_chunks_count", totals.distinct_chunks_count},
          {"new_chunks_count", totals.new_chunks_count},
          {"index_digest", digest},
          {"generation", device.generation()},
          {"elapsed_s", elapsed_s}};
}

// The device, opened for this capture alone, and the ranges that the image leaves out.
struct Source {
  std::unique_ptr<Device> device;
  std::vector<ByteRange> unused;
};

// What an emulated disk does not keep is zero, or data that it generates: null of other devices. Unlike a
// walk over the file system, this is right for every content.
Result<std::optional<Source>> open_emulated(const std::string& path) {
  std::optional<Source> source;
  Result<std::unique_ptr<Device>> device = Device::open_to_read(path);
  if (!device) return device.error();
  if (Status status = (*device)->settle(); !status) return status.error();
  const Result<std::optional<std::vector<ByteRange>>> asked = DeviceDataMap(**device).kept_ranges();
  if (!asked) return asked.error();
  const std::optional<std::vector<ByteRange>>& kept = *asked;
  if (!kept) return source;
  const uint64_t size_bytes = (*device)->size_bytes();
  source.emplace(Source{std::move(*device), subtract({{0, size_bytes}}, *kept)});
  return source;
}

Result<Source> open_source(const CaptureOptions& options, const std::atomic<bool>& stop) {
  if (options.mode == CaptureMode::kMetadata) {
    Result<std::optional<Source>> emulated = open_emulated(options.device);
    if (!emulated) return emulated.error();
    std::optional<Source>& source = *emulated;
    if (source) return std::move(*source);
  }
  const bool asks = options.mode != CaptureMode::kExact;
  Source source;
  std::string generation;
  if (asks) {
    // Before the device is claimed, because mounting claims it as well.
    const Result<std::string> before = device_generation(options.device);
    if (!before) return before.error();
    generation = *before;
    Result<std::vector<ByteRange>> unused = unused_ranges(options.device, options.mode, stop);
    if (!unused) return unused.error();
    source.unused = std::move(*unused);
  }
  Result<std::unique_ptr<Device>> device = Device::open_to_read(options.device);
  if (!device) return device.error();
  source.device = std::move(*device);
  if (Status status = source.device->settle(); !status) return status.error();
  if (asks && source.device->generation() != generation) {
    return Error{ErrorCode::kDeviceBusy,
                 fmt::format("{} was written to while the space in use was read; stop the program that "
                             "writes to it",
                             options.device)};
  }
  return source;
}

}  // namespace

const char* capture_mode_name(CaptureMode mode) {
  switch (mode) {
    case CaptureMode::kExact:
      return "exact";
    case CaptureMode::kAllocated:
      return "allocated";
    case CaptureMode::kMetadata:
      return "metadata";
  }
  return "exact";
}

Status run_capture(const CaptureOptions& options, EventSink& sink, const std::atomic<bool>& stop) {
  if (!sink.emit(hello_event("capture"))) return Error{ErrorCode::kCanceled, "stdout is closed"};
  if (Status status = check_options(options); !status) return status;
  Result<Source> source = open_source(options, stop);
  if (!source) return source.error();
  const Device& device = *source->device;
  if (Status status = check_chunks_fit(device, options.chunk_size_bytes); !status) return status;
  ImageProgress progress(sink, "capture", device.size_bytes());
  Result<std::unique_ptr<ChunkStore>> store = ChunkStore::open_or_make(options.store);
  if (!store) return store.error();
  Result<std::unique_ptr<ChunkWriter>> writer = ChunkWriter::create(**store);
  if (!writer) return writer.error();
  Result<std::unique_ptr<IndexWriter>> index =
      IndexWriter::create(options.index_file, options.chunk_size_bytes);
  if (!index) return index.error();

  const Gates& gates = Gates::of_environment();
  StepGates piece_gates(gates, "capture.piece", stop);
  Capture capture(device, **writer, **index, progress, options.chunk_size_bytes, std::move(source->unused),
                  piece_gates);
  if (Status status = capture.run(worker_count(options.threads), stop); !status) return status;
  // In this order: an index that exists names only chunks that are durable.
  gates.pass("capture.finish", stop);
  if (Status status = (*writer)->finish(); !status) return status;
  gates.pass("capture.publish", stop);
  const Result<std::string> digest = (*index)->publish();
  if (!digest) return digest.error();
  gates.pass("capture.end", stop);
  if (Status status = progress.report(); !status) return status;
  const bool read =
      sink.emit(summary_of(options, device, capture, (*writer)->totals(), *digest, progress.elapsed_s()));
  if (!read) return Error{ErrorCode::kCanceled, "stdout is closed"};
  return ok_status();
}

}  // namespace patina
