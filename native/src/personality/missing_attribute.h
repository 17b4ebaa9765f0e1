// Finds what an operation lacks, without which it could never work.
#pragma once

#include <string_view>

#include "personality/personality.h"

namespace patina {

// Returns the attribute that the operation needs and lacks; empty where it lacks none.
std::string_view missing_attribute(const FlowSpec& spec);

}  // namespace patina
