// The closed forms of the horizon (CMU-PDL-16-105, appendix, restated in docs/design.md).
#include "horizon.h"

#include <algorithm>
#include <cmath>

#include "forecast.h"

namespace patina {

std::vector<double> window_shares(const std::vector<AgeBin>& age) {
  std::vector<double> shares;
  double previous = 0;
  for (const AgeBin& bin : age) {
    const double edge = bin.age / age.back().age;
    shares.push_back(edge - previous);
    previous = edge;
  }
  return shares;
}

HorizonNeed minimal_horizon(const std::vector<AgeBin>& age, double expected_files) {
  const std::vector<double> shares = window_shares(age);
  HorizonNeed need;
  for (size_t b = 0; b < age.size(); ++b) {
    const bool oldest = b + 1 == age.size();
    // The oldest window must hold all of rapid aging, which only creates; the others create every other tick.
    double ticks = oldest ? expected_files : 2 * expected_files * age[b].fraction;
    if (ticks > 0) ticks /= shares[b];
    if (ticks > need.minimal) {
      need.runner_up = need.minimal;
      need.minimal = ticks;
      need.critical_bin = b;
    } else if (ticks > need.runner_up) {
      need.runner_up = ticks;
    }
  }
  return need;
}

std::vector<double> reachable_ages(const std::vector<AgeBin>& age, double expected_files, double horizon) {
  const std::vector<double> shares = window_shares(age);
  std::vector<double> room(age.size());
  std::vector<double> reached(age.size());
  double missing = 1;
  double window_start = 0;
  for (size_t b = age.size(); b-- > 0;) {
    const double ticks = horizon * shares[b];
    const double rapid = std::clamp(expected_files - window_start, 0.0, ticks);
    const double capacity = (rapid + (ticks - rapid) / 2) / expected_files;
    reached[b] = std::min(age[b].fraction, capacity);
    room[b] = capacity - reached[b];
    missing -= reached[b];
    window_start += ticks;
  }
  for (size_t b = age.size(); b-- > 0 && missing > 0;) {
    const double given = std::min(missing, room[b]);
    reached[b] += given;
    missing -= given;
  }
  return reached;
}

double reachable_rmse(const std::vector<AgeBin>& age, double expected_files, double horizon) {
  std::vector<double> target;
  target.reserve(age.size());
  for (const AgeBin& bin : age) target.push_back(bin.fraction);
  const double error = rmse(reachable_ages(age, expected_files, horizon), target);
  // Below this it is rounding of the sums above, not a histogram missed.
  return error < 1e-12 ? 0 : error;
}

double horizon_for_rmse(const std::vector<AgeBin>& age, double expected_files, double max_rmse) {
  // With the margin as well: below the end of the oldest window more operations may reach less.
  const auto suffices = [&](double horizon) {
    return reachable_rmse(age, expected_files, horizon) <= max_rmse &&
           reachable_rmse(age, expected_files, kHorizonMargin * horizon) <= max_rmse;
  };
  double low = expected_files;
  double high = std::max(low, minimal_horizon(age, expected_files).minimal);
  if (suffices(low)) return low;
  constexpr int kHalvings = 64;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = low + (high - low) / 2;
    (suffices(middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace patina
