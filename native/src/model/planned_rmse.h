// The planned RMSE of the age histogram up to the horizon, in closed form: the reference of a live run.
#pragma once

#include <cstdint>
#include <vector>

#include "model/forecast.h"
#include "model/plan.h"

namespace patina {

struct PlannedRmsePoint {
  uint64_t ops_count = 0;
  double age_rmse = 0;  // of the files live at that operation, by the windows of the horizon
};

// Returns the points from `begin`, by default an empty file system, to the forecast's horizon. Models the
// planner in real numbers: creates go into the open window, deletes take from the bin with the largest
// surplus.
std::vector<PlannedRmsePoint> planned_rmse(const Forecast& forecast, const PlanState& begin = {});

}  // namespace patina
