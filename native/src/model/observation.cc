// Observed histograms and their distance from the targets.
#include "model/observation.h"

#include <boost/math/special_functions/gamma.hpp>
#include <numeric>

namespace patina {
namespace {

template <typename Bin>
Observation observe_histogram(const std::vector<Bin>& bins, const std::vector<uint64_t>& counts) {
  Observation observation;
  observation.counts = counts;
  const auto files = static_cast<double>(std::accumulate(counts.begin(), counts.end(), uint64_t{0}));
  for (size_t i = 0; i < bins.size(); ++i) {
    observation.target.push_back(bins[i].fraction);
    observation.observed.push_back(files > 0 ? static_cast<double>(counts[i]) / files : 0);
  }
  observation.rmse = rmse(observation.observed, observation.target);
  return observation;
}

}  // namespace

Observations observe(const Forecast& forecast, const PlanState& state) {
  return {observe_histogram(forecast.size, state.size_counts),
          observe_histogram(forecast.depth, state.depth_counts),
          observe_histogram(forecast.age, state.age_counts)};
}

ChiSquared chi_squared(const Observation& observation) {
  struct Pool {
    double expected = 0;
    double observed = 0;
  };
  const std::vector<uint64_t>& counts = observation.counts;
  const auto files = static_cast<double>(std::accumulate(counts.begin(), counts.end(), uint64_t{0}));
  std::vector<Pool> pools;
  bool open = false;
  for (size_t i = 0; i < counts.size(); ++i) {
    if (!open) pools.emplace_back();
    pools.back().expected += observation.target[i] * files;
    pools.back().observed += static_cast<double>(counts[i]);
    open = pools.back().expected < 5;
  }
  // The oldest bins have no older neighbour: the remainder joins the pool before.
  if (open && pools.size() > 1) {
    const Pool left = pools.back();
    pools.pop_back();
    pools.back().expected += left.expected;
    pools.back().observed += left.observed;
  }
  ChiSquared result;
  if (pools.size() < 2) return result;
  for (const Pool& pool : pools) {
    result.statistic += (pool.observed - pool.expected) * (pool.observed - pool.expected) / pool.expected;
  }
  result.degrees_of_freedom = pools.size() - 1;
  result.p_value =
      boost::math::gamma_q(static_cast<double>(result.degrees_of_freedom) / 2, result.statistic / 2);
  return result;
}

}  // namespace patina
