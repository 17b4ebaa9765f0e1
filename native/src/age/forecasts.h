// The command `forecasts`: many forecasts by one process, for whoever must answer while somebody drags a bar.
#pragma once

#include "base/event.h"
#include "base/result.h"

namespace patina {

// Emits hello, and for each line of `input_fd` one line in its order: a plan, or the error that this request
// has. A request is {"profile": {..}, "capacity_bytes", "fullness"} and, if it likes, "block_size_bytes",
// "seed", "curve_points_count" and one of "max_rmse", "max_overwrites", "max_ops"; without a capacity it asks
// for the profile alone, and the line is of type `profile`. Ends with the input. Errors: kUsage, when a line
// is too long to go on after it; kCanceled when nobody reads.
Status run_forecasts(int input_fd, EventSink& sink);

}  // namespace patina
