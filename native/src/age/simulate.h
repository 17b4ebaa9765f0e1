// The command `simulate`: the planner without an executor.
#pragma once

#include <atomic>

#include "age/forecast_command.h"
#include "base/event.h"
#include "base/result.h"

namespace patina {

struct SimulateOptions {
  ForecastOptions forecast;
  int sample_interval_ms = 500;
  uint64_t samples_count = 0;  // above 0: so many, equally far apart in operations, in place of the interval
};

// Emits hello, plan, samples and a summary; on a stop, the summary's stop_reason is canceled.
Status run_simulate(const SimulateOptions& options, EventSink& sink, const std::atomic<bool>& stop);

}  // namespace patina
