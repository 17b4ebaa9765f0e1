// Number of cases in the tests of properties and of crashes: few by default, many by PATINA_PROPERTY_CASES.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace patina {

inline uint32_t asked_cases() {
  const char* asked = std::getenv("PATINA_PROPERTY_CASES");  // NOLINT(concurrency-mt-unsafe)
  return asked == nullptr ? 0 : static_cast<uint32_t>(std::atoi(asked));
}

inline uint32_t property_cases(uint32_t by_default) {
  return asked_cases() == 0 ? by_default : asked_cases();
}

// A kill takes about as long as a hundred cases of a property.
inline uint32_t crash_cases(uint32_t by_default) {
  return std::max(by_default, asked_cases() / 100);
}

}  // namespace patina
