// Course of an aging: a profile's plan, a workload, or an operation log.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "age/report.h"
#include "base/result.h"
#include "executor/checkpoint.h"
#include "executor/disk_check.h"
#include "executor/file_system.h"
#include "model/directory_tree.h"
#include "model/forecast.h"
#include "model/operation.h"

namespace patina {

// Progress of a course that replaces files in rounds.
struct Rounds {
  uint64_t done;
  uint64_t total;
  bool is_between;  // no round is half done
};

// Pure, as the planner is: it uses no clock, aged file system or thread. The same course gives the same
// stream of operations, so that a resume can make it again up to a checkpoint.
class Course {
 public:
  virtual ~Course() = default;

  // Makes as many of the next operations as fit; returns how many, 0 once finished.
  virtual Result<size_t> next(std::span<Operation> block) = 0;
  virtual bool finished() const = 0;
  virtual uint64_t tick() const = 0;
  // Returns the tick at which it ends; 0: unknown.
  virtual uint64_t horizon() const = 0;
  // Returns the current phase, as in its samples.
  virtual const char* phase() const = 0;
  // Returns the rounds once it has reached its fullness; a block of `next` ends where a round does. Unset for
  // other courses.
  virtual std::optional<Rounds> rounds() const { return std::nullopt; }
  // Returns the SHA-256, hex, of the tree and of every operation so far.
  virtual std::string stream_digest() const = 0;
  // Returns the current directories.
  virtual const DirectoryTree& tree() const = 0;
  // Returns the lane of each of those, so that the lanes' expected loads are even. A file's operations are of
  // one directory, hence of one lane, hence in order.
  virtual std::vector<uint16_t> spread_directories(int lanes_count) const = 0;
  // Returns every live file as an operation would find it, by ordinal.
  virtual std::vector<Operation> live_files() const = 0;
  // Walks the tree and compares it with live_files(), one by one. Errors: those of the walk.
  virtual Result<DiskCheck> compare_with(FileSystem& file_system) const = 0;
  virtual uint64_t capacity_bytes() const = 0;
  virtual uint64_t block_size_bytes() const = 0;
  // Returns the part of the capacity that the files are to leave free.
  virtual uint64_t planned_free_bytes() const = 0;

  // Replaces the horizon. Error: kUsage, and nothing has changed.
  virtual Status aim(const Budget& budget, uint64_t horizon_ops_count) = 0;
  // The same, with a horizon from before the checkpoint.
  virtual Status aim_again(uint64_t horizon_ops_count) = 0;
  // Report whether the command line requests another horizon than the checkpoint's, and aim at it.
  virtual bool asks_otherwise(const Checkpoint& checkpoint) const = 0;
  virtual Status aim_as_asked() = 0;

  // Returns a checkpoint of now, without the executor's figures.
  virtual Checkpoint checkpoint(DataMode mode) const = 0;
  // Returns the event that announces the course.
  virtual nlohmann::ordered_json announcement() const = 0;
  // Returns a function that makes a sample event of the current state from the measures.
  virtual std::function<nlohmann::ordered_json(const Measures&)> sample() const = 0;
  virtual nlohmann::ordered_json summary(const Measures& measures, const Outcome& outcome) const = 0;
  // Returns why it ended, once finished.
  virtual const char* stop_reason(const Measures& measures) const = 0;
};

}  // namespace patina
