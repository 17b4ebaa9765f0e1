// The horizon: the operations that the age histogram needs, and the best histogram that fewer can reach.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/profile.h"

namespace patina {

// The turnover of files up to a horizon; by default from an empty file system.
struct Turnover {
  double expected_files = 0;           // K
  double churn_fraction = 1;           // of the operations of stable aging, those that create or delete
  double done_ticks = 0;               // operations carried out already
  std::vector<uint64_t> live_ticks{};  // creation ticks of the live files, ascending
};

// The share of the horizon that each age window spans, youngest first.
std::vector<double> window_shares(const std::vector<AgeBin>& age);

struct HorizonNeed {
  double minimal = 0;  // T_min
  double runner_up = 0;
  size_t critical_bin = 0;
};

// T_min: the largest need over the age bins, from an empty file system.
HorizonNeed minimal_horizon(const std::vector<AgeBin>& age, const Turnover& turnover);

// The age fractions reachable in `horizon` operations: a bin holds at most the files that live in its window
// and those that the window can still create; the missing share goes to the oldest bin with room, then to the
// next younger one.
std::vector<double> reachable_ages(const std::vector<AgeBin>& age, const Turnover& turnover, double horizon);

// RMSE of reachable_ages against the profile.
double reachable_rmse(const std::vector<AgeBin>& age, const Turnover& turnover, double horizon);

// A horizon whose reachable RMSE is at most `max_rmse` where a shorter one's is not, with and without
// kHorizonMargin; no shorter than the operations done or than rapid aging, and no longer than the histogram
// needs to be met whole.
double horizon_for_rmse(const std::vector<AgeBin>& age, const Turnover& turnover, double max_rmse);

}  // namespace patina
