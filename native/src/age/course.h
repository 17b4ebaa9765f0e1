// What an aging carries out: a plan made of a profile, a workload, or a recorded log of operations.
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

// Of a course that replaces files in rounds.
struct Rounds {
  uint64_t done;
  uint64_t total;
  bool is_between;  // no round is half done
};

// Pure, as the planner is: no clock, no aged file system, no thread. The same course gives the same stream of
// operations, so that it can be made again up to a checkpoint.
class Course {
 public:
  virtual ~Course() = default;

  // Makes as many of the next operations as fit; returns how many, 0 once finished.
  virtual Result<size_t> next(std::span<Operation> block) = 0;
  virtual bool finished() const = 0;
  virtual uint64_t tick() const = 0;
  // The tick at which it ends; 0 when nobody knows.
  virtual uint64_t horizon() const = 0;
  // What it is doing now, as its samples say.
  virtual const char* phase() const = 0;
  // Once it has come to its fullness; a block of `next` ends where a round does. Unset for other courses.
  virtual std::optional<Rounds> rounds() const { return std::nullopt; }
  // SHA-256, hex, of the tree and of every operation so far.
  virtual std::string stream_digest() const = 0;
  // The directories that there are now.
  virtual const DirectoryTree& tree() const = 0;
  // Which lane each of those belongs to, so that the lanes' expected loads are even. A file's operations are
  // of one directory, hence of one lane, hence in order.
  virtual std::vector<uint16_t> spread_directories(int lanes_count) const = 0;
  // Every live file as an operation would find it, by ordinal.
  virtual std::vector<Operation> live_files() const = 0;
  // Walks the tree and compares it with live_files(), one by one. Errors: those of the walk.
  virtual Result<DiskCheck> compare_with(FileSystem& file_system) const = 0;
  virtual uint64_t capacity_bytes() const = 0;
  virtual uint64_t block_size_bytes() const = 0;
  // Of the capacity, what the files are to leave free.
  virtual uint64_t planned_free_bytes() const = 0;

  // Goes on towards another horizon, in place of the present one. Error: kUsage, and nothing has changed.
  virtual Status aim(const Budget& budget, uint64_t horizon_ops_count) = 0;
  // The same, towards a horizon that it had before the checkpoint.
  virtual Status aim_again(uint64_t horizon_ops_count) = 0;
  // Whether the command line asks for another horizon than the checkpoint was made with, and aims at it.
  virtual bool asks_otherwise(const Checkpoint& checkpoint) const = 0;
  virtual Status aim_as_asked() = 0;

  // A checkpoint of now, but for what only the executor knows.
  virtual Checkpoint checkpoint(DataMode mode) const = 0;
  // The event that says what is going to be done.
  virtual nlohmann::ordered_json announcement() const = 0;
  // Makes a sample event of the state of now, once the measures are known.
  virtual std::function<nlohmann::ordered_json(const Measures&)> sample() const = 0;
  virtual nlohmann::ordered_json summary(const Measures& measures, const Outcome& outcome) const = 0;
  // Why it ended, once finished.
  virtual const char* stop_reason(const Measures& measures) const = 0;
};

}  // namespace patina
