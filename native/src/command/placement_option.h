// The options that commands for shingled disks share.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "command/option_list.h"
#include "shingle/shingled_space.h"

namespace patina {

inline constexpr uint64_t kMostDamagedBlocks = uint64_t{1} << 20U;

inline OptionHandle add_policy(OptionList& words, const PlacementPolicy*& policy) {
  std::vector<std::pair<std::string, const PlacementPolicy*>> policies;
  for (const PlacementPolicy& row : kPlacementPolicies) policies.emplace_back(row.name, &row);
  return words.add_choice("--policy", policy, "Where files are placed", policies);
}

}  // namespace patina
