// Numbers as they lie on disks, in either order of bytes.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <span>

namespace patina {

static_assert(std::endian::native == std::endian::little, "the loads below are for little-endian machines");

template <std::unsigned_integral T>
T little_at(std::span<const uint8_t> bytes, size_t offset) {
  assert(offset + sizeof(T) <= bytes.size());
  T number;
  std::memcpy(&number, bytes.data() + offset, sizeof number);
  return number;
}

template <std::unsigned_integral T>
T big_at(std::span<const uint8_t> bytes, size_t offset) {
  T number = little_at<T>(bytes, offset);
  if constexpr (sizeof(T) == 2) number = __builtin_bswap16(number);
  if constexpr (sizeof(T) == 4) number = __builtin_bswap32(number);
  if constexpr (sizeof(T) == 8) number = __builtin_bswap64(number);
  return number;
}

// The unit of the test below, which reads whole blocks.
inline constexpr size_t kStepBytes = 64;

// Whether all little-endian words of 32 bits are below `bound`, with `bytes` as above.
inline bool are_all_below(std::span<const uint8_t> bytes, uint64_t bound) {
  assert(bytes.size() % kStepBytes == 0);
  std::array<uint32_t, kStepBytes / sizeof(uint32_t)> step;
  for (const uint8_t* at = bytes.data(); at != bytes.data() + bytes.size(); at += kStepBytes) {
    std::memcpy(step.data(), at, sizeof step);
    uint32_t largest = 0;
    for (const uint32_t word : step) largest = std::max(largest, word);
    if (largest >= bound) return false;
  }
  return true;
}

}  // namespace patina
