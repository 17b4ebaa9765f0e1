// The command `age`: carries a course out on a mounted file system.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "age/course.h"
#include "age/forecast_command.h"
#include "age/workload.h"
#include "base/event.h"
#include "base/result.h"
#include "base/workers.h"
#include "executor/checkpoint.h"
#include "executor/commit_schedule.h"
#include "executor/control.h"
#include "executor/file_system.h"
#include "executor/fullness_goal.h"
#include "executor/way.h"

namespace patina {

struct AgeSettings {
  Way way = way_of("", AgingMode::kUnbounded);
  DataMode data_mode = DataMode::kFallocate;
  double max_seconds = 0;  // 0: no limit
  std::string checkpoint_file;
  std::optional<Checkpoint> resume_from;
  std::string survivors_file;  // an operation log of the creates of the survivors
  std::string record_file;     // an operation log of the whole stream, also from before a resume
  double checkpoint_interval_s = 5;
  double sample_interval_s = 0.4;  // at least two a second, where the lanes keep up
  double layout_interval_s = 2;
};

// Carries the course out on `file_system`. Emits samples, layouts with the space beside them, and
// checkpoints; last the space and the summary. On a stop it carries out the queued operations and writes a
// checkpoint, and the summary's stop_reason is canceled. Errors: kNoSpace, kIoError, kReadOnly,
// kQuotaExceeded (the last checkpoint stays valid), kCheckpointInvalid.
Status age_file_system(Course& course, FileSystem& file_system, const AgeSettings& settings, EventSink& sink,
                       const Switches& switches);

struct AgeOptions {
  ForecastOptions forecast;  // capacity and block size come from the mount
  WorkloadRequest workload;  // in place of a profile
  std::string mount;
  std::string resume_file;
  FullnessOf fullness_of = FullnessOf::kFiles;
  AgingMode mode = AgingMode::kFaithful;
  WayChanges way_changes;
  std::optional<double> compressible_fraction;  // of data written into files; the data mode sets the default
  AgeSettings settings;                         // without the way, which depends on the mode
};

// Emits hello and plan, or workload, before these events. Errors: also kMountUnusable, kProfileInvalid,
// kProfileDoesNotFit, kLogInvalid, kUsage.
Status run_age(const AgeOptions& options, EventSink& sink, const Switches& switches);

}  // namespace patina
