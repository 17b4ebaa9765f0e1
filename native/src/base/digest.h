// SHA-256 over a stream of bytes (OpenSSL's, which uses the processor's instructions where it has them).
#pragma once

#include <openssl/sha.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace patina {

class Sha256 {
 public:
  Sha256();
  void update(const void* data, size_t size);
  void update(std::string_view text) { update(text.data(), text.size()); }
  // Returns the digest of all bytes so far, as hex; the stream may continue.
  std::string hex() const;

 private:
  SHA256_CTX context_{};
};

}  // namespace patina
