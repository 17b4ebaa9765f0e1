// A stack under a lock, and the count of waiting walkers.
#include "scan/directory_pool.h"

namespace patina {

void DirectoryPool::count_hungry() {
  const auto waiting = closed_ ? 0 : waiting_count_;
  hungry_.store(waiting - static_cast<int>(directories_.size()), std::memory_order_relaxed);
}

void DirectoryPool::put(UnreadDirectory directory) {
  const std::lock_guard<std::mutex> lock(mutex_);
  directories_.push_back(std::move(directory));
  count_hungry();
  changed_.notify_one();
}

std::optional<UnreadDirectory> DirectoryPool::take() {
  std::unique_lock<std::mutex> lock(mutex_);
  ++waiting_count_;
  if (waiting_count_ == walkers_count_ && directories_.empty()) closed_ = true;
  if (closed_) changed_.notify_all();
  count_hungry();
  changed_.wait(lock, [this] { return closed_ || !directories_.empty(); });
  --waiting_count_;
  if (closed_) return std::nullopt;
  UnreadDirectory directory = std::move(directories_.back());
  directories_.pop_back();
  count_hungry();
  return directory;
}

void DirectoryPool::close() {
  const std::lock_guard<std::mutex> lock(mutex_);
  closed_ = true;
  count_hungry();
  changed_.notify_all();
}

}  // namespace patina
