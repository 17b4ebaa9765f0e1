// Opens the root of a mounted file system.
#pragma once

#include <string>

#include "base/descriptor.h"
#include "base/result.h"

namespace patina {

// Error: kMountUnusable, also for a directory that is not the root of a mount.
Result<Descriptor> open_mount_root(const std::string& path);

}  // namespace patina
