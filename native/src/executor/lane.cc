// Carries out operations, and retries those that a full file system refuses.
#include "executor/lane.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "model/file_name.h"

namespace patina {
void Failure::set(Error error) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!error_) error_ = std::move(error);
  happened_.store(true, std::memory_order_release);
}

std::optional<Error> Failure::get() const {
  if (!happened()) return std::nullopt;
  const std::lock_guard<std::mutex> lock(mutex_);
  return error_;
}

Lane::Lane(FileSystem& file_system, Failure& failure, const WritebackRule& writeback)
    : file_system_(file_system),
      failure_(failure),
      writeback_(file_system, writeback),
      thread_([this] { run(); }) {}

Lane::~Lane() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    closed_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Lane::push(Batch batch) {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [this] { return queue_.size() < kQueuedBatches; });
  queue_.push_back(std::move(batch));
  lock.unlock();
  changed_.notify_all();
}

void Lane::wait_for(uint64_t ops_count) {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [this, ops_count] { return done_count() >= ops_count; });
}

void Lane::run() {
  for (;;) {
    Batch batch;
    {
      std::unique_lock<std::mutex> lock(mutex_);
      changed_.wait(lock, [this] { return closed_ || !queue_.empty(); });
      if (queue_.empty()) return;
      batch = std::move(queue_.front());
      queue_.pop_front();
    }
    changed_.notify_all();
    for (const Operation& op : batch) {
      // After a failure the rest is discarded, but counted, so that no waiter blocks.
      if (failure_.happened()) break;
      execute(op);
      if (Status written = writeback_.after(op); !written) failure_.set(written.error());
    }
    finish_batch(batch.size());
  }
}

void Lane::finish_batch(size_t ops_count) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    waiting_count_ = waiting_.size();
    done_count_.fetch_add(ops_count, std::memory_order_release);
  }
  changed_.notify_all();
}

void Lane::execute(const Operation& op) {
  ++executed_;
  if (waiting_.empty()) {
    after(op, carry_out(op));
    return;
  }
  if (!follows_waiting(op)) {
    const int code = carry_out(op);
    after(op, code);
    if (op.is_delete() && code == 0 && !waiting_.empty()) retry_waiting();
  }
  expire_waiting();
}

// Releases the deleted files that the lane keeps open before it reports ENOSPC.
int Lane::carry_out(const Operation& op) {
  writeback_.before(op);
  const int code = file_system_.carry_out(op);
  return code == ENOSPC && writeback_.release_freed() ? file_system_.carry_out(op) : code;
}

// Applies an operation on a file whose create still waits to that create.
bool Lane::follows_waiting(const Operation& op) {
  const auto found = std::find_if(waiting_.begin(), waiting_.end(),
                                  [&op](const Waiting& waiting) { return waiting.op.file == op.file; });
  if (found == waiting_.end()) return false;
  Operation& waiting = found->op;
  if (op.is_delete()) {
    const bool was_made = !waiting.is_create();
    waiting_.erase(found);
    return !was_made;
  }
  if (op.kind == OperationKind::kRename) waiting.renamed ^= 1U;
  if (!waiting.is_create()) return op.kind != OperationKind::kRename;
  if (op.kind == OperationKind::kAppend) waiting.place = 0;
  if (op.kind == OperationKind::kTruncate) waiting.place = op.place;
  return true;
}

void Lane::after(const Operation& op, int code) {
  if (code == 0) {
    if (op.is_create()) given_up_in_a_row_ = 0;
    return;
  }
  if (code != ENOSPC) {
    fail(code, op);
    return;
  }
  no_space_count_.fetch_add(1, std::memory_order_relaxed);
  if (op.is_create() || op.kind == OperationKind::kAppend) {
    waiting_.push_back({op, executed_ + kNoSpacePatienceOps});
  } else {
    give_up(op);
  }
}

// Retries the longest waiting operation, since a delete has freed space.
void Lane::retry_waiting() {
  const Operation op = waiting_.front().op;
  const int code = file_system_.carry_out(op);
  if (code == ENOSPC) return;
  waiting_.pop_front();
  if (code == 0) {
    given_up_in_a_row_ = 0;
  } else {
    fail(code, op);
  }
}

void Lane::expire_waiting() {
  while (!waiting_.empty() && (waiting_.front().deadline <= executed_ || waiting_.size() > kNoSpaceWaiting)) {
    const Operation op = waiting_.front().op;
    waiting_.pop_front();
    give_up(op);
  }
}

void Lane::give_up(const Operation& op) {
  given_up_count_.fetch_add(1, std::memory_order_relaxed);
  if (++given_up_in_a_row_ >= kNoSpaceGivenUpInARow) fail(ENOSPC, op);
}

void Lane::fail(int code, const Operation& op) {
  std::string message =
      fmt::format("cannot {} file '{}' in directory {}: {}", operation_kind_name(op.kind),
                  FileName(op.renamed == 0 ? 'f' : 'g', op.file).c_str(), op.directory, std::strerror(code));
  if (code == EOPNOTSUPP) message += "; this file system has no fallocate: take --data sparse or write";
  if (code == ENOSPC) {
    message += fmt::format("; {} operations were given up with no create between them", given_up_in_a_row_);
  }
  failure_.set({file_system_error(code), std::move(message)});
}

}  // namespace patina
