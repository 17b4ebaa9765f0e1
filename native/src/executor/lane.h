// A lane: one thread that carries out its share of the operations, in order, from a bounded queue.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "base/result.h"
#include "executor/file_system.h"
#include "executor/writeback.h"
#include "model/operation.h"

namespace patina {

using Batch = std::vector<Operation>;
inline constexpr size_t kBatchOps = 64;  // makes the cost per batch negligible
inline constexpr size_t kQueuedBatches =
    6;  // evens out the lanes; also carried out after a stop, so few, for slow disks

// A create or an append refused with ENOSPC waits for deletes: for kNoSpacePatienceOps operations of its
// lane, at most kNoSpaceWaiting at once. Then it is given up. Other operations are given up at once: they
// only move bytes.
inline constexpr size_t kNoSpacePatienceOps = 4096;
inline constexpr size_t kNoSpaceWaiting = 256;
// After so many given up with no success between them the file system counts as full, and the run stops.
inline constexpr uint64_t kNoSpaceGivenUpInARow = 1024;

// The first error of any lane.
class Failure {
 public:
  void set(Error error);
  bool happened() const { return happened_.load(std::memory_order_acquire); }
  std::optional<Error> get() const;

 private:
  std::atomic<bool> happened_{false};
  mutable std::mutex mutex_;
  std::optional<Error> error_;
};

class Lane {
 public:
  Lane(FileSystem& file_system, Failure& failure, const WritebackRule& writeback);
  // Carries out the queued operations, then ends the thread.
  ~Lane();
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  // Waits while the queue is full.
  void push(Batch batch);
  // Waits until `ops_count` operations have been carried out, or any lane has failed.
  void wait_for(uint64_t ops_count);
  // Call after a sync that has written everything back, with no operation queued or being carried out.
  void end_writeback_batch() { writeback_.end_batch(); }
  uint64_t done_count() const { return done_count_.load(std::memory_order_acquire); }
  // Counts operations refused with ENOSPC, and those of them that were given up or still wait.
  uint64_t no_space_count() const { return no_space_count_.load(std::memory_order_relaxed); }
  uint64_t given_up_count() const { return given_up_count_.load(std::memory_order_relaxed) + waiting_count_; }

 private:
  struct Waiting {
    Operation op;
    uint64_t deadline;  // in operations of this lane
  };

  void run();
  void execute(const Operation& op);
  int carry_out(const Operation& op);
  bool follows_waiting(const Operation& op);
  void after(const Operation& op, int code);
  void retry_waiting();
  void expire_waiting();
  void give_up(const Operation& op);
  void fail(int code, const Operation& op);
  void finish_batch(size_t ops_count);

  FileSystem& file_system_;
  Failure& failure_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Batch> queue_;
  bool closed_ = false;
  std::atomic<uint64_t> done_count_{0};
  std::atomic<uint64_t> no_space_count_{0};
  std::atomic<uint64_t> given_up_count_{0};
  std::atomic<uint64_t> waiting_count_{0};

  // Used by the thread alone.
  uint64_t executed_ = 0;
  std::deque<Waiting> waiting_;  // refused with ENOSPC, oldest first
  uint64_t given_up_in_a_row_ = 0;
  Writeback writeback_;

  std::thread thread_;  // last: it uses all members above
};

}  // namespace patina
