// Observed and target histograms: fractions, RMSE and chi-squared.
#pragma once

#include <cstdint>
#include <vector>

#include "model/forecast.h"
#include "model/plan.h"

namespace patina {

struct Observation {
  std::vector<double> target;    // fractions
  std::vector<double> observed;  // fractions
  std::vector<uint64_t> counts;
  double rmse = 0;
};

struct Observations {
  Observation size;
  Observation depth;
  Observation age;
};

// Compares with the profile's own fractions (of the represented bins), also where the horizon cannot reach
// them.
Observations observe(const Forecast& forecast, const PlanState& state);

struct ChiSquared {
  double statistic = 0;
  uint64_t degrees_of_freedom = 0;
  double p_value = 1;
};

// Bins are pooled with their older neighbours until at least 5 files are expected.
ChiSquared chi_squared(const Observation& observation);

}  // namespace patina
