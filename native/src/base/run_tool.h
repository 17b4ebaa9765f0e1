// Runs another program.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace patina {

// Runs `argv`, found by PATH, to its end; its output goes to standard error. kDeviceUnusable: it is not
// installed, or fails.
Status run_tool(const std::vector<std::string>& argv);

}  // namespace patina
