// The space of a mounted btrfs file system, from its chunk tree and its free-space tree.
#pragma once

#include "base/result.h"
#include "layout/space_map.h"

namespace patina {

// `mount_fd` is any open directory of it. Without a free-space tree the free space is computed from the
// extent tree. Errors: kLayoutUnsupported (several devices; needs CAP_SYS_ADMIN), kIoError.
Result<SpaceMap> read_btrfs_space_map(int mount_fd);

}  // namespace patina
