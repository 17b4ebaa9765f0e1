// One thread begins with the zeroes, which the device or its driver processes while the others decompress.
#include "image/touched_rewrite.h"

#include <fmt/core.h>

namespace patina {
namespace {

// Parts that one round writes before it is synced and read back: bounds the records of them.
constexpr size_t kPartsOfARound = 1 << 16;
constexpr size_t kLateBytes = size_t{1} << 20;

}  // namespace

// Collects short parts of one thread until there are many: while one thread zeroes a part of a block device,
// the kernel blocks all writes to it.
class TouchedRewrite::LateWrites {
 public:
  // `in_order`: collects none.
  LateWrites(PieceWriter& writer, bool in_order) : writer_(writer), in_order_(in_order) {}

  Status add(uint64_t offset_bytes, std::span<const uint8_t> data) {
    if (data.size() >= kShortWriteBytes || in_order_) return writer_.write_data(offset_bytes, data);
    if (bytes_.size() + data.size() > kLateBytes) {
      if (Status status = flush(); !status) return status;
    }
    bytes_.insert(bytes_.end(), data.begin(), data.end());
    places_.push_back({offset_bytes, offset_bytes + data.size()});
    return ok_status();
  }

  Status flush() {
    size_t at = 0;
    for (const ByteRange& place : places_) {
      Status status = writer_.write_data(place.begin_bytes, {&bytes_[at], place.length_bytes()});
      if (!status) return status;
      at += place.length_bytes();
    }
    bytes_.clear();
    places_.clear();
    return ok_status();
  }

 private:
  PieceWriter& writer_;
  const bool in_order_;
  std::vector<uint8_t> bytes_;
  std::vector<ByteRange> places_;
};

Status TouchedRewrite::run(const std::vector<ByteRange>& extents) {
  TouchedChunks source(index_, extents);
  for (bool more = true; more;) {
    const Result<bool> collected = collect_round(source);
    if (!collected) return collected.error();
    more = *collected;
    Status status = write_round();
    if (status) status = device_.settle();
    if (status) status = verify_round();
    if (!status) return status;
  }
  return ok_status();
}

// Returns false when nothing is left for another round.
Result<bool> TouchedRewrite::collect_round(TouchedChunks& source) {
  zeroes_.clear();
  data_.clear();
  written_.clear();
  next_zero_ = next_data_ = 0;
  zeroing_ = false;
  TouchedChunk touched;
  for (size_t parts_count = 0; parts_count < kPartsOfARound; parts_count += touched.parts.size()) {
    const Result<bool> taken = source.take(touched);
    if (!taken || !*taken) return taken;
    (touched.piece.zero ? zeroes_ : data_).push_back(touched);
  }
  return true;
}

Status TouchedRewrite::write_round() {
  return run_workers(loop_.threads, [this](std::atomic<bool>& halt) -> Status {
    if (!zeroing_.exchange(true)) {
      if (Status status = zero_pieces(halt); !status) return status;
    }
    if (Status status = write_pieces(halt); !status) return status;
    return zero_pieces(halt);
  });
}

Status TouchedRewrite::zero_pieces(const std::atomic<bool>& halt) {
  while (!halt.load()) {
    if (stop_.load()) return stopped();
    const size_t at = next_zero_++;
    if (at >= zeroes_.size()) break;
    for (const ByteRange& part : zeroes_[at].parts) {
      Status status = writer_.zero(part.begin_bytes, part.length_bytes());
      if (!status) return status;
      remember({.place = part, .zero = true});
    }
    if (Status status = progress_.add(zeroes_[at].touched_bytes()); !status) return status;
  }
  return ok_status();
}

Status TouchedRewrite::write_pieces(const std::atomic<bool>& halt) {
  if (next_data_.load() >= data_.size()) return ok_status();
  AlignedBuffer buffer(loop_.buffer_bytes);
  ChunkCodec codec;
  LateWrites late(writer_, device_.drops_data());
  while (!halt.load()) {
    if (stop_.load()) return stopped();
    const size_t at = next_data_++;
    if (at >= data_.size()) break;
    Status status = write_piece(data_[at], buffer.first(loop_.buffer_bytes), codec, late);
    if (status) status = progress_.add(data_[at].touched_bytes());
    if (!status) return status;
  }
  return late.flush();
}

Status TouchedRewrite::write_piece(const TouchedChunk& touched, std::span<uint8_t> buffer, ChunkCodec& codec,
                                   LateWrites& late) {
  const IndexEntry& chunk = touched.piece.chunk;
  const Result<std::span<uint8_t>> data = writer_.read_chunk(chunk, buffer, codec);
  if (!data) return data.error();
  for (const ByteRange& part : touched.parts) {
    const auto bytes = data->subspan(part.begin_bytes - chunk.offset_bytes, part.length_bytes());
    if (Status status = late.add(part.begin_bytes, bytes); !status) return status;
    remember({.place = part, .hash = XXH3_128bits(bytes.data(), bytes.size())});
  }
  return ok_status();
}

void TouchedRewrite::remember(const WrittenPart& part) {
  const std::lock_guard<std::mutex> lock(mutex_);
  written_.push_back(part);
  touched_bytes_ += part.place.length_bytes();
}

Status TouchedRewrite::verify_round() {
  const PieceCheck check(device_);
  std::atomic<size_t> next{0};
  return run_workers(loop_.threads, [&](std::atomic<bool>& halt) -> Status {
    if (next.load() >= written_.size()) return ok_status();
    AlignedBuffer buffer(loop_.buffer_bytes);
    while (!halt.load()) {
      if (stop_.load()) return stopped();
      const size_t at = next++;
      if (at >= written_.size()) break;
      Status status = verify_part(check, written_[at], buffer.first(loop_.buffer_bytes));
      if (status) status = progress_.add(written_[at].place.length_bytes());
      if (!status) return status;
    }
    return ok_status();
  });
}

Status TouchedRewrite::verify_part(const PieceCheck& check, const WrittenPart& part,
                                   std::span<uint8_t> buffer) const {
  if (device_.drops_data()) return ok_status();
  Error mismatch{
      ErrorCode::kVerifyMismatch,
      fmt::format("{} does not return the data written to its {} bytes at byte {}; the device is failing, "
                  "or something else writes to it",
                  device_.path(), part.place.length_bytes(), part.place.begin_bytes)};
  if (part.zero) return check.find_data(part.place, buffer, [&](const ByteRange&) { return mismatch; });
  const std::span<uint8_t> data = buffer.first(part.place.length_bytes());
  if (Status status = device_.read(part.place.begin_bytes, data); !status) return status;
  if (XXH128_isEqual(XXH3_128bits(data.data(), data.size()), part.hash) == 0) return mismatch;
  return ok_status();
}

}  // namespace patina
