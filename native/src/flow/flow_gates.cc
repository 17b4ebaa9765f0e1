// Waits of threads for each other.
#include "flow/flow_gates.h"

#include <algorithm>

namespace patina {
namespace {

constexpr double kMaxBacklogS = 5;
constexpr double kMostWaitS = 1e9;  // which a clock can still count

}  // namespace

bool FlowSemaphore::wait(uint64_t count, const std::atomic<bool>& stop) {
  std::unique_lock lock(mutex_);
  ahead_ += count;
  changed_.notify_all();
  changed_.wait(lock, [&] { return posted_ >= count || stop; });
  if (posted_ < count) return false;
  posted_ -= count;
  return true;
}

bool FlowSemaphore::post(uint64_t count, bool blocking, const std::atomic<bool>& stop) {
  std::unique_lock lock(mutex_);
  if (blocking) {
    changed_.wait(lock, [&] { return ahead_ >= count || stop; });
    if (ahead_ < count) return false;
    ahead_ -= count;
  }
  posted_ += count;
  changed_.notify_all();
  return true;
}

void FlowSemaphore::wake_all() {
  const std::lock_guard lock(mutex_);
  changed_.notify_all();
}

bool FlowBlock::wait(const std::atomic<bool>& stop) {
  std::unique_lock lock(mutex_);
  const uint64_t before = wakes_count_;
  woken_.wait(lock, [&] { return wakes_count_ != before || stop; });
  return !stop;
}

void FlowBlock::wake_all() {
  const std::lock_guard lock(mutex_);
  ++wakes_count_;
  woken_.notify_all();
}

void EventRate::start(double events_per_s) {
  events_per_s_ = events_per_s;
  started_ = Clock::now();
  taken_ = 0;
}

bool EventRate::take(double count, const std::atomic<bool>& stop) {
  if (!is_limited()) return true;
  std::unique_lock lock(mutex_);
  const double elapsed_s = std::chrono::duration<double>(Clock::now() - started_).count();
  taken_ = std::max(taken_, (elapsed_s - kMaxBacklogS) * events_per_s_) + count;
  const std::chrono::duration<double> due_s(std::min(taken_ / events_per_s_, kMostWaitS));
  const auto due = started_ + std::chrono::duration_cast<Clock::duration>(due_s);
  stopped_.wait_until(lock, due, [&stop] { return stop.load(); });
  return !stop;
}

void EventRate::wake_all() {
  const std::lock_guard lock(mutex_);
  stopped_.notify_all();
}

}  // namespace patina
