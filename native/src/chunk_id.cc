// SHA-256 by OpenSSL, which picks the processor's own instructions. Not by its EVP (digest.cc).
#define OPENSSL_SUPPRESS_DEPRECATED
#include "chunk_id.h"

#include <openssl/sha.h>

#include <algorithm>
#include <cstdlib>

namespace patina {
std::string ChunkId::hex() const {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  text.reserve(2 * bytes.size());
  for (const uint8_t byte : bytes) {
    text.push_back(kDigits[byte >> 4]);
    text.push_back(kDigits[byte & 15]);
  }
  return text;
}

ChunkId chunk_id_of(std::span<const uint8_t> data) {
  ChunkId id;
  SHA256_CTX context;
  SHA256_Init(&context);
  SHA256_Update(&context, data.data(), data.size());
  SHA256_Final(id.bytes.data(), &context);
  return id;
}

bool is_all_zero(std::span<const uint8_t> data) {
  // Data equals itself shifted by a block, and its first block is zero: memcmp runs at memory speed.
  constexpr size_t kBlock = 64;
  const size_t head = std::min(kBlock, data.size());
  if (std::any_of(data.begin(), data.begin() + static_cast<std::ptrdiff_t>(head),
                  [](uint8_t byte) { return byte != 0; })) {
    return false;
  }
  return data.size() <= kBlock || std::memcmp(data.data(), data.data() + kBlock, data.size() - kBlock) == 0;
}

}  // namespace patina
