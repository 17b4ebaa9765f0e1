// Fuzzes .caibx indexes.
#include "store/index.h"

#include "fuzzing.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const patina::InputFile file(data, size);
  auto reader = patina::IndexReader::open(file.path());
  if (!reader) {
    patina::require(reader.error().code == patina::ErrorCode::kIndexInvalid, "kIndexInvalid");
    return 0;
  }
  patina::require((*reader)->chunks_count() <= size / 40, "no more chunks than bytes for them");
  uint64_t end_bytes = 0;
  while (!(*reader)->at_end()) {
    const auto entry = (*reader)->next();
    patina::require(entry.ok(), "entries that were checked before");
    patina::require(entry->offset_bytes == end_bytes && entry->length_bytes > 0, "chunks without gaps");
    patina::require(entry->length_bytes <= patina::kMaxChunkSizeBytes, "a chunk within the limit");
    end_bytes += entry->length_bytes;
  }
  patina::require(end_bytes == (*reader)->image_bytes(), "chunks that make up the image");
  return 0;
}
