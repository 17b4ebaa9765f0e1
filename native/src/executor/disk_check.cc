// Compares a tree with the live files of a plan or a workload.
#include "executor/disk_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/file_name.h"

namespace patina {
namespace {

class Comparison {
 public:
  Comparison(std::vector<Operation> live, const std::function<bool(uint64_t)>& lacks)
      : live_(std::move(live)), lacks_(lacks), found_(live_.size(), false) {}

  void add(const FoundFile& file) {
    ++check_.files_count;
    const auto at =
        std::lower_bound(live_.begin(), live_.end(), file.ordinal,
                         [](const Operation& live, uint64_t ordinal) { return live.file < ordinal; });
    const bool known = at != live_.end() && at->file == file.ordinal && at->directory == file.directory &&
                       at->renamed == file.renamed;
    if (!known) {
      ++check_.stray_count;
      note(fmt::format("'{}' in directory {} should not be there", file.name, file.directory));
      return;
    }
    found_[static_cast<size_t>(at - live_.begin())] = true;
    if (file.bytes == at->bytes) return;
    if (file.bytes < at->bytes && lacks_(file.ordinal)) {
      ++check_.lacking_count;
      return;
    }
    ++check_.wrong_size_count;
    note(fmt::format("'{}' in directory {} has {} bytes and not {}", file.name, file.directory, file.bytes,
                     at->bytes));
  }

  DiskCheck finish() {
    for (size_t i = 0; i < live_.size(); ++i) {
      if (found_[i]) continue;
      ++check_.missing_count;
      note(fmt::format("'{}' is not in directory {}", name_of(live_[i]).c_str(), live_[i].directory));
    }
    return std::move(check_);
  }

 private:
  void note(std::string difference) {
    if (check_.example.empty()) check_.example = std::move(difference);
  }

  std::vector<Operation> live_;  // by ordinal
  const std::function<bool(uint64_t)>& lacks_;
  std::vector<bool> found_;
  DiskCheck check_;
};

// Counts a file into the histograms, from the tree alone.
void count(const Forecast& forecast, const Planner& planner, const FoundFile& file, PlanState& state) {
  const auto size = std::lower_bound(forecast.size.begin(), forecast.size.end(), file.bytes,
                                     [](const SizeBin& bin, uint64_t bytes) { return bin.bytes < bytes; });
  if (size != forecast.size.end()) ++state.size_counts[static_cast<size_t>(size - forecast.size.begin())];
  const auto depth = std::find_if(forecast.depth.begin(), forecast.depth.end(),
                                  [&file](const DepthBin& bin) { return bin.depth == file.depth; });
  if (depth != forecast.depth.end()) {
    ++state.depth_counts[static_cast<size_t>(depth - forecast.depth.begin())];
  }
  ++state.age_counts[planner.window_of_ordinal(file.ordinal)];
}

}  // namespace

Result<DiskCheck> compare_tree(std::vector<Operation> live, const std::function<bool(uint64_t)>& lacks,
                               FileSystem& file_system, const std::function<void(const FoundFile&)>& also) {
  Comparison comparison(std::move(live), lacks);
  Status walked = file_system.walk([&](const FoundFile& file) {
    comparison.add(file);
    if (also) also(file);
  });
  if (!walked) return walked.error();
  return comparison.finish();
}

Result<DiskCheck> check_disk(const Forecast& forecast, const Planner& planner, FileSystem& file_system) {
  PlanState state;
  state.size_counts.resize(forecast.size.size());
  state.depth_counts.resize(forecast.depth.size());
  state.age_counts.resize(forecast.age.size());
  Result<DiskCheck> check = compare_tree(
      planner.live_files(), [&planner](uint64_t ordinal) { return planner.lacks_bytes(ordinal); },
      file_system, [&](const FoundFile& file) { count(forecast, planner, file, state); });
  if (check) check->observed = observe(forecast, state);
  return check;
}

}  // namespace patina
