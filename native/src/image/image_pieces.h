// The work on an image, in its order: chunks one by one, and runs of chunks that are zero.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>

#include "base/result.h"
#include "base/workers.h"
#include "store/chunk_store.h"
#include "store/index.h"

namespace patina {

// Zeroing in steps keeps progress moving and a stop prompt.
inline constexpr uint64_t kZeroStepBytes = uint64_t{256} << 20;

// One chunk of the index, or a run of chunks that are zero.
struct Piece {
  IndexEntry chunk;
  bool zero = false;
};

// Assumed device content: another image, zeroes, or (empty) unknown.
class AssumedContent {
 public:
  // `assume`: empty, "zero", or the path of an index. Errors: kIndexInvalid.
  static Result<AssumedContent> open(const std::string& assume);

  void rewind();
  // Whether the device holds the chunk; call in the order of the image. kIndexInvalid when the index file
  // changed meanwhile.
  Result<bool> holds(const IndexEntry& chunk, bool is_zero);

 private:
  bool zero_ = false;
  std::unique_ptr<IndexReader> index_;
  IndexEntry at_;
};

// Provides the pieces of an index in order, to several threads, without those that `assumed` holds.
class PieceSource {
 public:
  explicit PieceSource(IndexReader& index, AssumedContent* assumed = nullptr);

  // Takes the next piece; false at the end. kIndexInvalid when the index file changed meanwhile.
  Result<bool> take(Piece& piece);

 private:
  Status read_ahead();

  std::mutex mutex_;
  IndexReader& index_;
  AssumedContent* assumed_;
  const ChunkId zero_id_;
  Piece ahead_;
  bool has_ahead_ = false;
  bool at_end_ = false;
};

// The buffer holds any chunk of the image, and is the thread's own.
using PieceWork = std::function<Status(const Piece& piece, std::span<uint8_t> buffer, ChunkCodec& codec)>;

// Returns the number of threads that write an image to a device. An emulated disk, which drops data, gets it
// in order: the super block and the descriptors before what they place.
int writing_threads(int asked, bool drops_data);

struct PieceLoop {
  int threads = 1;
  uint64_t buffer_bytes = 0;
  std::string when_stopped;  // the message of kCanceled
  std::string gate = "";     // the point before each piece where a test may hold it (gate.h)
};

// Processes every piece once, and reports it as progress. The first error of any thread is the result.
Status for_each_piece(PieceSource& source, const PieceLoop& loop, const std::atomic<bool>& stop,
                      ImageProgress& progress, const PieceWork& work);

}  // namespace patina
