// The closed forms of the horizon (CMU-PDL-16-105, appendix, restated in docs/design.md).
#include "model/horizon.h"

#include <algorithm>
#include <cmath>

#include "model/forecast.h"

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

HorizonNeed minimal_horizon(const std::vector<AgeBin>& age, const Turnover& turnover) {
  const std::vector<double> shares = window_shares(age);
  HorizonNeed need;
  for (size_t b = 0; b < age.size(); ++b) {
    const bool oldest = b + 1 == age.size();
    // The oldest window must hold all of rapid aging, which only creates; the others create every other tick
    // that modifies no file.
    double ticks = turnover.expected_files;
    if (!oldest) ticks *= 2 * age[b].fraction / turnover.churn_fraction;
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

namespace {

// The ticks that two spans share.
double overlap(double a_first, double a_last, double b_first, double b_last) {
  return std::max(0.0, std::min(a_last, b_last) - std::max(a_first, b_first));
}

struct Window {
  double living = 0;  // live files of the window, over K
  double most = 0;    // those and all that it can still create
  double reached = 0;
};

// Youngest first.
std::vector<Window> windows_at(const std::vector<AgeBin>& age, const Turnover& turnover, double horizon) {
  const std::vector<double> shares = window_shares(age);
  const std::vector<uint64_t>& live = turnover.live_ticks;
  const double rapid_end =
      turnover.done_ticks + std::max(0.0, turnover.expected_files - static_cast<double>(live.size()));
  std::vector<Window> windows(age.size());
  double first = 0;
  auto oldest_living = live.begin();
  for (size_t b = age.size(); b-- > 0;) {
    const double last = b == 0 ? horizon : first + horizon * shares[b];
    const auto beyond =
        b == 0 ? live.end()
               : std::upper_bound(oldest_living, live.end(), static_cast<uint64_t>(std::floor(last)));
    const double rapid = overlap(first, last, turnover.done_ticks, rapid_end);
    const double stable = overlap(first, last, rapid_end, horizon);
    windows[b].living = static_cast<double>(beyond - oldest_living) / turnover.expected_files;
    windows[b].most =
        windows[b].living + (rapid + stable * turnover.churn_fraction / 2) / turnover.expected_files;
    oldest_living = beyond;
    first = last;
  }
  return windows;
}

// Windows with a surplus lose it one delete at a time: where the deletes do not suffice, all windows cover
// only the same part of the way to their target.
void limit_by_deletes(std::vector<Window>& windows, const Turnover& turnover, double horizon) {
  double surplus = 0;
  for (const Window& window : windows) surplus += std::max(0.0, window.living - window.reached);
  const double deletes =
      std::max(0.0, horizon - turnover.done_ticks) * turnover.churn_fraction / 2 / turnover.expected_files;
  if (surplus <= deletes) return;
  const double way = deletes / surplus;
  for (Window& window : windows) window.reached = window.living + way * (window.reached - window.living);
}

}  // namespace

std::vector<double> reachable_ages(const std::vector<AgeBin>& age, const Turnover& turnover, double horizon) {
  std::vector<Window> windows = windows_at(age, turnover, horizon);
  double missing = 1;
  for (size_t b = 0; b < age.size(); ++b) {
    windows[b].reached = std::min(age[b].fraction, windows[b].most);
    missing -= windows[b].reached;
  }
  for (size_t b = age.size(); b-- > 0 && missing > 0;) {
    const double given = std::min(missing, windows[b].most - windows[b].reached);
    windows[b].reached += given;
    missing -= given;
  }
  limit_by_deletes(windows, turnover, horizon);
  std::vector<double> reached;
  reached.reserve(windows.size());
  for (const Window& window : windows) reached.push_back(window.reached);
  return reached;
}

double reachable_rmse(const std::vector<AgeBin>& age, const Turnover& turnover, double horizon) {
  std::vector<double> target;
  target.reserve(age.size());
  for (const AgeBin& bin : age) target.push_back(bin.fraction);
  const double error = rmse(reachable_ages(age, turnover, horizon), target);
  // Below this it is a rounding error of the sums above.
  return error < 1e-12 ? 0 : error;
}

double horizon_for_rmse(const std::vector<AgeBin>& age, const Turnover& turnover, double max_rmse) {
  // With the margin as well: below the end of the oldest window the RMSE may rise with the horizon.
  const auto suffices = [&](double horizon) {
    return reachable_rmse(age, turnover, horizon) <= max_rmse &&
           reachable_rmse(age, turnover, kHorizonMargin * horizon) <= max_rmse;
  };
  double low = std::max(turnover.expected_files, turnover.done_ticks);
  // Once all done operations lie in the oldest window, the horizon of an empty file system suffices.
  double high = std::max(
      {low, minimal_horizon(age, turnover).minimal, turnover.done_ticks / window_shares(age).back()});
  if (suffices(low)) return low;
  constexpr int kHalvings = 64;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = low + (high - low) / 2;
    (suffices(middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace patina
