// Adds an image's chunks to a store so that a chunk under its name is whole after any crash.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include "base/descriptor.h"
#include "base/result.h"
#include "store/chunk_id.h"
#include "store/chunk_store.h"
#include "store/seen_chunks.h"

namespace patina {

// The chunks that one image put into the store.
struct ChunkTotals {
  uint64_t distinct_chunks_count = 0;
  uint64_t new_chunks_count = 0;
  uint64_t stored_bytes = 0;  // compressed, of all distinct chunks of the image
  uint64_t new_bytes = 0;     // compressed, that the store did not have before
};

// Chunks are written into a staging folder of the store, made durable by one syncfs for a whole batch, and
// only then renamed to their names. The folder is locked while its writer lives; the next writer removes the
// folders of dead ones. put() may be called from several threads.
class ChunkWriter {
 public:
  // Errors: kStoreBusy (it is being collected), kStoreNoSpace, kStoreIoError.
  static Result<std::unique_ptr<ChunkWriter>> create(const ChunkStore& store);
  ~ChunkWriter();
  ChunkWriter(const ChunkWriter&) = delete;
  ChunkWriter& operator=(const ChunkWriter&) = delete;

  // A chunk that the store has already is read back and compared, and replaced when it is damaged.
  Status put(const ChunkId& id, std::span<const uint8_t> data, ChunkCodec& codec);
  // Makes every chunk that was put durable under its name.
  Status finish();
  const ChunkTotals& totals() const { return totals_; }

 private:
  ChunkWriter(const ChunkStore& store, Descriptor lock, std::string staging_name, int staging_fd);
  // Returns false when a thread has put this chunk, or is about to.
  bool claim(const ChunkId& id);
  Status stage(const ChunkId& id, std::span<const uint8_t> compressed);
  Status publish_if_large();
  Status publish();
  Status rename_into_store(const ChunkId& id);

  const ChunkStore& store_;
  const Descriptor lock_;  // excludes collections meanwhile
  std::string staging_name_;
  int staging_fd_;
  std::shared_mutex batch_mutex_;  // shared: a put is under way; exclusive: the batch is being published
  std::mutex mutex_;               // of all below
  SeenChunks seen_;
  std::unordered_set<ChunkId, ChunkIdHash> claimed_;  // put since the last publish
  std::vector<ChunkId> staged_;
  uint64_t staged_bytes_ = 0;
  ChunkTotals totals_;
};

}  // namespace patina
