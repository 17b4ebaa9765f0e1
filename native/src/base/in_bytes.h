// Sizes as users read them.
#pragma once

#include <cstdint>
#include <string>

namespace patina {

// Returns three significant digits and an IEC unit: 12.4 MiB.
std::string in_bytes(uint64_t bytes);
// The same with every digit, for sizes that must be compared: 1.00 GiB (1073741825 bytes).
std::string exactly_bytes(uint64_t bytes);

}  // namespace patina
