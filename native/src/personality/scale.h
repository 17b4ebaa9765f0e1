// Reads a workload with file sets that fit into a file system.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "personality/personality.h"

namespace patina {

struct ScaleLimits {
  std::optional<uint64_t> files_count;  // of all sets of several files together
  std::optional<uint64_t> bytes;        // of all sets together, at most
  std::optional<uint64_t> inodes;       // of all sets together, at most
};

struct ScaledPersonality {
  Personality personality;
  double scale_fraction = 1;  // of the files; above 1 only where `files_count` asks for it
};

// Scales the sets of several files by their numbers, and large single files by their sizes, all by the same
// factor. A number that the text takes from a variable is scaled there, so that all that depends on it
// follows. Where a file of each set is still too much, all sizes are scaled. Error: kWorkloadInvalid.
Result<ScaledPersonality> read_scaled(std::string_view text, const std::string& file,
                                      const ScaleLimits& limits);

}  // namespace patina
