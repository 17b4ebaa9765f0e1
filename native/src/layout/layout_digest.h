// The digests that are equal for two file systems of the same layout.
#pragma once

#include <string>

#include "layout/extent_walk.h"
#include "layout/space_map.h"

namespace patina {

struct LayoutDigests {
  std::string extents_digest;  // of where the files lie
  std::string layout_digest;   // of that and of the free space
};

// The bytes that are digested are described in docs/design.md. They do not include whether an extent is
// written, nor where the file system cut a run in two.
LayoutDigests digest_layout(const ExtentWalk& walk, const SpaceMap& map);

}  // namespace patina
