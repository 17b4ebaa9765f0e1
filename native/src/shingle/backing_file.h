// The file or block device that keeps the data of a shingled disk.
#pragma once

#include <cstdint>
#include <string>

#include "base/descriptor.h"
#include "base/result.h"

namespace patina {

// Opens it for reads and writes. kBackingInvalid: it cannot be opened; kDeviceTooSmall.
Result<Descriptor> open_backing(const std::string& path, uint64_t least_bytes);

}  // namespace patina
