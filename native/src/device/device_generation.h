// The generation of a device: equal generations mean equal bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"

namespace patina {

// A text that changes whenever anything is written to the device or discarded on it: the boot, the kernel's
// sequence number of the disk, the whole disk's counts of sectors written and discarded, and of a loop device
// its backing file's inode, size and time of change. Of a regular file the latter alone. Only data that have
// left the caches count: sync first. Not detected: commands passed through to the drive, writes to the disks
// below a stacked device.
//
// Empty when unknown: the kernel does not count (queue/iostats), requests stay in flight, the backing file
// cannot be reached. `reason`, if given, then receives the cause. Error: kDeviceUnusable.
Result<std::string> device_generation(const std::string& device_path, std::string* reason = nullptr);

// Returns the kernel's count of sectors written and discarded on the whole disk since it was attached, with
// no request in flight; empty where it does not count.
std::optional<uint64_t> written_sectors(const std::string& device_path);

}  // namespace patina
