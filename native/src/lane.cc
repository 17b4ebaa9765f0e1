// Carries out operations and survives a full file system.
#include "lane.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "file_name.h"

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

Lane::Lane(FileSystem& file_system, const std::vector<uint64_t>& file_bytes, Failure& failure)
    : file_system_(file_system), file_bytes_(file_bytes), failure_(failure), thread_([this] { run(); }) {}

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
    for (const PlanOp& op : batch) {
      // After a failure the rest is discarded, and counted so that nobody waits for it.
      if (failure_.happened()) break;
      execute(op);
    }
    finish_batch(batch.size());
  }
}

void Lane::finish_batch(size_t ops_count) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    done_count_.fetch_add(ops_count, std::memory_order_release);
  }
  changed_.notify_all();
}

void Lane::execute(const PlanOp& op) {
  ++executed_;
  if (op.is_delete()) {
    remove(op);
  } else {
    create(op);
  }
  if (!waiting_.empty()) expire_waiting();
}

void Lane::create(const PlanOp& op) {
  const int code = file_system_.create_file(op.directory, op.file(), file_bytes_[op.size_bin]);
  if (code == 0) {
    given_up_in_a_row_ = 0;
  } else if (code == ENOSPC) {
    no_space_count_.fetch_add(1, std::memory_order_relaxed);
    waiting_.push_back({op, executed_ + kNoSpacePatienceOps});
  } else {
    fail(code, "create", op);
  }
}

void Lane::remove(const PlanOp& op) {
  const auto never_made = std::find_if(waiting_.begin(), waiting_.end(), [&op](const Waiting& waiting) {
    return waiting.op.file() == op.file();
  });
  if (never_made != waiting_.end()) {
    waiting_.erase(never_made);
    return;
  }
  const int code = file_system_.remove_file(op.directory, op.file());
  if (code != 0) {
    fail(code, "remove", op);
  } else if (!waiting_.empty()) {
    retry_waiting();
  }
}

// A delete has made room, perhaps enough for the one that has waited longest.
void Lane::retry_waiting() {
  const PlanOp op = waiting_.front().op;
  const int code = file_system_.create_file(op.directory, op.file(), file_bytes_[op.size_bin]);
  if (code == ENOSPC) return;
  waiting_.pop_front();
  if (code == 0) {
    given_up_in_a_row_ = 0;
  } else {
    fail(code, "create", op);
  }
}

void Lane::expire_waiting() {
  while (!waiting_.empty() && (waiting_.front().deadline <= executed_ || waiting_.size() > kNoSpaceWaiting)) {
    const PlanOp op = waiting_.front().op;
    waiting_.pop_front();
    give_up(op);
  }
}

void Lane::give_up(const PlanOp& op) {
  if (++given_up_in_a_row_ >= kNoSpaceGivenUpInARow) fail(ENOSPC, "create", op);
}

void Lane::fail(int code, const char* verb, const PlanOp& op) {
  std::string message = fmt::format("cannot {} file '{}' in directory {}: {}", verb,
                                    FileName('f', op.file()).c_str(), op.directory, std::strerror(code));
  if (code == EOPNOTSUPP) message += "; this file system has no fallocate: take --data sparse or write";
  if (code == ENOSPC) {
    message += fmt::format("; {} creates were given up with no success between them", given_up_in_a_row_);
  }
  failure_.set({file_system_error(code), std::move(message)});
}

}  // namespace patina
