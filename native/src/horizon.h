// The horizon: how many operations the age histogram needs, and the best one that fewer can buy.
#pragma once

#include <cstddef>
#include <vector>

#include "profile.h"

namespace patina {

// The share of the horizon that each age window spans, youngest first.
std::vector<double> window_shares(const std::vector<AgeBin>& age);

struct HorizonNeed {
  double minimal = 0;  // T_min
  double runner_up = 0;
  size_t critical_bin = 0;
};

// T_min: the largest need over the age bins for `expected_files` live files.
HorizonNeed minimal_horizon(const std::vector<AgeBin>& age, double expected_files);

// The age fractions reachable in `horizon` operations: a bin holds no more than its window creates; what is
// missing goes to the oldest bin with room, then to the next younger one.
std::vector<double> reachable_ages(const std::vector<AgeBin>& age, double expected_files, double horizon);

// RMSE of reachable_ages against the profile.
double reachable_rmse(const std::vector<AgeBin>& age, double expected_files, double horizon);

// A horizon whose reachable RMSE is at most `max_rmse` where a shorter one's is not, with and without
// kHorizonMargin; no shorter than rapid aging itself.
double horizon_for_rmse(const std::vector<AgeBin>& age, double expected_files, double max_rmse);

}  // namespace patina
