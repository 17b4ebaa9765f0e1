// Schedules commits by operations, so that a file system reuses freed space as soon as in years of use.
#pragma once

#include <cstdint>
#include <span>

#include "model/operation.h"

namespace patina {

struct CommitBounds {
  uint64_t interval_ops = 0;      // a commit after each so many operations; 0: no such bound
  double reuse_lag_fraction = 0;  // a commit once this share of the planned free space is freed since the
                                  // last; 0: no such bound
};

// Depends on the stream of operations alone: commits come at the same places at any speed and after any
// interruption.
class CommitSchedule {
 public:
  // `planned_free_bytes`: the space that the plan leaves free.
  CommitSchedule(const CommitBounds& bounds, uint64_t planned_free_bytes, uint64_t block_size_bytes);

  struct Stretch {
    size_t ops_count = 0;
    bool commit_is_due = false;  // after it
  };
  // Returns the operations up to and including the first after which a commit is due, or all of them.
  Stretch next(std::span<const Operation> ops);

 private:
  uint64_t interval_ops_;
  double most_freed_bytes_;
  uint64_t block_size_bytes_;
  uint64_t ops_count_ = 0;  // of this and the next: since a commit was due
  uint64_t freed_bytes_ = 0;
};

}  // namespace patina
