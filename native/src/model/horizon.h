// The horizon: how many operations the age histogram needs, and the best one that fewer can buy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/profile.h"

namespace patina {

// How files come and go on the way to a horizon; by default from an empty file system.
struct Turnover {
  double expected_files = 0;           // K
  double churn_fraction = 1;           // of the operations of stable aging, those that create or delete
  double done_ticks = 0;               // operations carried out already
  std::vector<uint64_t> live_ticks{};  // when the files that live by now were created, ascending
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

// The age fractions reachable in `horizon` operations: a bin holds no more than what lives in its window by
// now and what the window can still create; what is missing goes to the oldest bin with room, then to the
// next younger one.
std::vector<double> reachable_ages(const std::vector<AgeBin>& age, const Turnover& turnover, double horizon);

// RMSE of reachable_ages against the profile.
double reachable_rmse(const std::vector<AgeBin>& age, const Turnover& turnover, double horizon);

// A horizon whose reachable RMSE is at most `max_rmse` where a shorter one's is not, with and without
// kHorizonMargin; no shorter than what is done already or than rapid aging, and no longer than it takes to
// meet the histogram whole.
double horizon_for_rmse(const std::vector<AgeBin>& age, const Turnover& turnover, double max_rmse);

}  // namespace patina
