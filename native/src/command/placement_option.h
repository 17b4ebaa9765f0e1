// The options that commands for shingled disks share.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "command/option_list.h"
#include "shingle/banded_space.h"
#include "shingle/shingled_space.h"

namespace patina {

inline constexpr uint64_t kMostDamagedBlocks = uint64_t{1} << 20U;

inline OptionHandle add_policy(OptionList& words, const PlacementPolicy*& policy) {
  std::vector<std::pair<std::string, const PlacementPolicy*>> policies;
  for (const PlacementPolicy& row : kPlacementPolicies) policies.emplace_back(row.name, &row);
  return words.add_choice("--policy", policy, "Caveat-Scriptor: where files are placed", policies);
}

inline OptionHandle add_cleaning(OptionList& words, const CleaningPolicy*& policy) {
  std::vector<std::pair<std::string, const CleaningPolicy*>> policies;
  for (const CleaningPolicy& row : kCleaningPolicies) policies.emplace_back(row.name, &row);
  return words.add_choice("--clean", policy, "Strict append: which band is cleaned", policies);
}

}  // namespace patina
