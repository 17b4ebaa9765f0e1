// Fills the files that an aging left, in place, so that reads of them reach the device
// (docs/design.md, "Ways to age").
#pragma once

#include <functional>
#include <span>

#include "base/result.h"
#include "executor/control.h"
#include "executor/file_system.h"
#include "model/operation.h"

namespace patina {

struct MaterializeProgress {
  uint64_t done_bytes = 0;
  uint64_t total_bytes = 0;
};

// Writes each file once, in the order of creation, a share of them on each thread. Calls `progress` on the
// calling thread a few times a second; it returns false to stop. Errors: those of the file system; kCanceled.
Status materialize(FileSystem& file_system, std::span<const Operation> files, int threads_count,
                   const std::function<bool(const MaterializeProgress&)>& progress);

}  // namespace patina
