// Whether data are zeroes.
#pragma once

#include <cstdint>
#include <span>

namespace patina {

bool is_all_zero(std::span<const uint8_t> data);

}  // namespace patina
