// Asks the emulator of an emulated disk.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "base/result.h"

namespace patina {

// Sends a request to the socket `control` in the folder, and returns the answer. kBackingInvalid: no emulator
// serves the folder. An error in the answer is returned as such, with its code.
Result<nlohmann::ordered_json> ask_emulator(const std::string& folder, const nlohmann::ordered_json& request);

}  // namespace patina
