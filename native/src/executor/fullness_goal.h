// A goal for what statfs says at the end, as the share of the capacity that the files are to take.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "model/forecast.h"

namespace patina {

// What --fullness is of: the block-rounded data of the files, or all that statfs counts as used.
enum class FullnessOf { kFiles, kStatfs };

// The request of a plan after which statfs says request.fullness: its `fullness` is that of the files alone,
// its `fullness_statfs` the goal. `used_bytes`: what the fresh file system takes. `file_system`: as the
// kernel names it. Errors: those of make_forecast; kProfileDoesNotFit where metadata alone reach the goal.
Result<ForecastRequest> aimed_at_statfs(const Profile& profile, const ForecastRequest& request,
                                        uint64_t used_bytes, const std::string& file_system);

}  // namespace patina
