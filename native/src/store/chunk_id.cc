// SHA-256 by OpenSSL, which picks the processor's own instructions. Not by its EVP (digest.cc).
#define OPENSSL_SUPPRESS_DEPRECATED
#include "store/chunk_id.h"

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

ChunkId zero_chunk_id(uint64_t length_bytes) {
  // Known for the default length: hashing it takes 0.2 ms, and a whole rollback 7.
  constexpr uint64_t kKnownBytes = uint64_t{256} << 10;
  static constexpr ChunkId kKnown{{0x8a, 0x39, 0xd2, 0xab, 0xd3, 0x99, 0x9a, 0xb7, 0x3c, 0x34, 0xdb,
                                   0x24, 0x76, 0x84, 0x9c, 0xdd, 0xf3, 0x03, 0xce, 0x38, 0x9b, 0x35,
                                   0x82, 0x68, 0x50, 0xf9, 0xa7, 0x00, 0x58, 0x9b, 0x4a, 0x90}};
  if (length_bytes == kKnownBytes) return kKnown;
  static constexpr std::array<uint8_t, 4096> kZeroes{};
  ChunkId id;
  SHA256_CTX context;
  SHA256_Init(&context);
  for (uint64_t done = 0; done < length_bytes;) {
    const uint64_t step = std::min<uint64_t>(kZeroes.size(), length_bytes - done);
    SHA256_Update(&context, kZeroes.data(), step);
    done += step;
  }
  SHA256_Final(id.bytes.data(), &context);
  return id;
}

}  // namespace patina
