// Fuzzes chunk files: the first two bytes of the input are the length that the chunk should have, the rest is
// the file.
#include <array>
#include <span>
#include <vector>

#include "fuzzing.h"
#include "store/chunk_store.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  const size_t length = data[0] | (size_t{data[1]} << 8U);
  static patina::ChunkCodec codec;  // as a thread of a restore has one for all its chunks
  std::vector<uint8_t> chunk(length);
  const std::span<const uint8_t> file(data + 2, size - 2);
  if (!codec.decompress(file, chunk)) return 0;
  // A chunk that was read can be written and read again unchanged.
  const std::span<const uint8_t> packed = codec.compress(chunk);
  const std::vector<uint8_t> copy(packed.begin(), packed.end());
  std::vector<uint8_t> again(length);
  patina::require(codec.decompress(copy, again) && again == chunk, "the same chunk again");
  return 0;
}
