// Compares the aged tree with the model: the final check of an aging.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "executor/file_system.h"
#include "model/forecast.h"
#include "model/observation.h"
#include "model/plan.h"

namespace patina {

struct DiskCheck {
  uint64_t files_count = 0;    // found in the tree
  uint64_t missing_count = 0;  // in the model, not in the tree
  uint64_t stray_count = 0;    // in the tree, not in the model; by an old name, or in another directory
  uint64_t wrong_size_count = 0;
  uint64_t lacking_count = 0;  // shorter than planned, as in the model: an append was still due
  std::string example;         // the first difference found, in words; empty when there is none
  Observations observed;       // histograms of the files found: sizes, depths of directories, ordinals

  uint64_t differences_count() const { return missing_count + stray_count + wrong_size_count; }
};

// Walks the tree and compares it with the live files, by ordinal, one by one. `lacks` returns whether an
// append to a file is still due; `also` is called for every file found. Errors: those of the walk.
Result<DiskCheck> compare_tree(std::vector<Operation> live, const std::function<bool(uint64_t)>& lacks,
                               FileSystem& file_system,
                               const std::function<void(const FoundFile&)>& also = {});
// The same with a planner's live files, and the histograms of the files found.
Result<DiskCheck> check_disk(const Forecast& forecast, const Planner& planner, FileSystem& file_system);

}  // namespace patina
