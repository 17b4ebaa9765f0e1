// The ranges of a device that an image leaves out: free space, unwritten extents, the content of files.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "base/byte_range.h"
#include "base/result.h"
#include "image/image.h"

namespace patina {

// Returns the device ranges, ascending and disjoint, that read as zero in an image of this mode; none for
// kExact. Mounts the device privately and read-only meanwhile. Errors: kDeviceBusy, kDeviceUnusable,
// kLayoutUnsupported (no supported file system), kIoError, kCanceled.
Result<std::vector<ByteRange>> unused_ranges(const std::string& device, CaptureMode mode,
                                             const std::atomic<bool>& stop);

// Returns `ranges` without `kept`; both ascending and disjoint.
std::vector<ByteRange> subtract(const std::vector<ByteRange>& ranges, const std::vector<ByteRange>& kept);

}  // namespace patina
