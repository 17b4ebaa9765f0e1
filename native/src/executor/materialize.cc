// Writes the surviving files in one pass.
#include "executor/materialize.h"

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>
#include <vector>

#include "executor/lane.h"
#include "model/file_name.h"

namespace patina {
namespace {

constexpr std::chrono::milliseconds kReportInterval{250};
constexpr std::chrono::milliseconds kPoll{5};

struct Shared {
  std::span<const Operation> files;
  std::atomic<size_t> next{0};
  std::atomic<uint64_t> done_bytes{0};
  std::atomic<int> running{0};
  std::atomic<bool> stop{false};
  Failure failure;
};

void work(FileSystem& file_system, Shared& shared) {
  while (!shared.stop && !shared.failure.happened()) {
    const size_t at = shared.next.fetch_add(1);
    if (at >= shared.files.size()) break;
    const Operation& file = shared.files[at];
    const int code = file_system.materialize(file);
    if (code != 0) {
      shared.failure.set(
          {file_system_error(code), fmt::format("cannot fill file '{}' in directory {}: {}",
                                                name_of(file).c_str(), file.directory, std::strerror(code))});
    }
    shared.done_bytes += file.bytes;
  }
  --shared.running;
}

}  // namespace

Status materialize(FileSystem& file_system, std::span<const Operation> files, int threads_count,
                   const std::function<bool(const MaterializeProgress&)>& progress) {
  Shared shared;
  shared.files = files;
  shared.running = threads_count;
  MaterializeProgress made;
  for (const Operation& file : files) made.total_bytes += file.bytes;
  bool read_on = progress(made);
  {
    std::vector<std::jthread> threads;
    threads.reserve(static_cast<size_t>(threads_count));
    for (int i = 0; i < threads_count; ++i) threads.emplace_back([&] { work(file_system, shared); });
    auto reported = std::chrono::steady_clock::now();
    while (shared.running > 0) {
      std::this_thread::sleep_for(kPoll);
      const auto now = std::chrono::steady_clock::now();
      if (now - reported < kReportInterval) continue;
      reported = now;
      made.done_bytes = shared.done_bytes;
      read_on = progress(made) && read_on;
      if (!read_on) shared.stop = true;
    }
  }
  if (std::optional<Error> error = shared.failure.get()) return *error;
  made.done_bytes = shared.done_bytes;
  if (!progress(made) || !read_on)
    return Error{ErrorCode::kCanceled, "stopped while the files were being filled"};
  return ok_status();
}

}  // namespace patina
