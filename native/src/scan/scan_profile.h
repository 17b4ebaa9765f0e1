// Converts a scan's counts to a profile.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "scan/scan_tally.h"

namespace patina {

// Most age bins, each half as wide as the next: the youngest takes all ages under 1/32768 of the oldest
// file's.
inline constexpr size_t kMaxScanAgeBins = 16;

struct ScannedProfile {
  std::vector<SizeBin> size;           // whose fractions are counts, here and below
  std::vector<DepthBin> depth;         // every depth down to the deepest
  std::vector<AgeBin> age;             // in seconds
  double subdirs_scale = 1;            // below 1: the directories were too many for a profile
  uint64_t oversized_files_count = 0;  // larger than a profile allows, counted as its largest
};

// Requires at least one counted file.
ScannedProfile profile_of(const ScanTally& tally);

// Returns the JSON that --profile reads.
nlohmann::ordered_json profile_json(const ScannedProfile& profile);

}  // namespace patina
