// The command `workload`: runs measured operations on files inside a mounted file system.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

#include "base/event.h"
#include "base/result.h"

namespace patina {

// kAll: allocates the files, makes them durable, and runs. The two halves separately, so that caches can be
// emptied between them: kRun takes over what kAllocate made with the same specification, seed and scale.
enum class WorkloadStage { kAll, kAllocate, kRun, kDescribe };

struct WorkloadRunOptions {
  std::string spec;               // the name of a built-in personality, or a file
  std::string mount;              // the root of a mounted file system; kDescribe needs none
  std::optional<double> seconds;  // absent: that of the specification; 0: until it is done
  double warm_up_s = 0;           // before the measured time; `seconds` begin after it
  uint64_t seed = 1;
  std::optional<uint64_t>
      files_count;  // absent with fit_bytes: a scale by which the files take half of the free space
  std::optional<uint64_t> fit_bytes;  // what the files may take
  WorkloadStage stage = WorkloadStage::kAll;
};

// Emits hello, `personality`, progress each second, and last `summary` (kDescribe: `personality` last).
// Errors: kWorkloadInvalid, kMountUnusable, kNoSpace and other errors of the file system, kCanceled.
Status run_workload(const WorkloadRunOptions& options, EventSink& sink, const std::atomic<bool>& stop);

}  // namespace patina
