// A checkpoint: a tick up to which everything is durably done, and the plan that it belongs to.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "executor/file_system.h"
#include "model/forecast.h"

namespace patina {

// A horizon of the plan until a revision.
struct Leg {
  uint64_t horizon_ops_count = 0;
  uint64_t until_ops_count = 0;
};
// Bound on the revisions of one run.
inline constexpr size_t kMostLegs = 1000;

struct Checkpoint {
  uint64_t tick = 0;
  std::string stream_digest;  // of the operations up to tick
  std::string workload;       // empty: a profile's plan
  std::string profile_digest;
  uint64_t capacity_bytes = 0;
  uint64_t block_size_bytes = 0;
  double fullness = 0;
  double fullness_statfs = 0;  // the goal; 0: the fullness of the files is the goal
  uint64_t seed = 0;
  uint64_t horizon_ops_count = 0;
  std::vector<Leg> legs;  // before the current horizon, oldest first
  std::string budget;     // source of horizon_ops_count: budget_name, and its limit
  double budget_limit = 0;
  uint64_t asked_horizon_ops_count = 0;
  std::string size_draw;
  Mix mix;
  std::string data_mode;
  // Carried over a resume, so that a run reports its totals.
  uint64_t no_space_count = 0;
  uint64_t given_up_count = 0;
  double elapsed_s = 0;
};

Checkpoint checkpoint_of(const Forecast& forecast, DataMode mode);

// Writes it durably: temporary, write, fsync, rename, fsync of the folder. Error: kIoError.
Status write_checkpoint(const std::string& file, const Checkpoint& checkpoint);
// Error: kCheckpointInvalid.
Result<Checkpoint> read_checkpoint(const std::string& file);
// Checks that a checkpoint read belongs to this plan, at any horizon; kCheckpointInvalid names the
// difference.
Status match_checkpoint(const Checkpoint& read, const Checkpoint& plan);

}  // namespace patina
