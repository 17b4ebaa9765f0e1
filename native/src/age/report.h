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

// What the clock and the file system add to the model's state.
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

// Over the planned free space; null where the file system reports no lag.
nlohmann::ordered_json lag_json(const Measures& measures);
// `begin`: what there is of the plan's files already.
nlohmann::ordered_json plan_event(const Forecast& forecast, const PlanState& begin = {});
nlohmann::ordered_json sample_event(const Forecast& forecast, const PlanState& state,
                                    const Measures& measures);
nlohmann::ordered_json layout_event(uint64_t ops_count, double elapsed_s, const FreeExtents& free_extents,
                                    std::optional<uint64_t> rounds_count = std::nullopt);
// What is free, by cell. Nothing else: no file was asked where it lies.
nlohmann::ordered_json space_event(uint64_t ops_count, double elapsed_s, const SpaceMap& map);
nlohmann::ordered_json checkpoint_event(uint64_t ops_count, double elapsed_s);
// What became of a line on standard input.
nlohmann::ordered_json control_event(const std::string& line, const std::string& refusal);
nlohmann::ordered_json summary_event(const Forecast& forecast, const PlanState& state,
                                     const Measures& measures, const Outcome& outcome);
nlohmann::ordered_json disk_counts_json(const DiskCheck& disk);
// A plan that ends further than this from its target fullness has missed it.
inline constexpr double kFullnessTolerance = 0.01;
// The stop_reason of a run that came to its horizon: which condition set that, or that the fullness was
// missed. `fullness_statfs`: what statfs says, unset in a simulation.
const char* horizon_stop_reason(const Forecast& forecast, const PlanState& state,
                                std::optional<double> fullness_statfs = std::nullopt);

}  // namespace patina
