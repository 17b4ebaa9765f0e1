// Finds from when on a workload ran at a steady pace.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace patina {

// Operations done by a time.
struct PaceSample {
  double elapsed_s = 0;
  uint64_t ops_count = 0;
};

struct SteadyPace {
  double from_s = 0;
  double ops_per_s = 0;
};

// Returns the longest end of the run that is steady by the rule of the SNIA Solid State Storage Performance
// Test Specification: no fifth of it differs from its mean pace by more than 10 %, and the line of best fit
// through its samples changes by at most 10 % of the mean. It is at least half of the run and
// kMinSteadySamples samples; nothing when no such end is steady.
inline constexpr size_t kMinSteadySamples = 10;
std::optional<SteadyPace> steady_pace(const std::vector<PaceSample>& samples);

}  // namespace patina
