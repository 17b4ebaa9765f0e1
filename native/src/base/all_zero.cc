// Compares data with themselves.
#include "base/all_zero.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace patina {

bool is_all_zero(std::span<const uint8_t> data) {
  // Data equals itself shifted by a block, and its first block is zero: memcmp runs at memory speed.
  constexpr size_t kBlock = 64;
  const size_t head = std::min(kBlock, data.size());
  if (std::any_of(data.begin(), data.begin() + static_cast<std::ptrdiff_t>(head),
                  [](uint8_t byte) { return byte != 0; })) {
    return false;
  }
  return data.size() <= kBlock || std::memcmp(data.data(), data.data() + kBlock, data.size() - kBlock) == 0;
}

}  // namespace patina
