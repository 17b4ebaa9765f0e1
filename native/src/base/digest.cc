// SHA-256 by OpenSSL's own functions: the first use of its EVP costs 1.5 ms, a tenth of a rollback.
#define OPENSSL_SUPPRESS_DEPRECATED
#include "base/digest.h"

#include <array>

namespace patina {

Sha256::Sha256() {
  SHA256_Init(&context_);
}

void Sha256::update(const void* data, size_t size) {
  SHA256_Update(&context_, data, size);
}

std::string Sha256::hex() const {
  SHA256_CTX copy = context_;
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256_Final(digest.data(), &copy);
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  text.reserve(2 * digest.size());
  for (const unsigned char byte : digest) {
    text.push_back(kDigits[byte >> 4U]);
    text.push_back(kDigits[byte & 15U]);
  }
  return text;
}

}  // namespace patina
