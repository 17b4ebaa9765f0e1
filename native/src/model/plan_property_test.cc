// Properties that every plan has, over random profiles, capacities, budgets and mixes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "model/observation.h"
#include "model/plan.h"
#include "testing/profile_testing.h"
#include "testing/property_testing.h"

namespace patina {
namespace {

// Most operations of a case: larger ones are drawn again.
constexpr uint64_t kMostOps = 2'000'000;

double evenly(Random& random, double low, double high) {
  return low + (high - low) * static_cast<double>(random.next() >> 11U) * 0x1p-53;
}
double log_evenly(Random& random, double low, double high) {
  return std::exp(evenly(random, std::log(low), std::log(high)));
}

// All alike, a few orders of magnitude apart, or so far apart that most cannot be represented; some zero.
class Weights {
 public:
  explicit Weights(Random& random)
      : random_(random), spread_(random.below(3) == 0 ? 1 : log_evenly(random, 2, 1e6)) {}
  double next(bool may_be_zero) {
    if (may_be_zero && random_.below(5) == 0) return 0;
    return log_evenly(random_, 1, spread_ + 1e-9);
  }

 private:
  Random& random_;
  double spread_;
};

// One bin, a few or many.
uint32_t bins_count(Random& random) {
  const uint32_t most[] = {1, 5, 12, 40};
  return 1 + random.below(most[random.below(4)]);
}

std::string random_sizes(Random& random, double mean_bytes) {
  const uint32_t bins = bins_count(random);
  const double spread = log_evenly(random, 1.5, 1e5);
  std::vector<uint64_t> sizes;
  for (uint32_t i = 0; i < bins; ++i) {
    const double size = log_evenly(random, mean_bytes / spread, mean_bytes * spread);
    sizes.push_back(static_cast<uint64_t>(std::min(size, static_cast<double>(kMaxFileBytes))));
  }
  if (random.below(4) == 0) sizes.push_back(0);
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  Weights weights(random);
  std::string text;
  for (const uint64_t size : sizes) {
    const double weight = weights.next(size != sizes.front());
    text += fmt::format("{}{{\"bytes\":{},\"weight\":{}}}", text.empty() ? "" : ",", size, weight);
  }
  return text;
}

std::string random_depths(Random& random) {
  std::string text;
  Weights weights(random);
  uint32_t depth = random.below(3);
  for (uint32_t i = 0, n = bins_count(random); i < n && depth <= kMaxDepth; ++i) {
    text += fmt::format("{}{{\"depth\":{},\"weight\":{},\"subdirs\":{}}}", text.empty() ? "" : ",", depth,
                        weights.next(i > 0), random.below(random.coin() ? 3 : 400));
    depth += 1 + random.below(2);
  }
  return text;
}

// Bins of one width, geometric ones, or any.
std::string random_ages(Random& random) {
  std::string text;
  Weights weights(random);
  const double growth = random.below(3) == 0 ? 1 : evenly(random, 1, 3);
  double width = 1;
  double edge = 0;
  for (uint32_t i = 0, n = bins_count(random); i < n; ++i) {
    edge += width * (random.coin() ? 1 : evenly(random, 0.1, 2));
    width *= growth;
    text +=
        fmt::format("{}{{\"age\":{:.9g},\"weight\":{}}}", text.empty() ? "" : ",", edge, weights.next(i > 0));
  }
  return text;
}

struct Case {
  std::string profile_text;
  ForecastRequest request;
};

// Draws a capacity from 64 MiB to 16 TiB, and sizes that give about 1 to 100 000 files.
Case random_case(Random& random) {
  Case drawn;
  ForecastRequest& request = drawn.request;
  request = request_of(static_cast<uint64_t>(log_evenly(random, 0x1p26, 0x1p44)), evenly(random, 0.01, 0.99),
                       random.next() >> 11U);
  request.curve_points_count = 0;
  request.block_size_bytes = uint64_t{512} << random.below(8);
  request.size_draw = random.coin() ? SizeDraw::kExact : SizeDraw::kLogUniform;
  if (random.below(3) == 0) {
    const auto part = [&random] { return random.coin() ? 0 : evenly(random, 0, 0.17); };
    request.mix = {part(), part(), part(), part(), part()};
  }
  const double files = log_evenly(random, 1, 1e5);
  const double mean_bytes = static_cast<double>(request.capacity_bytes) * request.fullness / files;
  drawn.profile_text =
      fmt::format("{{\"size\":[{}],\"depth\":[{}],\"age\":[{}]}}", random_sizes(random, mean_bytes),
                  random_depths(random), random_ages(random));
  return drawn;
}

Budget random_budget(Random& random, const Forecast& whole) {
  const auto kind = static_cast<BudgetKind>(random.below(4));
  switch (kind) {
    case BudgetKind::kNone:
      return {};
    case BudgetKind::kMaxRmse:
      return {kind, log_evenly(random, 1e-5, 0.2)};
    case BudgetKind::kMaxOverwrites:
      return {kind, whole.overwrites * evenly(random, 0, 1.2)};
    case BudgetKind::kMaxOps:
      return {kind, std::floor(static_cast<double>(whole.horizon_ops_count) * evenly(random, 0, 1.2))};
  }
  return {};
}

uint64_t largest_file(const Forecast& forecast) {
  uint64_t largest = 0;
  for (const SizeBin& bin : forecast.size) {
    if (bin.fraction > 0) largest = std::max(largest, bin.bytes);
  }
  return round_up(largest, forecast.request.block_size_bytes);
}

// The range of the number of live files in stable aging.
struct LiveRange {
  uint64_t least = UINT64_MAX;
  uint64_t most = 0;
  double width() const { return most > least ? static_cast<double>(most - least) : 0; }
};

// Plans to the end of rapid aging, or of the plan.
void plan_rapid_aging(Planner& planner, const Forecast& forecast) {
  const auto target =
      static_cast<uint64_t>(forecast.request.fullness * static_cast<double>(forecast.request.capacity_bytes));
  std::vector<Operation> block(64);
  const uint64_t block_bytes = block.size() * largest_file(forecast);
  PlanState state = planner.state();
  while (state.rapid && !planner.finished()) {
    const bool far = state.live_bytes + block_bytes < target;
    planner.next(std::span(block).first(far ? block.size() : 1));
    state = planner.state();
  }
  if (state.rapid) return;
  EXPECT_GE(state.live_bytes, target);
  EXPECT_LE(state.live_bytes, target + largest_file(forecast));
}

LiveRange plan_stable_aging(Planner& planner) {
  LiveRange range;
  uint64_t live_files = planner.state().live_files();
  std::vector<Operation> block(4096);
  while (!planner.finished()) {
    const size_t planned = planner.next(block);
    for (const Operation& op : std::span(block).first(planned)) {
      if (op.is_create()) ++live_files;
      if (op.is_delete()) --live_files;
      range.least = std::min(range.least, live_files);
      range.most = std::max(range.most, live_files);
    }
  }
  return range;
}

// Returns one standard deviation, in files: in a mix, the number of creates of a window that cannot create
// enough is random.
double luck_of_creates(const Forecast& forecast) {
  const double churn = forecast.request.mix.churn_fraction();
  const std::vector<double> shares = window_shares(forecast.age);
  double most = 0;
  for (size_t b = 0; b < shares.size(); ++b) {
    if (forecast.age_reachable[b] >= forecast.age[b].fraction) continue;
    const double ticks = static_cast<double>(forecast.horizon_ops_count) * shares[b];
    most = std::max(most, std::sqrt(ticks * churn * (1 - churn)) / 2);
  }
  return most;
}

void expect_histograms(const Forecast& forecast, const PlanState& state, const LiveRange& range) {
  const Observations observed = observe(forecast, state);
  const auto live_files = static_cast<double>(state.live_files());
  const double unforeseen = std::abs(live_files - forecast.expected_files);
  // Three times the floor is what whole files allow where there are many bins. Where there are two or three,
  // the last operations alone can leave a bin a few files off.
  const auto within = [&forecast, live_files](double more_files) {
    return std::max({0.0001, 3 * forecast.rmse_floor, (4 + more_files) / live_files});
  };
  // The sum of drawn sizes rises and falls, and with it the number of files that are as full. It falls by
  // consecutive deletes, which draw files regardless of size and depth. An old window cannot be refilled:
  // when the number rises, the youngest windows get the files that the old ones lost.
  const bool drawn = forecast.request.size_draw == SizeDraw::kLogUniform;
  EXPECT_LE(observed.size.rmse, within(drawn ? std::sqrt(range.width()) : 0)) << "size";
  EXPECT_LE(observed.depth.rmse, within(drawn ? std::sqrt(range.width()) : 0)) << "depth";
  const double age = within((drawn ? range.width() + unforeseen : 0) + 4 * luck_of_creates(forecast));
  if (forecast.age_rmse == 0) {
    EXPECT_LE(observed.age.rmse, age) << "age";
  } else {
    // The share that a window can create is as uncertain as the number of files, which one file of a bin far
    // above the mean changes by many.
    EXPECT_NEAR(observed.age.rmse, forecast.age_rmse, std::max(0.002, age) + unforeseen / live_files)
        << "age";
  }
}

std::string in_words(const Forecast& forecast) {
  const ForecastRequest& request = forecast.request;
  return fmt::format(
      "capacity {} fullness {:.3f} block {} K {:.1f} bins {} {} {} T {} of {} budget {} {} draw {} mix "
      "{:.3f}",
      request.capacity_bytes, request.fullness, request.block_size_bytes, forecast.expected_files,
      forecast.size.size(), forecast.depth.size(), forecast.age.size(), forecast.horizon_ops_count,
      forecast.minimal_horizon_ops_count, budget_name(request.budget.kind), request.budget.limit,
      size_draw_name(request.size_draw), request.mix.sum());
}

struct Tally {
  uint32_t planned = 0;
  uint32_t refused = 0;
  uint32_t drawn_anew = 0;
  uint32_t budgeted = 0;
  uint32_t huge = 0;  // 1 TiB and more
};

void examine(const Forecast& forecast) {
  SCOPED_TRACE(in_words(forecast));
  Planner planner(forecast);
  Planner again(forecast);
  plan_rapid_aging(planner, forecast);
  const LiveRange range = plan_stable_aging(planner);
  expect_histograms(forecast, planner.state(), range);
  plan_stable_aging(again);
  EXPECT_EQ(planner.stream_digest(), again.stream_digest());
}

// Expects a refusal that names its reason and a remedy.
void expect_clear(const Error& error, bool has_budget) {
  EXPECT_TRUE(error.code == ErrorCode::kProfileDoesNotFit || (has_budget && error.code == ErrorCode::kUsage))
      << error.message;
  EXPECT_FALSE(error.message.empty());
}

TEST(PlanProperty, EveryPlanMeetsItsHistogramsAsWellAsItsForecastSays) {
  Tally tally;
  for (uint32_t round = 0; tally.planned < property_cases(50); ++round) {
    SCOPED_TRACE(round);
    Random random(round);
    const Case drawn = random_case(random);
    Result<Profile> profile = parse_profile(drawn.profile_text);
    ASSERT_TRUE(profile.ok()) << profile.error().message;
    ForecastRequest request = drawn.request;
    Result<Forecast> forecast = make_forecast(*profile, request);
    if (forecast && random.coin()) {
      request.budget = random_budget(random, *forecast);
      forecast = make_forecast(*profile, request);
    }
    if (!forecast) {
      expect_clear(forecast.error(), request.budget.kind != BudgetKind::kNone);
      ++tally.refused;
      continue;
    }
    if (forecast->horizon_ops_count > kMostOps) {
      ++tally.drawn_anew;
      continue;
    }
    examine(*forecast);
    ++tally.planned;
    if (forecast->age_rmse > 0) ++tally.budgeted;
    if (request.capacity_bytes >= 1ULL << 40U) ++tally.huge;
  }
  EXPECT_GT(tally.budgeted, tally.planned / 20);
  EXPECT_GT(tally.huge, tally.planned / 10);
  RecordProperty("refused", static_cast<int>(tally.refused));
  RecordProperty("drawn_anew", static_cast<int>(tally.drawn_anew));
}

}  // namespace
}  // namespace patina
