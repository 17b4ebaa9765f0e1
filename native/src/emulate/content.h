// Generates the content of dropped pieces.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace patina {

enum class ContentKind : uint8_t { kZeroes, kRandom, kText };

struct ContentOptions {
  ContentKind kind = ContentKind::kZeroes;
  uint64_t seed = 1;
  double compressible_fraction = 0;  // of each piece: so much at its end is zero (random), or one word (text)
};

class Content {
 public:
  explicit Content(const ContentOptions& options);

  // Writes the content of the piece, which depends on its number and the seed only. `out`: kPieceBytes.
  void generate(uint64_t piece, std::span<uint8_t> out) const;

 private:
  const ContentOptions options_;
  const uint64_t base_;  // of the seeds of the pieces
  const uint64_t varied_bytes_;
  const std::string words_;  // text to copy from, by a piece longer than the range of the begins
};

}  // namespace patina
