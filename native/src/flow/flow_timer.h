// Measures one operation.
#pragma once

#include <chrono>

#include "flow/flow_run.h"

namespace patina {

class FlowTimer {
 public:
  // Counts the operation. Adds the time since the timer was made, unless the run still warms up.
  void note(const FlowRun& run, FlowFigures& figures, uint64_t bytes = 0) const {
    ++figures.all_count;
    figures.all_bytes += bytes;
    if (!run.is_measured.load(std::memory_order_relaxed)) return;
    const auto elapsed = std::chrono::steady_clock::now() - started_;
    figures.latency.add(
        static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(elapsed).count()));
    figures.bytes += bytes;
  }

 private:
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
};

}  // namespace patina
