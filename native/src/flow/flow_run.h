// What the threads of a running workload share.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "executor/lane.h"
#include "flow/file_set.h"
#include "flow/flow_gates.h"
#include "flow/latency.h"
#include "personality/personality.h"

namespace patina {

// Figures of one operation of one thread. The thread alone writes them; the totals are read while it runs.
struct FlowFigures {
  LatencyHistogram latency;  // with `bytes` without what was done during the warm-up
  uint64_t bytes = 0;
  uint64_t all_count = 0;  // with the warm-up, for limits and ends
  uint64_t all_bytes = 0;
};

// Totals of a thread, read by others while it runs.
struct alignas(64) FlowTotals {
  std::atomic<uint64_t> ops_count{0};
  std::atomic<uint64_t> io_count{0};  // reads and writes
  std::atomic<uint64_t> read_bytes{0};
  std::atomic<uint64_t> written_bytes{0};

  // Only the thread itself adds.
  static void add(std::atomic<uint64_t>& total, uint64_t value) {
    total.store(total.load(std::memory_order_relaxed) + value, std::memory_order_relaxed);
  }
};

struct FlowRun {
  FlowRun(const Personality& of, uint64_t with_seed) : personality(of), seed(with_seed), buffer(with_seed) {}

  void request_stop();

  const Personality& personality;
  const uint64_t seed;
  const WriteBuffer buffer;
  std::vector<std::unique_ptr<FileSet>> file_sets;
  EventRate events;
  Failure failure;
  std::atomic<bool> stop{false};
  std::atomic<bool> is_measured{true};  // false during the warm-up
  std::atomic<size_t> running_count{0};
  // By the names of operations; complete before the first thread begins.
  std::multimap<std::string, std::unique_ptr<FlowSemaphore>, std::less<>> semaphores;
  std::multimap<std::string, std::unique_ptr<FlowBlock>, std::less<>> blocks;
};

}  // namespace patina
