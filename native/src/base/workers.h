// The threads of a capture or restore, and how far they have come.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>

#include "base/event.h"
#include "base/result.h"

namespace patina {

inline constexpr int kMaxThreadsCount = 64;

// `asked` threads, or as many as this process may use cores when it is 0.
int worker_count(int asked);

// Runs `work` on `threads` threads, of which the calling one is one. The first error of any is the result;
// the others see `halt` and leave.
Status run_workers(int threads, const std::function<Status(std::atomic<bool>& halt)>& work);

// Reports at most four times a second, and whenever it is told to report().
class ImageProgress {
 public:
  ImageProgress(EventSink& sink, std::string command, uint64_t total_bytes);

  // kCanceled once nobody reads the events. Safe from several threads.
  Status add(uint64_t bytes);
  // At least so far: what did not have to be done counts as done.
  Status reach(uint64_t done_bytes);
  Status report();
  double elapsed_s() const;

 private:
  bool emit();  // with mutex_ held

  EventSink& sink_;
  const std::string command_;
  const uint64_t total_bytes_;
  const std::chrono::steady_clock::time_point started_;
  std::mutex mutex_;
  std::chrono::steady_clock::time_point reported_;
  uint64_t done_bytes_ = 0;
};

}  // namespace patina
