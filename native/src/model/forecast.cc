// Computes a forecast from a profile, a capacity and a budget, before anything is written.
#include "model/forecast.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "model/horizon.h"

namespace patina {
namespace {

Error usage(std::string message) {
  return Error{ErrorCode::kUsage, std::move(message)};
}

Error does_not_fit(std::string message) {
  return Error{ErrorCode::kProfileDoesNotFit, std::move(message)};
}

std::optional<Error> check(const ForecastRequest& request) {
  if (!(request.fullness >= 0.01 && request.fullness <= 0.99)) {
    return usage(fmt::format("a fullness of {} is out of range: give 0.01 to 0.99", request.fullness));
  }
  if (request.block_size_bytes < 512 || request.block_size_bytes > (1U << 20U) ||
      (request.block_size_bytes & (request.block_size_bytes - 1)) != 0) {
    return usage(
        fmt::format("a block size of {} is not a power of two from 512 to 1 MiB", request.block_size_bytes));
  }
  if (request.capacity_bytes == 0 || request.capacity_bytes > uint64_t{1} << 60U) {
    return usage(
        fmt::format("a capacity of {} bytes is out of range (1 byte to 1 EiB)", request.capacity_bytes));
  }
  if (request.seed > uint64_t{1} << 53U) {
    return usage(fmt::format("a seed of {} is above 2^53, which JSON readers would round", request.seed));
  }
  const Mix& mix = request.mix;
  for (const double part : {mix.append, mix.overwrite, mix.truncate, mix.rename, mix.punch_hole, mix.sum()}) {
    if (!(part >= 0 && part <= kMostModifications)) {
      return usage(fmt::format("a fraction of {} of the operations: each, and their sum, may be 0 to {}",
                               part, kMostModifications));
    }
  }
  if (request.curve_points_count < 0 || request.curve_points_count > 10'000) {
    return usage(fmt::format("{} curve points: give 0 to 10000", request.curve_points_count));
  }
  if (request.budget.kind != BudgetKind::kNone &&
      !(std::isfinite(request.budget.limit) && request.budget.limit >= 0)) {
    return usage(fmt::format("a budget of {} is out of range", request.budget.limit));
  }
  if (static_cast<double>(request.horizon_ops_count) > kMaxHorizon) {
    return usage(fmt::format("a horizon of {} operations is out of range", request.horizon_ops_count));
  }
  return std::nullopt;
}

template <typename Bin>
double sum_of(const std::vector<Bin>& bins) {
  double sum = 0;
  for (const Bin& bin : bins) sum += bin.fraction;
  return sum;
}

template <typename Bin>
void renormalise(std::vector<Bin>& bins) {
  const double sum = sum_of(bins);
  for (Bin& bin : bins) bin.fraction /= sum;
}

// Computes the mean block-rounded size and the expected live files of the remaining size bins.
void expect_files(Forecast& forecast) {
  double mean = 0;
  const double sum = sum_of(forecast.size);
  const FileSizes sizes(forecast.size, forecast.request.size_draw, forecast.request.seed);
  for (size_t i = 0; i < forecast.size.size(); ++i) {
    mean += forecast.size[i].fraction / sum * sizes.mean_rounded_bytes(i, forecast.request.block_size_bytes);
  }
  forecast.mean_file_bytes = mean;
  forecast.expected_files =
      mean > 0 ? forecast.request.fullness * static_cast<double>(forecast.request.capacity_bytes) / mean : 0;
}

void set_aside_size(Forecast& forecast, size_t index, const char* reason) {
  const SizeBin& bin = forecast.size[index];
  if (bin.fraction > 0) {
    forecast.set_aside.push_back({"size", static_cast<double>(bin.bytes), bin.fraction, reason});
  }
  forecast.size.erase(forecast.size.begin() + static_cast<std::ptrdiff_t>(index));
}

// Returns the rarest bin, of equals the largest: each bin set aside makes room for more files.
std::optional<size_t> rarest_too_rare(const Forecast& forecast) {
  std::optional<size_t> rarest;
  const double sum = sum_of(forecast.size);
  for (size_t i = 0; i < forecast.size.size(); ++i) {
    const double fraction = forecast.size[i].fraction;
    if (fraction <= 0 || forecast.expected_files * fraction / sum >= 0.5) continue;
    if (!rarest || fraction <= forecast.size[*rarest].fraction) rarest = i;
  }
  return rarest;
}

std::optional<Error> fit_sizes(Forecast& forecast) {
  const double largest = kLargestBinShare * static_cast<double>(forecast.request.capacity_bytes);
  for (size_t i = forecast.size.size(); i-- > 0;) {
    const uint64_t rounded = round_up(forecast.size[i].bytes, forecast.request.block_size_bytes);
    if (static_cast<double>(rounded) > largest) set_aside_size(forecast, i, "too_large");
  }
  expect_files(forecast);
  for (std::optional<size_t> i = rarest_too_rare(forecast); i; i = rarest_too_rare(forecast)) {
    set_aside_size(forecast, *i, "too_rare");
    expect_files(forecast);
  }
  if (!(forecast.expected_files >= 1)) {
    return does_not_fit(fmt::format(
        "no size bin of the profile that occupies space can be represented at {} bytes, {:.1f} % full: every "
        "one is above 2 % of the capacity or expects less than half a file; take a larger device",
        forecast.request.capacity_bytes, forecast.request.fullness * 100));
  }
  renormalise(forecast.size);
  return std::nullopt;
}

bool too_rare(double fraction, double expected_files) {
  return fraction > 0 && fraction * expected_files < 0.5;
}

std::optional<Error> fit_depths_and_ages(Forecast& forecast) {
  std::vector<DepthBin> kept;
  for (const DepthBin& bin : forecast.depth) {
    if (too_rare(bin.fraction, forecast.expected_files)) {
      forecast.set_aside.push_back({"depth", static_cast<double>(bin.depth), bin.fraction, "too_rare"});
    } else {
      kept.push_back(bin);
    }
  }
  forecast.depth = std::move(kept);
  for (AgeBin& bin : forecast.age) {
    if (!too_rare(bin.fraction, forecast.expected_files)) continue;
    forecast.set_aside.push_back({"age", bin.age, bin.fraction, "too_rare"});
    bin.fraction = 0;
  }
  if (!(sum_of(forecast.depth) > 0 && sum_of(forecast.age) > 0)) {
    return does_not_fit(
        fmt::format("{:.1f} files are expected: too few for any depth or age bin of the profile",
                    forecast.expected_files));
  }
  renormalise(forecast.depth);
  renormalise(forecast.age);
  return std::nullopt;
}

// Every depth above another has at least one directory, listed or not; below the mount root "0 subdirs" means
// one.
void count_directories(Forecast& forecast) {
  uint32_t deepest = 0;
  for (const DepthBin& bin : forecast.depth) {
    if (bin.fraction > 0) deepest = std::max(deepest, bin.depth);
  }
  forecast.subdirs_count.assign(size_t{deepest} + 1, 1);
  for (const DepthBin& bin : forecast.depth) {
    if (bin.depth > 0 && bin.depth <= deepest) {
      forecast.subdirs_count[bin.depth] = std::max(1U, bin.subdirs_count);
    }
  }
}

Turnover turnover_of(const Forecast& forecast) {
  return {forecast.expected_files, forecast.request.mix.churn_fraction(), 0, {}};
}

// Expected bytes that one operation of stable aging writes.
double bytes_per_operation(const Forecast& forecast) {
  const Mix& mix = forecast.request.mix;
  double touched = 0;
  for (const SizeBin& bin : forecast.size) {
    touched += bin.fraction * expected_touched_bytes(bin.bytes, forecast.request.block_size_bytes);
  }
  // Bytes cut off or punched out are written once more; a truncate cuts off half the file on average.
  return mix.churn_fraction() / 2 * forecast.mean_file_bytes + (mix.overwrite + mix.punch_hole) * touched +
         mix.truncate * forecast.mean_file_bytes / 2;
}

double written_bytes_at(const Forecast& forecast, double horizon) {
  const double rapid = std::min(horizon, forecast.expected_files);
  return rapid * forecast.mean_file_bytes + (horizon - rapid) * bytes_per_operation(forecast);
}

double overwrites_at(const Forecast& forecast, double horizon) {
  return written_bytes_at(forecast, horizon) / static_cast<double>(forecast.request.capacity_bytes);
}

// The smallest horizon that meets the age histogram whole, with the margin.
double full_horizon(const Forecast& forecast, const Turnover& turnover) {
  const double minimal = turnover.done_ticks > 0 ? horizon_for_rmse(forecast.age, turnover, 0)
                                                 : static_cast<double>(forecast.minimal_horizon_ops_count);
  return std::ceil(kHorizonMargin * minimal);
}

// Returns the horizon that the budget allows, at most the one that meets the histogram whole.
double budgeted_horizon(const Forecast& forecast, const Turnover& turnover) {
  const Budget& budget = forecast.request.budget;
  const double full = full_horizon(forecast, turnover);
  switch (budget.kind) {
    case BudgetKind::kNone:
      return full;
    case BudgetKind::kMaxRmse:
      return std::min(full, kHorizonMargin * horizon_for_rmse(forecast.age, turnover, budget.limit));
    case BudgetKind::kMaxOverwrites: {
      const double rapid = forecast.expected_files * forecast.mean_file_bytes;
      const double bytes = budget.limit * static_cast<double>(forecast.request.capacity_bytes);
      const double stable = (bytes - rapid) / bytes_per_operation(forecast);
      return std::min(full, stable < 0 ? bytes / forecast.mean_file_bytes : forecast.expected_files + stable);
    }
    case BudgetKind::kMaxOps:
      return std::min(full, budget.limit);
  }
  return full;
}

std::optional<Error> choose_horizon(Forecast& forecast, const Turnover& turnover) {
  const double asked = static_cast<double>(forecast.request.horizon_ops_count);
  const double horizon = std::floor(asked > 0 ? asked : budgeted_horizon(forecast, turnover));
  if (horizon < std::floor(forecast.expected_files)) {
    return usage(fmt::format(
        "{} operations do not even fill the file system once: {:.0f} files take as many creates and {:.3f} "
        "overwrites; raise the budget",
        std::max(horizon, 0.0), forecast.expected_files, forecast.request.fullness));
  }
  forecast.horizon_ops_count = static_cast<uint64_t>(horizon);
  forecast.overwrites = overwrites_at(forecast, horizon);
  forecast.written_bytes = written_bytes_at(forecast, horizon);
  forecast.age_reachable = reachable_ages(forecast.age, turnover, horizon);
  forecast.age_rmse = reachable_rmse(forecast.age, turnover, horizon);
  return std::nullopt;
}

std::optional<Error> find_need(Forecast& forecast, const Turnover& turnover) {
  const HorizonNeed need = minimal_horizon(forecast.age, turnover);
  if (!(need.minimal * kHorizonMargin < kMaxHorizon)) {
    return does_not_fit(
        fmt::format("age bin {} (the first is 0) is so narrow that it needs {:.3g} operations",
                    need.critical_bin, need.minimal));
  }
  forecast.minimal_horizon_ops_count = static_cast<uint64_t>(std::ceil(need.minimal));
  forecast.runner_up_horizon_ops_count = static_cast<uint64_t>(std::ceil(need.runner_up));
  forecast.critical_age_bin = need.critical_bin;
  return std::nullopt;
}

// Evenly spaced in the logarithm of the operations, from the end of the oldest window's rapid aging (before
// it, the RMSE may rise with the operations) to the full horizon; where that range is empty, from filling
// once.
void draw_curve(Forecast& forecast, const Turnover& turnover) {
  const int points = forecast.request.curve_points_count;
  const auto minimal = static_cast<double>(forecast.minimal_horizon_ops_count);
  const double last = minimal * kHorizonMargin;
  double first = forecast.expected_files / window_shares(forecast.age).back();
  if (first * 2 > minimal) first = forecast.expected_files;
  for (int i = 0; i < points; ++i) {
    const double along = points == 1 ? 1 : static_cast<double>(i) / (points - 1);
    const double horizon = std::ceil(first * std::pow(last / first, along));
    forecast.curve.push_back({static_cast<uint64_t>(horizon), overwrites_at(forecast, horizon),
                              reachable_rmse(forecast.age, turnover, horizon)});
  }
}

}  // namespace

const char* budget_name(BudgetKind kind) {
  switch (kind) {
    case BudgetKind::kNone:
      return "none";
    case BudgetKind::kMaxRmse:
      return "max_rmse";
    case BudgetKind::kMaxOverwrites:
      return "max_overwrites";
    case BudgetKind::kMaxOps:
      return "max_ops";
  }
  return "none";
}

double rmse(const std::vector<double>& observed, const std::vector<double>& target) {
  double sum = 0;
  for (size_t i = 0; i < target.size(); ++i) {
    sum += (observed[i] - target[i]) * (observed[i] - target[i]);
  }
  return std::sqrt(sum / static_cast<double>(target.size()));
}

Result<Forecast> make_forecast(const Profile& profile, const ForecastRequest& request) {
  if (std::optional<Error> error = check(request)) return *error;
  Forecast forecast;
  forecast.request = request;
  forecast.profile_digest = profile.digest;
  forecast.size = profile.size;
  forecast.depth = profile.depth;
  forecast.age = profile.age;
  if (std::optional<Error> error = fit_sizes(forecast)) return *error;
  if (std::optional<Error> error = fit_depths_and_ages(forecast)) return *error;
  count_directories(forecast);
  forecast.rmse_floor = 0.29 / forecast.expected_files;
  const Turnover turnover = turnover_of(forecast);
  if (std::optional<Error> error = find_need(forecast, turnover)) return *error;
  if (std::optional<Error> error = choose_horizon(forecast, turnover)) return *error;
  draw_curve(forecast, turnover);
  return forecast;
}

Result<Forecast> revise_forecast(const Forecast& forecast, const Turnover& turnover,
                                 uint64_t at_least_ops_count) {
  if (std::optional<Error> error = check(forecast.request)) return *error;
  Forecast revised = forecast;
  if (std::optional<Error> error = choose_horizon(revised, turnover)) return *error;
  if (revised.horizon_ops_count < at_least_ops_count) {
    revised.request.horizon_ops_count = at_least_ops_count;
    if (std::optional<Error> error = choose_horizon(revised, turnover)) return *error;
  }
  return revised;
}

}  // namespace patina
