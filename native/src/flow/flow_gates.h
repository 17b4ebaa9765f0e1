// How threads of a workload wait for each other: semaphores, blocks, and the rate of events.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace patina {

// The semaphore of a `semblock` in one thread.
class FlowSemaphore {
 public:
  // `high_water`: so many posts may be ahead of what is waited for.
  explicit FlowSemaphore(uint64_t high_water) : ahead_(high_water) {}

  // Waits for `count` posts. False: stopped.
  bool wait(uint64_t count, const std::atomic<bool>& stop);
  // With `blocking` waits until `count` posts more may be ahead. False: stopped.
  bool post(uint64_t count, bool blocking, const std::atomic<bool>& stop);
  void wake_all();

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  uint64_t posted_ = 0;
  uint64_t ahead_;
};

// A `block`: threads wait here for the next `wakeup`.
class FlowBlock {
 public:
  bool wait(const std::atomic<bool>& stop);
  void wake_all();

 private:
  std::mutex mutex_;
  std::condition_variable woken_;
  uint64_t wakes_count_ = 0;
};

// Events at a constant rate, shared by all threads. At most five seconds' worth wait to be taken.
class EventRate {
 public:
  // 0: without a limit.
  void start(double events_per_s);
  bool is_limited() const { return events_per_s_ > 0; }
  // Takes `count` events, and waits until the last of them has happened. False: stopped.
  bool take(double count, const std::atomic<bool>& stop);
  void wake_all();

 private:
  using Clock = std::chrono::steady_clock;

  double events_per_s_ = 0;
  Clock::time_point started_;
  std::mutex mutex_;
  std::condition_variable stopped_;
  double taken_ = 0;
};

}  // namespace patina
