// Runs threads until the first error, and rations progress.
#include "base/workers.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>
#include <vector>

namespace patina {
namespace {

constexpr auto kReportEvery = std::chrono::milliseconds(250);
constexpr int kMaxThreads = 64;

}  // namespace

int worker_count(int asked) {
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  return std::clamp(asked > 0 ? asked : cores, 1, kMaxThreads);
}

Status run_workers(int threads, const std::function<Status(std::atomic<bool>& halt)>& work) {
  std::atomic<bool> halt{false};
  std::mutex mutex;
  std::optional<Error> first_error;
  const auto run_one = [&] {
    const Status status = work(halt);
    if (status.ok()) return;
    const std::lock_guard<std::mutex> lock(mutex);
    if (!first_error) first_error = status.error();
    halt.store(true);
  };
  {
    std::vector<std::jthread> others;
    others.reserve(static_cast<size_t>(threads));
    for (int i = 1; i < threads; ++i) others.emplace_back(run_one);
    run_one();
  }
  if (first_error) return *first_error;
  return ok_status();
}

ImageProgress::ImageProgress(EventSink& sink, std::string command, uint64_t total_bytes)
    : sink_(sink),
      command_(std::move(command)),
      total_bytes_(total_bytes),
      started_(std::chrono::steady_clock::now()),
      reported_(started_) {}

Status ImageProgress::add(uint64_t bytes) {
  const std::lock_guard<std::mutex> lock(mutex_);
  done_bytes_ += bytes;
  if (std::chrono::steady_clock::now() - reported_ < kReportEvery || emit()) return ok_status();
  return Error{ErrorCode::kCanceled, command_ + " stopped: stdout is closed"};
}

Status ImageProgress::reach(uint64_t done_bytes) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    done_bytes_ = std::max(done_bytes_, done_bytes);
  }
  return report();
}

Status ImageProgress::report() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (emit()) return ok_status();
  return Error{ErrorCode::kCanceled, command_ + " stopped: stdout is closed"};
}

bool ImageProgress::emit() {
  reported_ = std::chrono::steady_clock::now();
  return sink_.emit({{"type", "progress"},
                     {"command", command_},
                     {"done_bytes", done_bytes_},
                     {"total_bytes", total_bytes_},
                     {"elapsed_s", elapsed_s()}});
}

double ImageProgress::elapsed_s() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
}

}  // namespace patina
