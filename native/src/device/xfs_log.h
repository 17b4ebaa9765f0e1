// Whether the log of an xfs file system holds changes that are not in the file system yet.
#pragma once

#include "base/result.h"
#include "device/device.h"

namespace patina {

// Looks for the unmount record at the log's head, as the kernel does before it mounts. A log on a device of
// its own is not read: such a file system cannot be mounted from one device anyway. Error: kIoError.
Result<bool> xfs_log_is_clean(const Device& device);

}  // namespace patina
