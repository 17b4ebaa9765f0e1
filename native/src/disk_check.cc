// Compares a tree with a plan's live files.
#include "disk_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "file_name.h"

namespace patina {
namespace {

class Comparison {
 public:
  Comparison(const Forecast& forecast, const Planner& planner)
      : forecast_(forecast), planner_(planner), live_(planner.live_files()), found_(live_.size(), false) {
    state_.size_counts.resize(forecast.size.size());
    state_.depth_counts.resize(forecast.depth.size());
    state_.age_counts.resize(forecast.age.size());
  }

  void add(const FoundFile& file) {
    ++check_.files_count;
    count(file);
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
    if (file.bytes < at->bytes && planner_.lacks_bytes(file.ordinal)) {
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
    check_.observed = observe(forecast_, state_);
    return std::move(check_);
  }

 private:
  void note(std::string difference) {
    if (check_.example.empty()) check_.example = std::move(difference);
  }

  // Into the histograms, by what the tree says alone.
  void count(const FoundFile& file) {
    const auto size = std::lower_bound(forecast_.size.begin(), forecast_.size.end(), file.bytes,
                                       [](const SizeBin& bin, uint64_t bytes) { return bin.bytes < bytes; });
    if (size != forecast_.size.end())
      ++state_.size_counts[static_cast<size_t>(size - forecast_.size.begin())];
    const auto depth = std::find_if(forecast_.depth.begin(), forecast_.depth.end(),
                                    [&file](const DepthBin& bin) { return bin.depth == file.depth; });
    if (depth != forecast_.depth.end()) {
      ++state_.depth_counts[static_cast<size_t>(depth - forecast_.depth.begin())];
    }
    ++state_.age_counts[planner_.window_of_ordinal(file.ordinal)];
  }

  const Forecast& forecast_;
  const Planner& planner_;
  std::vector<Operation> live_;  // by ordinal
  std::vector<bool> found_;
  PlanState state_;
  DiskCheck check_;
};

}  // namespace

Result<DiskCheck> check_disk(const Forecast& forecast, const Planner& planner, FileSystem& file_system) {
  Comparison comparison(forecast, planner);
  Status walked = file_system.walk([&comparison](const FoundFile& file) { comparison.add(file); });
  if (!walked) return walked.error();
  return comparison.finish();
}

}  // namespace patina
