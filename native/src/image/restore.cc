// Restores an image: writes the chunks that the device is not known to hold, then reads it back and checks
// every chunk's digest.
#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "base/workers.h"
#include "device/device.h"
#include "image/image.h"
#include "image/image_pieces.h"
#include "image/piece_check.h"
#include "image/piece_writer.h"
#include "store/chunk_store.h"
#include "store/index.h"

namespace patina {
namespace {

constexpr const char* kFailing = "the device is failing, or something else writes to it";
constexpr const char* kFailingOrOther =
    "its content differed from --assume, or the device is failing, or something else writes to it";

// Checks, before the device is touched, that there is a file for each chunk to be written.
Status check_chunks_present(PieceSource& source, const ChunkStore& store, const Device& device,
                            const std::atomic<bool>& stop) {
  ChunkId previous;
  Piece piece;
  while (!stop.load()) {
    const Result<bool> taken = source.take(piece);
    if (!taken) return taken.error();
    if (!*taken) return ok_status();
    if (piece.zero || piece.chunk.id == previous) continue;
    previous = piece.chunk.id;
    if (store.contains(previous)) continue;
    return Error{ErrorCode::kChunkMissing,
                 fmt::format("chunk {}, for byte {} of the image, is not in the store {}; {} was not touched",
                             previous.hex(), piece.chunk.offset_bytes, store.path(), device.path())};
  }
  return Error{ErrorCode::kCanceled, "stopped before " + device.path() + " was touched"};
}

nlohmann::ordered_json summary_of(const Device& device, const PieceWriter& writer, uint64_t image_bytes,
                                  double elapsed_s) {
  return {{"type", "summary"},
          {"command", "restore"},
          {"device_bytes", device.size_bytes()},
          {"written_bytes", writer.written_bytes()},
          {"zeroed_bytes", writer.zeroed_bytes()},
          {"verified_bytes", device.drops_data() ? 0 : image_bytes},
          {"generation", device.generation()},
          {"elapsed_s", elapsed_s}};
}

}  // namespace

Status run_restore(const RestoreOptions& options, EventSink& sink, const std::atomic<bool>& stop) {
  if (!sink.emit(hello_event("restore"))) return Error{ErrorCode::kCanceled, "stdout is closed"};
  Result<std::unique_ptr<IndexReader>> index = IndexReader::open(options.index_file, options.index_digest);
  if (!index) return index.error();
  Result<AssumedContent> assumed = AssumedContent::open(options.assume);
  if (!assumed) return assumed.error();
  Result<std::unique_ptr<ChunkStore>> store = ChunkStore::open(options.store);
  if (!store) return store.error();
  Result<std::unique_ptr<Device>> device = Device::open_to_write(options.device);
  if (!device) return device.error();
  (*device)->set_drops_data(options.drops_data);
  const uint64_t image_bytes = (*index)->image_bytes();
  if (Status status = (*device)->check_fits(image_bytes); !status) return status;
  // Counts every byte twice: written, then read back.
  ImageProgress progress(sink, "restore", 2 * image_bytes);
  const PieceLoop loop{.threads = writing_threads(options.threads, options.drops_data),
                       .buffer_bytes = (*index)->max_chunk_bytes(),
                       .when_stopped = "stopped: " + options.device + " now holds a part of the image only",
                       .gate = (*device)->is_block() ? "restore.piece" : "restore-file.piece"};
  PieceWriter writer(**store, **device, options.assume == "zero");
  {
    PieceSource wanted(**index, &*assumed);
    if (Status status = check_chunks_present(wanted, **store, **device, stop); !status) return status;
  }
  PieceSource to_write(**index, &*assumed);
  Status status = for_each_piece(
      to_write, loop, stop, progress,
      [&](const Piece& piece, auto buffer, auto& codec) { return writer.write(piece, buffer, codec); });
  if (status) status = (*device)->settle();
  if (status) status = progress.reach(image_bytes);
  if (!status) return status;
  const PieceCheck check(**device);
  PieceSource to_check(**index);
  status = for_each_piece(to_check, loop, stop, progress, [&](const Piece& piece, auto buffer, auto&) {
    return check.require(piece, buffer, options.assume.empty() ? kFailing : kFailingOrOther);
  });
  if (status) status = progress.report();
  if (!status) return status;
  if (!sink.emit(summary_of(**device, writer, image_bytes, progress.elapsed_s()))) {
    return Error{ErrorCode::kCanceled, "stdout is closed"};
  }
  return ok_status();
}

}  // namespace patina
