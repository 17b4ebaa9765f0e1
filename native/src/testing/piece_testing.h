// Contents of pieces for tests.
#pragma once

#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "squash/piece.h"

namespace patina {

// Begins with the seed, which is not 0.
inline std::vector<uint8_t> content_of(uint32_t seed) {
  std::vector<uint8_t> content(kPieceBytes, 0);
  std::mt19937 random(seed);
  // Some can be compressed, some cannot.
  const size_t varied_bytes = seed % 3 == 0 ? kPieceBytes : kPieceBytes / (1 + seed % 7);
  for (size_t i = 0; i < varied_bytes; ++i) content[i] = static_cast<uint8_t>(random());
  std::memcpy(content.data(), &seed, sizeof seed);
  return content;
}

}  // namespace patina
