// The one seeded generator: xoshiro256** (Blackman and Vigna, public domain), seeded by SplitMix64.
// Integers only, so that a seed means the same on every machine.
#pragma once

#include <array>
#include <bit>
#include <cassert>
#include <cstdint>

namespace patina {

class Random {
 public:
  explicit Random(uint64_t seed) {
    for (uint64_t& word : state_) {
      seed += 0x9e3779b97f4a7c15ULL;
      uint64_t mixed = seed;
      mixed = (mixed ^ (mixed >> 30U)) * 0xbf58476d1ce4e5b9ULL;
      mixed = (mixed ^ (mixed >> 27U)) * 0x94d049bb133111ebULL;
      word = mixed ^ (mixed >> 31U);
    }
  }

  uint64_t next() {
    const uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
    const uint64_t shifted = state_[1] << 17U;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }

  // Returns a uniform number in [0, bound), without bias: Lemire's multiplication with rejection on 32 bits.
  uint32_t below(uint32_t bound) {
    assert(bound > 0);
    uint64_t product = (next() >> 32U) * bound;
    if (static_cast<uint32_t>(product) < bound) {
      const uint32_t threshold = static_cast<uint32_t>(-bound) % bound;
      while (static_cast<uint32_t>(product) < threshold) product = (next() >> 32U) * bound;
    }
    return static_cast<uint32_t>(product >> 32U);
  }

  // Returns one fair bit; a step of the generator provides 64.
  bool coin() {
    if (coins_left_ == 0) {
      coins_ = next();
      coins_left_ = 64;
    }
    const bool side = (coins_ & 1U) != 0;
    coins_ >>= 1U;
    --coins_left_;
    return side;
  }

 private:
  std::array<uint64_t, 4> state_{};
  uint64_t coins_ = 0;
  uint32_t coins_left_ = 0;
};

}  // namespace patina
