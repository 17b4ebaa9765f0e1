// From what a scan counted to a profile.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "scan/scan_tally.h"

namespace patina {

// Ages are put into this many bins at most, each half as wide as the next: the youngest takes all under
// 1/32768 of the oldest file's age.
inline constexpr size_t kMaxScanAgeBins = 16;

struct ScannedProfile {
  std::vector<SizeBin> size;           // whose fractions are counts, here and below
  std::vector<DepthBin> depth;         // every depth down to the deepest
  std::vector<AgeBin> age;             // in seconds
  double subdirs_scale = 1;            // below 1: the directories were too many for a profile
  uint64_t oversized_files_count = 0;  // larger than a profile can say, counted as its largest
};

// At least one file must have been counted.
ScannedProfile profile_of(const ScanTally& tally);

// The JSON that --profile reads.
nlohmann::ordered_json profile_json(const ScannedProfile& profile);

}  // namespace patina
