// The file system on a device that is not mounted: its files and its space.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "base/result.h"
#include "layout/extent_walk.h"
#include "layout/space_map.h"

namespace patina {

// Changes nothing on the device.
class Unmounted {
 public:
  // Recognises the file system. Errors of PrivateMount::open() and UnmountedSmrFs::open().
  static Result<std::unique_ptr<Unmounted>> open(const std::string& device);

  Unmounted() = default;
  virtual ~Unmounted() = default;
  Unmounted(const Unmounted&) = delete;
  Unmounted& operator=(const Unmounted&) = delete;

  // Errors of read_space_map().
  virtual Result<SpaceMap> space() const = 0;
  // Errors of walk_extents().
  virtual Result<ExtentWalk> walk(WalkSettings settings, const std::atomic<bool>& stop) const = 0;
};

}  // namespace patina
