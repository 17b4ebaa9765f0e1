// Converts a goal for the measured fullness (statfs) to the fullness of the files.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "model/forecast.h"

namespace patina {

// Meaning of --fullness: the block-rounded data of the files, or all space that statfs counts as used.
enum class FullnessOf { kFiles, kStatfs };

// Returns the request of a plan after which statfs reports request.fullness: its `fullness` is that of the
// files alone, its `fullness_statfs` the goal. `used_bytes`: of the fresh file system. `file_system`: as the
// kernel names it. Errors: those of make_forecast; kProfileDoesNotFit where metadata alone reach the goal.
Result<ForecastRequest> aimed_at_statfs(const Profile& profile, const ForecastRequest& request,
                                        uint64_t used_bytes, const std::string& file_system);

}  // namespace patina
