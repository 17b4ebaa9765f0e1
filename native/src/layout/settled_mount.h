// A mounted file system whose changes are on its device.
#pragma once

#include <string>

#include "base/descriptor.h"
#include "base/result.h"

namespace patina {

// Opens the root of a mount, and syncs it. Errors: kMountUnusable, also for another directory; kIoError.
Result<Descriptor> open_settled_mount(const std::string& mount);

// Writes all of a mounted file system to its device. Returns an errno. `mount_fd`: open on its root.
int sync_mount(int mount_fd);

// Waits until the blocks of deleted files are free on xfs, which frees them in the background.
void wait_for_deletes(int mount_fd);

}  // namespace patina
