// The command `forecasts`: many forecasts by one process, for answers while the user drags a bar.
#pragma once

#include "base/event.h"
#include "base/result.h"

namespace patina {

// Emits hello, and for each line of `input_fd` one line, in order: a plan, or the request's error. A request
// is {"profile": {..}, "capacity_bytes", "fullness"}, with optional "block_size_bytes", "seed",
// "curve_points_count" and one of "max_rmse", "max_overwrites", "max_ops"; without a capacity it requests the
// profile alone, and the line is of type `profile`. Ends with the input. Errors: kUsage, when a line is too
// long to go on after it; kCanceled when stdout is closed.
Status run_forecasts(int input_fd, EventSink& sink);

}  // namespace patina
