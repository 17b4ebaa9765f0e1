// The turnover of files between age windows, as a flow.
#include "model/planned_rmse.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "model/horizon.h"

namespace patina {
namespace {

constexpr int kPoints = 48;         // evenly over the operations
constexpr int kStepsOfAll = 2048;   // of the flow
constexpr int kStepsOfWindow = 32;  // at least, of each window

class AgeFlow {
 public:
  AgeFlow(const Forecast& forecast, const PlanState& begin)
      : forecast_(forecast), files_(begin.age_counts.begin(), begin.age_counts.end()) {
    files_.resize(forecast.age.size());
    live_files_ = std::accumulate(files_.begin(), files_.end(), 0.0);
  }

  double live_files() const { return live_files_; }
  void create(size_t window, double count) {
    files_[window] += count;
    live_files_ += count;
  }
  // Lowers the largest surpluses to one level.
  void remove(double count);
  double age_rmse() const;

 private:
  double surplus(size_t bin) const { return files_[bin] - forecast_.age_reachable[bin] * live_files_; }

  const Forecast& forecast_;
  std::vector<double> files_;  // by age bin
  double live_files_ = 0;
};

void AgeFlow::remove(double count) {
  live_files_ -= count;
  std::vector<size_t> order;
  for (size_t bin = 0; bin < files_.size(); ++bin) {
    if (files_[bin] > 0) order.push_back(bin);
  }
  std::sort(order.begin(), order.end(), [this](size_t a, size_t b) { return surplus(a) > surplus(b); });
  std::vector<double> surpluses;
  surpluses.reserve(order.size());
  for (const size_t bin : order) surpluses.push_back(surplus(bin));
  // The first `lowered` bins share the level.
  double level = 0;
  double sum = 0;
  size_t lowered = 0;
  while (lowered < order.size()) {
    sum += surpluses[lowered++];
    level = (sum - count) / static_cast<double>(lowered);
    if (lowered == order.size() || level >= surpluses[lowered]) break;
  }
  for (size_t i = 0; i < lowered; ++i) {
    files_[order[i]] = std::max(0.0, files_[order[i]] - (surpluses[i] - level));
  }
}

double AgeFlow::age_rmse() const {
  std::vector<double> observed;
  std::vector<double> target;
  for (size_t bin = 0; bin < files_.size(); ++bin) {
    observed.push_back(live_files_ > 0 ? files_[bin] / live_files_ : 0);
    target.push_back(forecast_.age[bin].fraction);
  }
  return rmse(observed, target);
}

// The ticks at which a window ends, oldest first.
std::vector<double> window_ends(const Forecast& forecast) {
  const std::vector<double> shares = window_shares(forecast.age);
  std::vector<double> ends(shares.size());
  double end = 0;
  for (size_t i = shares.size(); i-- > 0;) {
    end += shares[i] * static_cast<double>(forecast.horizon_ops_count);
    ends[i] = end;
  }
  return ends;
}

}  // namespace

std::vector<PlannedRmsePoint> planned_rmse(const Forecast& forecast, const PlanState& begin) {
  AgeFlow flow(forecast, begin);
  const std::vector<double> ends = window_ends(forecast);
  const auto horizon = static_cast<double>(forecast.horizon_ops_count);
  const auto from = static_cast<double>(begin.tick);
  std::set<double> wanted;
  for (int i = 1; i <= kPoints; ++i) wanted.insert(std::round(from + (horizon - from) * i / kPoints));
  // Adds the first create and the end of rapid aging.
  wanted.insert(std::min(horizon, from + 1));
  const double lacking_files = std::max(1.0, std::ceil(forecast.expected_files - flow.live_files()));
  wanted.insert(std::min(horizon, from + lacking_files));
  std::vector<PlannedRmsePoint> points;
  if (flow.live_files() > 0) points.push_back({begin.tick, flow.age_rmse()});
  double tick = from;
  for (size_t window = ends.size(); window-- > 0;) {
    const double end = std::min(horizon, window == 0 ? horizon : std::floor(ends[window]));
    if (end <= tick) continue;
    wanted.insert(end);
    const double widest = std::min((end - tick) / kStepsOfWindow, (horizon - from) / kStepsOfAll);
    const double step = std::max(1.0, std::floor(widest));
    while (tick < end) {
      const double lacking = forecast.expected_files - flow.live_files();
      double length = std::min({step, end - tick, *wanted.upper_bound(tick) - tick});
      if (lacking > 0.5) {
        length = std::min(length, std::ceil(lacking));
        flow.create(window, length);
      } else {
        const double turned = length * forecast.request.mix.churn_fraction() / 2;
        flow.create(window, turned);
        flow.remove(turned);
      }
      tick += length;
      if (wanted.contains(tick)) points.push_back({static_cast<uint64_t>(tick), flow.age_rmse()});
    }
  }
  return points;
}

}  // namespace patina
