// Wraps a planner and its forecast, and keeps its earlier horizons (legs).
#include "age/plan_course.h"

#include <nlohmann/json.hpp>

#include "executor/execute.h"

namespace patina {
namespace {

// Returns the forecast with the plan's first horizon, when it resumes from a checkpoint.
Forecast beginning_of(const Forecast& forecast, const std::optional<Checkpoint>& checkpoint) {
  if (!checkpoint) return forecast;
  Forecast first = forecast;
  first.request.horizon_ops_count =
      checkpoint->legs.empty() ? checkpoint->horizon_ops_count : checkpoint->legs.front().horizon_ops_count;
  const Turnover fresh{forecast.expected_files, forecast.request.mix.churn_fraction(), 0, {}};
  const Result<Forecast> begun = revise_forecast(first, fresh, 0);
  // A horizon too short for this plan is another plan's: match_checkpoint or the digest check refuses it.
  return begun ? *begun : forecast;
}

// Returns whether the request sets the number of operations, so that the run ends there also if the age
// histogram does not match.
bool is_exact(const Budget& budget, uint64_t horizon_ops_count) {
  return horizon_ops_count > 0 && budget.kind == BudgetKind::kNone;
}

}  // namespace

PlanCourse::PlanCourse(const Forecast& forecast, const std::optional<Checkpoint>& resume_from)
    : asked_budget_(forecast.request.budget),
      asked_horizon_ops_count_(forecast.request.horizon_ops_count),
      asked_exactly_(is_exact(asked_budget_, asked_horizon_ops_count_)),
      forecast_(beginning_of(forecast, resume_from)),
      planner_(forecast_) {
  forecast_.request.is_exact = asked_exactly_;
}

std::vector<uint16_t> PlanCourse::spread_directories(int lanes_count) const {
  return patina::spread_directories(forecast_, planner_.tree(), lanes_count);
}

Result<DiskCheck> PlanCourse::compare_with(FileSystem& file_system) const {
  return check_disk(forecast_, planner_, file_system);
}

Status PlanCourse::aim_again(uint64_t horizon_ops_count) {
  Status aimed = aim(asked_budget_, horizon_ops_count);
  forecast_.request.is_exact = asked_exactly_;  // the horizon is the checkpoint's
  return aimed;
}

Status PlanCourse::aim(const Budget& budget, uint64_t horizon_ops_count) {
  if (legs_.size() >= kMostLegs) return Error{ErrorCode::kUsage, "the plan was revised too often"};
  Forecast wanted = forecast_;
  wanted.request.budget = budget;
  wanted.request.horizon_ops_count = horizon_ops_count;
  wanted.request.is_exact = is_exact(budget, horizon_ops_count);
  Result<Forecast> revised =
      revise_forecast(wanted, turnover_of(forecast_, planner_), planner_.tick() + planner_.owing_count());
  if (!revised) return revised.error();
  legs_.push_back({planner_.horizon(), planner_.tick()});
  forecast_ = std::move(*revised);
  planner_.revise(forecast_);
  return ok_status();
}

bool PlanCourse::asks_otherwise(const Checkpoint& checkpoint) const {
  return checkpoint.budget != budget_name(asked_budget_.kind) ||
         checkpoint.budget_limit != asked_budget_.limit ||
         checkpoint.asked_horizon_ops_count != asked_horizon_ops_count_;
}

Checkpoint PlanCourse::checkpoint(DataMode mode) const {
  Checkpoint checkpoint = checkpoint_of(forecast_, mode);
  checkpoint.tick = planner_.tick();
  checkpoint.stream_digest = planner_.stream_digest();
  checkpoint.legs = legs_;
  checkpoint.budget = budget_name(asked_budget_.kind);
  checkpoint.budget_limit = asked_budget_.limit;
  checkpoint.asked_horizon_ops_count = asked_horizon_ops_count_;
  return checkpoint;
}

uint64_t PlanCourse::planned_free_bytes() const {
  const auto capacity = static_cast<double>(capacity_bytes());
  return static_cast<uint64_t>((1 - forecast_.request.fullness) * capacity);
}

nlohmann::ordered_json PlanCourse::announcement() const {
  return plan_event(forecast_, planner_.state());
}

std::function<nlohmann::ordered_json(const Measures&)> PlanCourse::sample() const {
  return [this, state = planner_.state()](const Measures& measures) {
    return sample_event(forecast_, state, measures);
  };
}

nlohmann::ordered_json PlanCourse::summary(const Measures& measures, const Outcome& outcome) const {
  Outcome whole = outcome;
  whole.legs = legs_;
  return summary_event(forecast_, planner_.state(), measures, whole);
}

}  // namespace patina
