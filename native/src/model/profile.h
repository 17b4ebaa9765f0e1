// A profile: three independent histograms over files, by size, directory depth and relative age.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace patina {

struct SizeBin {
  uint64_t bytes = 0;
  double fraction = 0;
  uint64_t above_bytes = 0;  // the value of the bin before; half its own for the first
};

struct DepthBin {
  uint32_t depth = 0;  // 0 is the mount root
  double fraction = 0;
  uint32_t subdirs_count = 0;  // directories at this depth; unused at depth 0
};

struct AgeBin {
  double age = 0;  // upper edge, unitless; the last edge is as old as the run
  double fraction = 0;
};

// Each histogram ascends strictly and its fractions sum to 1. A fraction may be zero.
struct Profile {
  std::vector<SizeBin> size;
  std::vector<DepthBin> depth;
  std::vector<AgeBin> age;
  std::string digest;  // SHA-256, hex, of the normalised histograms
};

// Bounds on the cost of a hostile profile.
inline constexpr size_t kMaxBinsCount = 256;
inline constexpr uint32_t kMaxDepth = 64;
inline constexpr uint64_t kMaxDirectoriesCount = 100'000;
inline constexpr uint64_t kMaxFileBytes = uint64_t{1} << 46U;

inline constexpr size_t kMaxProfileFileBytes = size_t{1} << 20U;

// Error: kProfileInvalid, naming the histogram and the bin.
Result<Profile> parse_profile(std::string_view text);
Result<Profile> read_profile(const nlohmann::json& document);
// Loads a JSON file ('-': standard input), or a folder of Geriatrix's three texts. Error: kProfileInvalid,
// naming the file, and the bin or the line.
Result<Profile> load_profile(const std::string& path);

}  // namespace patina
