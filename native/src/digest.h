// SHA-256 over a stream of bytes (OpenSSL's EVP, which uses the processor's instructions where it has them).
#pragma once

#include <openssl/types.h>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace patina {

class Sha256 {
 public:
  Sha256();
  void update(const void* data, size_t size);
  void update(std::string_view text) { update(text.data(), text.size()); }
  // Of everything so far, as hex; the stream may go on.
  std::string hex() const;

 private:
  struct FreeContext {
    void operator()(EVP_MD_CTX* context) const;
  };
  std::unique_ptr<EVP_MD_CTX, FreeContext> context_;
};

}  // namespace patina
