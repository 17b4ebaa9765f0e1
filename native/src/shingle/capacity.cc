// Simulates a disk of each size until one is large enough.
#include "shingle/capacity.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "shingle/file_churn.h"

namespace patina {
namespace {

constexpr uint64_t kBlockBytes = 4096;
constexpr uint64_t kMostTimesUsable = 100;

// Runs the churn on one disk.
class Churn {
 public:
  Churn(const CapacityOptions& options, uint64_t usable_blocks, uint64_t total_blocks)
      : files_(usable_blocks, options.seed),
        space_(total_blocks, {options.did_blocks, options.dnor_blocks}, *options.policy) {}

  // Returns whether the operation has found a place.
  bool step() {
    const ChurnOperation operation = files_.next();
    if (operation.blocks_count > 0) {
      extents_.push_back(space_.allocate(operation.blocks_count));
      return !extents_.back().empty();
    }
    for (const BlockExtent& extent : extents_[operation.file]) space_.release(extent);
    extents_[operation.file].clear();
    return true;
  }

  CapacityResult result() const {
    return {.total_blocks = space_.free_extents().blocks_count(),
            .free_blocks = space_.free_extents().free_count(),
            .unusable_blocks = space_.unusable_count(),
            .allocated_blocks = space_.allocated_count(),
            .split_files_count = static_cast<uint64_t>(
                std::ranges::count_if(extents_, [](const auto& extents) { return extents.size() > 1; }))};
  }

 private:
  FileChurn files_;
  ShingledSpace space_;
  std::vector<std::vector<BlockExtent>> extents_;  // of each file
};

}  // namespace

Result<CapacityResult> measure_capacity(const CapacityOptions& options, const std::atomic<bool>& stop) {
  const uint64_t usable_blocks = options.usable_bytes / kBlockBytes;
  for (uint64_t percent = 100; percent <= 100 * kMostTimesUsable; ++percent) {
    Churn churn(options, usable_blocks, usable_blocks * percent / 100);
    bool is_enough = true;
    for (uint64_t i = 0; i < options.operations_count && is_enough; ++i) {
      if (stop) return Error{ErrorCode::kCanceled, "stopped before a size was found"};
      is_enough = churn.step();
    }
    if (!is_enough) continue;
    CapacityResult result = churn.result();
    result.attempts_count = percent - 99;
    return result;
  }
  return Error{
      ErrorCode::kUsage,
      fmt::format("a disk of {} times the usable size is too small: choose a smaller DID or more bytes",
                  kMostTimesUsable)};
}

Status run_capacity(const CapacityOptions& options, EventSink& sink, const std::atomic<bool>& stop) {
  if (options.dnor_blocks > options.did_blocks) {
    return Error{ErrorCode::kUsage, fmt::format("DNOR is {} blocks, and more than DID, {}",
                                                options.dnor_blocks, options.did_blocks)};
  }
  if (options.usable_bytes < kBlockBytes) {
    return Error{ErrorCode::kUsage, "--usable must be at least a block, 4096 bytes"};
  }
  const Error closed{ErrorCode::kCanceled, "standard output is closed"};
  if (!sink.emit(hello_event("shingle capacity"))) return closed;
  const Result<CapacityResult> result = measure_capacity(options, stop);
  if (!result) return result.error();
  const bool is_open = sink.emit({{"type", "summary"},
                                  {"command", "shingle capacity"},
                                  {"policy", options.policy->name},
                                  {"did_blocks", options.did_blocks},
                                  {"dnor_blocks", options.dnor_blocks},
                                  {"seed", options.seed},
                                  {"total_blocks", result->total_blocks},
                                  {"free_blocks", result->free_blocks},
                                  {"unusable_blocks", result->unusable_blocks},
                                  {"usable_blocks", result->free_blocks - result->unusable_blocks},
                                  {"allocated_blocks", result->allocated_blocks},
                                  {"split_files_count", result->split_files_count},
                                  {"attempts_count", result->attempts_count}});
  return is_open ? ok_status() : Status(closed);
}

}  // namespace patina
