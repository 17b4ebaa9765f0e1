// As patina.figures of the backend does.
#include "base/in_bytes.h"

#include <fmt/format.h>

#include <array>

namespace patina {

std::string in_bytes(uint64_t bytes) {
  constexpr std::array kUnits = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  auto value = static_cast<double>(bytes);
  size_t unit = 0;
  for (; value >= 1000 && unit + 1 < kUnits.size(); ++unit) value /= 1024;
  const int digits = unit == 0 || value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return fmt::format("{:.{}f} {}", value, digits, kUnits[unit]);
}

std::string exactly_bytes(uint64_t bytes) {
  return bytes < 1000 ? in_bytes(bytes) : fmt::format("{} ({} bytes)", in_bytes(bytes), bytes);
}

}  // namespace patina
