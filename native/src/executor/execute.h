// The executor: carries a plan's operations out on a file system, by several lanes at once.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "executor/file_system.h"
#include "executor/lane.h"
#include "model/plan.h"

namespace patina {

// Returns the lane of each directory, so that the lanes' expected loads are even. A file's create and delete
// are of one directory, hence of one lane, hence in order.
std::vector<uint16_t> spread_directories(const Forecast& forecast, const DirectoryTree& tree,
                                         int lanes_count);

class Executor {
 public:
  // The file system outlives the executor.
  Executor(FileSystem& file_system, std::vector<uint16_t> lane_of_directory, int lanes_count,
           const WritebackRule& writeback = {});

  // Passes operations to the lanes; waits while a lane's queue is full. A directory is made after all
  // operations before it and before all after it; the lanes get new directories in turn. Does nothing after a
  // failure.
  void submit(std::span<const Operation> ops);
  // Passes incomplete batches to the lanes.
  void flush();
  // flush(), then waits until everything submitted has been carried out, or a lane has failed.
  void drain();
  // Call after drain() and a sync: all files are written back, and the space of deleted files is free.
  void end_writeback_batch();

  uint64_t executed_count() const;
  uint64_t no_space_count() const;
  uint64_t given_up_count() const;
  // Returns the first error that stopped a lane; after it all lanes discard their operations.
  std::optional<Error> failure() const { return failure_.get(); }

  // Returns a place in the stream, reached once every operation submitted before has been carried out.
  std::vector<uint64_t> mark();
  bool reached(const std::vector<uint64_t>& mark) const;

 private:
  void make_directory(const Operation& op);

  FileSystem& file_system_;
  std::vector<uint16_t> lane_of_directory_;
  uint64_t made_count_ = 0;  // directories
  Failure failure_;
  std::vector<Batch> gathering_;  // by lane
  std::vector<uint64_t> submitted_;
  std::vector<std::unique_ptr<Lane>> lanes_;
};

}  // namespace patina
