// Fills the files that an aging left, in place, so that reading them reads the device (aging-model, section
// 7).
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

// Writes each file once, a share of them on each thread, in the order of their creation. `progress` is called
// from the calling thread a few times a second; it returns false to stop. Errors: those of the file system;
// kCanceled.
Status materialize(FileSystem& file_system, std::span<const Operation> files, int threads_count,
                   const std::function<bool(const MaterializeProgress&)>& progress);

}  // namespace patina
