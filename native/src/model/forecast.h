// The forecast: what a profile needs at a capacity and fullness, in closed form (docs/design.md, "How aging
// converges").
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/file_sizes.h"
#include "model/horizon.h"
#include "model/mix.h"
#include "model/profile.h"

namespace patina {

enum class BudgetKind { kNone, kMaxRmse, kMaxOverwrites, kMaxOps };
// The name in JSON: "none", "max_rmse", "max_overwrites", "max_ops".
const char* budget_name(BudgetKind kind);

struct Budget {
  BudgetKind kind = BudgetKind::kNone;
  double limit = 0;
};

struct ForecastRequest {
  uint64_t capacity_bytes = 0;
  uint64_t block_size_bytes = 4096;
  double fullness = 0.7;
  // The fullness by statfs at the end, where that is the goal; `fullness` is then the share of the files.
  std::optional<double> fullness_statfs;
  uint64_t seed = 1;
  Budget budget;
  uint64_t horizon_ops_count = 0;  // 0: derived from the profile and the budget
  bool is_exact = false;           // the request sets the horizon: the ages need not match at its end
  SizeDraw size_draw = SizeDraw::kExact;
  Mix mix;
  int curve_points_count = 32;
};

struct SetAside {
  const char* histogram = "size";
  double edge = 0;
  double fraction = 0;  // before renormalising
  const char* reason = "too_large";
};

struct CurvePoint {
  uint64_t ops_count = 0;
  double overwrites = 0;
  double age_rmse = 0;
};

struct Forecast {
  ForecastRequest request;
  std::string profile_digest;
  // Represented bins, renormalised. Size and depth lose the bins set aside; age keeps all windows, with a
  // target of zero for one set aside.
  std::vector<SizeBin> size;
  std::vector<DepthBin> depth;
  std::vector<AgeBin> age;
  std::vector<uint32_t> subdirs_count;  // directories at each depth from 0 to the deepest used; [0] is 1
  std::vector<double> age_reachable;    // the best age fractions at this horizon: the planner's target
  std::vector<SetAside> set_aside;
  double expected_files = 0;  // K
  double mean_file_bytes = 0;
  uint64_t minimal_horizon_ops_count = 0;
  uint64_t horizon_ops_count = 0;
  uint64_t runner_up_horizon_ops_count = 0;
  size_t critical_age_bin = 0;
  double written_bytes = 0;
  double overwrites = 0;
  double age_rmse = 0;
  double rmse_floor = 0;
  std::vector<CurvePoint> curve;
};

// Margin over the minimal horizon.
inline constexpr double kHorizonMargin = 1.05;
// A size bin above this share of the capacity cannot be represented.
inline constexpr double kLargestBinShare = 0.02;
// Beyond this a tick is no longer exact as a double.
inline constexpr double kMaxHorizon = 4.0e15;

// Root of the mean squared difference of two histograms of one length.
double rmse(const std::vector<double>& observed, const std::vector<double>& target);

// Errors: kUsage (a number out of its range, a budget too small for any plan), kProfileDoesNotFit.
Result<Forecast> make_forecast(const Profile& profile, const ForecastRequest& request);
// Revises a forecast to another horizon or budget, from the current turnover. `at_least_ops_count` is the
// smallest horizon: operations done or due. Error: kUsage.
Result<Forecast> revise_forecast(const Forecast& forecast, const Turnover& turnover,
                                 uint64_t at_least_ops_count);

}  // namespace patina
