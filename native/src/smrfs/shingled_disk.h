// A shingled disk of either interface, and how files are placed on it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "shingle/banded_space.h"
#include "shingle/shingled_space.h"
#include "smrfs/data_area.h"

namespace patina {

enum class ShingledInterface : uint8_t { kCaveat, kStrictAppend };

struct ShingledDiskOptions {
  std::string data;   // file or block device
  std::string state;  // file with the damaged sectors or the cursors; a disk is made if it does not exist

  // Of a disk that is made.
  ShingledInterface interface = ShingledInterface::kCaveat;
  uint64_t begin_bytes = 0;  // where it begins on the device
  uint64_t size_bytes = 0;   // 0: all of the file or device from there on
  uint64_t did_blocks = 16;
  uint64_t dnor_blocks = 0;
  uint64_t band_bytes = uint64_t{64} << 20U;  // behind each band is a gap of DID

  // Of a Caveat-Scriptor disk.
  const PlacementPolicy* policy = &kPlacementPolicies[0];
  // Of a strict-append disk.
  const CleaningPolicy* cleaning = &kCleaningPolicies[0];
  uint64_t clean_below = 2;  // empty bands: cleaning begins when there are fewer
};

// kBackingInvalid; kDeviceTooSmall; kUsage: the geometry; kIoError.
Result<std::unique_ptr<DataArea>> open_area(const ShingledDiskOptions& options);

}  // namespace patina
