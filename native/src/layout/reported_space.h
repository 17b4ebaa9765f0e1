// The space of a mounted SMRfs: it reports in attributes what FIEMAP and GETFSMAP report of others.
#pragma once

#include <vector>

#include "base/result.h"
#include "layout/file_extents.h"
#include "layout/space_map.h"
#include "smrfs/reported.h"

namespace patina {

// kLayoutUnsupported: the file system reports nothing; kIoError.
Result<SpaceMap> read_reported_space(int mount_fd);
// Returns the space map that has what was reported.
SpaceMap space_map_of(const ReportedSpace& space, const std::vector<ReportedFree>& free,
                      const std::vector<ReportedDamaged>& damaged);
Status read_reported_places(int fd, std::vector<FileExtent>& extents);

}  // namespace patina
