// Reads a workload file in Filebench's workload model language, as far as its published personalities need
// it.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/result.h"
#include "personality/personality.h"

namespace patina {

inline constexpr size_t kMaxPersonalityBytes = size_t{1} << 20U;

// Values in place of those that the text sets, by the variable's name without its dollar sign.
using VariableOverrides = std::map<std::string, double, std::less<>>;

// `file` names the text in errors: "FILE:LINE:COLUMN: what is wrong". Paths in the text have no effect: a
// workload runs below one mount. Error: kWorkloadInvalid.
Result<Personality> read_personality(std::string_view text, const std::string& file,
                                     const VariableOverrides& overrides = {});

}  // namespace patina
