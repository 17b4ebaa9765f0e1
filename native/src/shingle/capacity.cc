// Simulates a disk of each size until one is large enough.
#include "shingle/capacity.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "shingle/file_churn.h"

namespace patina {
namespace {

constexpr uint64_t kBlockBytes = 4096;
constexpr uint64_t kMostTimesUsable = 100;

// Returns whether all files found a place.
bool churn(ShingledSpace& space, const CapacityOptions& options, uint64_t usable_blocks,
           const std::atomic<bool>& stop) {
  FileChurn files(usable_blocks, options.seed);
  std::vector<BlockExtent> extents;
  for (uint64_t i = 0; i < options.operations_count && !stop; ++i) {
    const ChurnOperation operation = files.next();
    if (operation.blocks_count == 0) {
      space.release(extents[operation.file]);
      continue;
    }
    const std::optional<uint64_t> first = space.allocate(operation.blocks_count);
    if (!first) return false;
    extents.push_back({*first, operation.blocks_count});
  }
  return true;
}

const char* name_of(PlacementPolicy policy) {
  for (const PlacementPolicyName& row : kPlacementPolicies) {
    if (row.policy == policy) return row.name;
  }
  return "";
}

}  // namespace

Result<CapacityResult> measure_capacity(const CapacityOptions& options, const std::atomic<bool>& stop) {
  const uint64_t usable_blocks = options.usable_bytes / kBlockBytes;
  CapacityResult result;
  for (uint64_t percent = 100; percent <= 100 * kMostTimesUsable; ++percent) {
    ++result.attempts_count;
    ShingledSpace space(usable_blocks * percent / 100, options.did_blocks, options.policy);
    const bool is_enough = churn(space, options, usable_blocks, stop);
    if (stop) return Error{ErrorCode::kCanceled, "stopped before a size was found"};
    if (!is_enough) continue;
    result.total_blocks = space.free_extents().blocks_count();
    result.free_blocks = space.free_extents().free_count();
    result.unusable_blocks = space.unusable_count();
    result.allocated_blocks = space.allocated_count();
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
                                  {"policy", name_of(options.policy)},
                                  {"did_blocks", options.did_blocks},
                                  {"dnor_blocks", options.dnor_blocks},
                                  {"seed", options.seed},
                                  {"total_blocks", result->total_blocks},
                                  {"free_blocks", result->free_blocks},
                                  {"unusable_blocks", result->unusable_blocks},
                                  {"usable_blocks", result->free_blocks - result->unusable_blocks},
                                  {"allocated_blocks", result->allocated_blocks},
                                  {"attempts_count", result->attempts_count}});
  return is_open ? ok_status() : Status(closed);
}

}  // namespace patina
