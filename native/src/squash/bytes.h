// Numbers as they lie on disks, in either order of bytes.
#pragma once

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

// The first byte that is not zero usually ends it.
inline bool is_all_zero(std::span<const uint8_t> bytes) {
  return bytes.empty() ||
         (bytes[0] == 0 && std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0);
}

}  // namespace patina
