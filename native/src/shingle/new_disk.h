// A shingled disk that is made, as a command describes it.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "shingle/caveat_geometry.h"
#include "shingle/strict_append_disk.h"

namespace patina {

enum class DiskInterface : uint8_t { kCaveat, kStrictAppend };

struct NewDisk {
  DiskInterface interface = DiskInterface::kCaveat;
  uint64_t begin_bytes = 0;  // where it begins on the file or device
  uint64_t size_bytes = 0;   // 0: all of the file or device from there on
  uint64_t did_blocks = 16;
  uint64_t dnor_blocks = 0;
  uint64_t band_bytes = uint64_t{64} << 20U;  // of a strict-append disk; behind each band is a gap of DID
  // Of a Caveat-Scriptor disk.
  uint64_t unshingled_bytes = 0;  // at its begin; rounded up to whole sectors
  Unwritten unwritten = Unwritten::kMaybeDamaged;
};

// Each returns the geometry of the disk on the file or device `data`. kBackingInvalid;
// kDeviceTooSmall; kUsage.
Result<CaveatGeometry> caveat_geometry(const NewDisk& disk, const std::string& data);
Result<BandGeometry> band_geometry(const NewDisk& disk, const std::string& data);

}  // namespace patina
