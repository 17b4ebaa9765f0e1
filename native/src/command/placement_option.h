// The options that commands for shingled disks share.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "command/option_list.h"
#include "shingle/banded_space.h"
#include "shingle/shingled_space.h"

namespace patina {

// What a write damages; DID is required, or has its default.
inline void add_damage(OptionList& words, uint64_t& did_blocks, uint64_t& dnor_blocks,
                       bool requires_did = false) {
  constexpr uint64_t kMostBlocks = uint64_t{1} << 20U;
  OptionHandle did = words.add("--did", did_blocks, "Blocks behind a write that it may damage");
  did.range(uint64_t{0}, kMostBlocks).required(requires_did);
  if (!requires_did) did.show_default();
  words.add("--dnor", dnor_blocks, "Blocks behind a write that it never damages, at most DID")
      .range(uint64_t{0}, kMostBlocks)
      .show_default();
}

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
