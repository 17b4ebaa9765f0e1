// Counts operations and the bytes that they free.
#include "executor/commit_schedule.h"

namespace patina {

CommitSchedule::CommitSchedule(const CommitBounds& bounds, uint64_t planned_free_bytes,
                               uint64_t block_size_bytes)
    : interval_ops_(bounds.interval_ops),
      most_freed_bytes_(bounds.reuse_lag_fraction * static_cast<double>(planned_free_bytes)),
      block_size_bytes_(block_size_bytes) {}

CommitSchedule::Stretch CommitSchedule::next(std::span<const Operation> ops) {
  for (size_t i = 0; i < ops.size(); ++i) {
    ++ops_count_;
    freed_bytes_ += freed_bytes(ops[i], block_size_bytes_);
    const bool many = interval_ops_ > 0 && ops_count_ >= interval_ops_;
    const bool much = most_freed_bytes_ > 0 && static_cast<double>(freed_bytes_) >= most_freed_bytes_;
    if (!many && !much) continue;
    ops_count_ = freed_bytes_ = 0;
    return {i + 1, true};
  }
  return {ops.size(), false};
}

}  // namespace patina
