// Writes a lane's files back in batches, at fixed places of its stream, not by the clock.
#pragma once

#include <sched.h>

#include <cstdint>
#include <vector>

#include "base/random.h"
#include "base/result.h"
#include "executor/file_system.h"
#include "model/operation.h"

namespace patina {

struct WritebackRule {
  uint64_t interval_ops = 0;  // files are written back after each so many operations of a lane; 0: never
  // The space of deleted files becomes free after their batch's writeback, as after a commit; otherwise, and
  // without batches, at once.
  bool keeps_freed = false;
  // Each batch is written back on a processor drawn at random. ext4 places small files by processor, and in
  // years of use each writeback runs on any of them.
  bool on_any_processor = false;
};

class Writeback {
 public:
  Writeback(FileSystem& file_system, const WritebackRule& rule);

  // Call before an operation is carried out.
  void before(const Operation& op);
  // Call after it has been carried out or refused. Writes the batch back once it is complete.
  Status after(const Operation& op);
  // Frees the files deleted since the last writeback. False if there are none.
  bool release_freed();
  // Call after a sync that has written everything back.
  void end_batch();

 private:
  Status write_back();
  void move_to_any_processor();

  FileSystem& file_system_;
  const WritebackRule rule_;
  uint64_t ops_count_ = 0;  // of this and the next two: since the last writeback
  std::vector<Operation> written_;
  std::vector<Descriptor> kept_;
  cpu_set_t allowed_{};
  std::vector<int> processors_;  // in `allowed_`
  Random random_{1};
};

}  // namespace patina
