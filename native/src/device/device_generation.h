// A mark of everything that was ever written to a device: equal marks, equal bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"

namespace patina {

// A text that changes whenever anything is written to the device or discarded on it: the boot, the kernel's
// number of this very disk, the whole disk's counts of sectors written and discarded, and of a loop device
// its backing file's inode, size and time of change. Of a regular file the latter alone. Only what has left
// the caches counts: sync first. Not seen: commands passed through to the drive, writes to the disks below a
// stacked device.
//
// Empty when it cannot be known: the kernel does not count (queue/iostats), something is under way, the
// backing file cannot be reached. `reason`, if given, then says why. Error: kDeviceUnusable.
Result<std::string> device_generation(const std::string& device_path, std::string* reason = nullptr);

// What the kernel has counted of the whole disk since it has it: sectors written and discarded, with nothing
// under way. Empty where it does not count.
std::optional<uint64_t> written_sectors(const std::string& device_path);

}  // namespace patina
