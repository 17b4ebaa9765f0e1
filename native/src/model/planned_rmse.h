// How the age histogram comes about on the way to the horizon, in closed form: what a live run is compared
// with.
#pragma once

#include <cstdint>
#include <vector>

#include "model/forecast.h"
#include "model/plan.h"

namespace patina {

struct PlannedRmsePoint {
  uint64_t ops_count = 0;
  double age_rmse = 0;  // of the live files by then, by the windows of the horizon
};

// From `begin`, by default an empty file system, to the forecast's horizon. As the planner does, in real
// numbers: creates go into the window that is open, deletes take from the bin with the largest surplus.
std::vector<PlannedRmsePoint> planned_rmse(const Forecast& forecast, const PlanState& begin = {});

}  // namespace patina
