// The way of each mode of aging on each kind of file system.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>

#include "base/event.h"
#include "base/result.h"
#include "executor/commit_schedule.h"
#include "executor/writeback.h"

namespace patina {

// kReference: files are written, written back and committed every few operations, as in years of use.
// kFaithful: the cheapest way found to the reference's layout (docs/design.md, "Ways to age"). kFast: fewer
// guarantees. kUnbounded: as fast tools do, with no bound on freed space that is not reusable yet.
enum class AgingMode { kFaithful, kFast, kReference, kUnbounded };
// Returns the name in JSON and on the command line: "faithful", "fast", "reference", "unbounded".
const char* aging_mode_name(AgingMode mode);

struct Way {
  const char* file_system;  // a name of file_system_kinds(), "" for every other
  AgingMode mode;
  bool writes_files;  // files are written, not allocated, independently of the data mode
  int threads_count;  // 0: as many as cores, up to 4
  WritebackRule writeback;
  CommitBounds commits;
  const char* mount_options;  // in addition to those of every aged file system
};

// Requested deviations from the mode's way.
struct WayChanges {
  int threads_count = 0;  // 0: as in the mode
  std::optional<uint64_t> write_back_ops;
  std::optional<uint64_t> sync_ops;
  std::optional<double> reuse_lag_fraction;
};
Way changed(const Way& way, const WayChanges& changes);

std::span<const Way> all_ways();
// `file_system`: as the kernel names it. A file system without rows uses the rows of "".
const Way& way_of(const std::string& file_system, AgingMode mode);

// Returns the JSON object of backend/patina/core/contract/way.py, class Way.
nlohmann::ordered_json way_json(const Way& way);

// Runs the command `modes`: emits an event `way` for each row.
Status run_modes(EventSink& sink);

}  // namespace patina
