// The events of forecast, simulate and age, as backend/patina/core/contract/age.py defines them.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "executor/checkpoint.h"
#include "executor/disk_check.h"
#include "executor/space_lag.h"
#include "executor/way.h"
#include "layout/free_extents.h"
#include "layout/space_map.h"
#include "model/forecast.h"
#include "model/plan.h"

namespace patina {

// Measurements of the clock and the file system, beside the model's state.
struct Measures {
  double elapsed_s = 0;
  double ops_per_s = 0;
  std::optional<double> eta_s;
  std::optional<double> fullness_statfs;
  std::optional<SpaceLag> lag;
  uint64_t planned_free_bytes = 0;
  uint64_t no_space_count = 0;
};

struct Outcome {
  const char* command = "simulate";
  const char* stop_reason = "converged";
  std::optional<Way> way;  // of an aging
  const char* data_mode = "none";
  std::string plan_digest;
  std::optional<FreeExtents> free_extents;
  double max_seconds = 0;  // 0: no limit was set
  std::vector<Leg> legs;
  const DiskCheck* disk = nullptr;
};

// Returns the lags over the planned free space; null where the file system reports no lag.
nlohmann::ordered_json lag_json(const Measures& measures);
// `begin`: the files of the plan that exist already.
nlohmann::ordered_json plan_event(const Forecast& forecast, const PlanState& begin = {});
nlohmann::ordered_json sample_event(const Forecast& forecast, const PlanState& state,
                                    const Measures& measures);
nlohmann::ordered_json layout_event(uint64_t ops_count, double elapsed_s, const FreeExtents& free_extents,
                                    std::optional<uint64_t> rounds_count = std::nullopt);
// Returns the free blocks by cell, and nothing else: files' extents are not read.
nlohmann::ordered_json space_event(uint64_t ops_count, double elapsed_s, const SpaceMap& map);
nlohmann::ordered_json checkpoint_event(uint64_t ops_count, double elapsed_s);
// Returns the outcome of a line on standard input.
nlohmann::ordered_json control_event(const std::string& line, const std::string& refusal);
nlohmann::ordered_json summary_event(const Forecast& forecast, const PlanState& state,
                                     const Measures& measures, const Outcome& outcome);
nlohmann::ordered_json disk_counts_json(const DiskCheck& disk);
// A plan that ends further than this from its target fullness has missed it.
inline constexpr double kFullnessTolerance = 0.01;
// Returns the stop_reason of a run that reached its horizon: the condition that set it, or fullness_missed.
// `fullness_statfs`: as statfs reports it, unset in a simulation.
const char* horizon_stop_reason(const Forecast& forecast, const PlanState& state,
                                std::optional<double> fullness_statfs = std::nullopt);

}  // namespace patina
