// The threads of a capture or restore, and their progress.
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

// Returns `asked`, or the number of cores that this process may use when it is 0.
int worker_count(int asked);

// Runs `work` on `threads` threads, including the calling one. The first error of any is the result; the
// others see `halt` and return.
Status run_workers(int threads, const std::function<Status(std::atomic<bool>& halt)>& work);

// Reports at most four times a second, and on each report().
class ImageProgress {
 public:
  ImageProgress(EventSink& sink, std::string command, uint64_t total_bytes);

  // kCanceled once stdout is closed. Safe from several threads.
  Status add(uint64_t bytes);
  // Raises progress to `done_bytes`: skipped work counts as done.
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
