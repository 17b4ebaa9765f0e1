// SHA-256 by OpenSSL.
#include "digest.h"

#include <openssl/evp.h>

#include <array>
#include <cstdlib>

namespace patina {
namespace {

// OpenSSL fails here only when it has no memory or no SHA-256: there is nothing to go on with.
void require(bool done) {
  if (!done) std::abort();
}

}  // namespace

void Sha256::FreeContext::operator()(EVP_MD_CTX* context) const {
  EVP_MD_CTX_free(context);
}

Sha256::Sha256() : context_(EVP_MD_CTX_new()) {
  require(context_ != nullptr);
  require(EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1);
}

void Sha256::update(const void* data, size_t size) {
  require(EVP_DigestUpdate(context_.get(), data, size) == 1);
}

std::string Sha256::hex() const {
  const std::unique_ptr<EVP_MD_CTX, FreeContext> copy(EVP_MD_CTX_new());
  require(copy != nullptr && EVP_MD_CTX_copy_ex(copy.get(), context_.get()) == 1);
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  require(EVP_DigestFinal_ex(copy.get(), digest.data(), &size) == 1);
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  text.reserve(size_t{size} * 2);
  for (unsigned int i = 0; i < size; ++i) {
    text.push_back(kDigits[digest[i] >> 4U]);
    text.push_back(kDigits[digest[i] & 15U]);
  }
  return text;
}

}  // namespace patina
