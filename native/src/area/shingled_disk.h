// A shingled disk of either interface, and how files are placed on it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "area/caveat_area.h"
#include "area/data_area.h"
#include "base/result.h"
#include "shingle/banded_space.h"
#include "shingle/new_disk.h"
#include "shingle/shingled_space.h"

namespace patina {

struct ShingledDiskOptions {
  std::string data;   // file or block device
  std::string state;  // file with the damaged sectors or the cursors; a disk is made if it does not exist

  NewDisk made;

  // Of a Caveat-Scriptor disk.
  const PlacementPolicy* policy = &kPlacementPolicies[0];
  Reuse reuse = Reuse::kAtOnce;
  // Of a strict-append disk.
  const CleaningPolicy* cleaning = &kCleaningPolicies[0];
  uint64_t clean_below = 2;  // empty bands: cleaning begins when there are fewer
};

// kBackingInvalid; kDeviceTooSmall; kUsage: the geometry; kIoError.
Result<std::unique_ptr<DataArea>> open_area(const ShingledDiskOptions& options);

}  // namespace patina
