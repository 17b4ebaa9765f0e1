// Runs the walkers, reports their progress, and emits their result.
#include "scan/scan.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/descriptor.h"
#include "base/stopwatch.h"
#include "base/workers.h"
#include "scan/scan_profile.h"

namespace patina {
namespace {

using Json = nlohmann::ordered_json;

// Longest delay of a stop.
constexpr std::chrono::milliseconds kPoll{20};

int64_t now_ns() {
  const auto since_1970 = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(since_1970).count();
}

struct Root {
  Descriptor handle;
  struct statx found;
};

Result<Root> open_root(const std::string& directory) {
  const auto refused = [&directory](int error_number) {
    return Error{ErrorCode::kTreeUnreadable,
                 fmt::format("cannot read the directory '{}': {}", directory, std::strerror(error_number))};
  };
  Root root{Descriptor(open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)), {}};
  if (!root.handle.valid()) return refused(errno);
  constexpr unsigned kMask = STATX_BASIC_STATS | STATX_MNT_ID;
  if (statx(root.handle.get(), "", AT_EMPTY_PATH, kMask, &root.found) != 0) return refused(errno);
  return root;
}

Json progress_event(const std::vector<std::unique_ptr<Walker>>& walkers, double elapsed_s) {
  const auto sum = [&walkers](std::atomic<uint64_t> WalkProgress::* figure) {
    uint64_t total = 0;
    for (const auto& walker : walkers) total += (walker->progress().*figure).load(std::memory_order_relaxed);
    return total;
  };
  return {{"type", "progress"},
          {"command", "scan"},
          {"files_count", sum(&WalkProgress::files_count)},
          {"directories_count", sum(&WalkProgress::directories_count)},
          {"bytes", sum(&WalkProgress::bytes)},
          {"unreadable_directories_count", sum(&WalkProgress::unreadable_directories_count)},
          {"unreadable_files_count", sum(&WalkProgress::unreadable_files_count)},
          {"elapsed_s", elapsed_s}};
}

const char* time_source_name(const ScanTally& tally) {
  if (tally.creation_time_files_count == tally.files_count) return "creation";
  return tally.creation_time_files_count == 0 ? "modification" : "mixed";
}

Json scan_event(const ScanTally& tally, bool complete, int threads_count, double elapsed_s) {
  const ScannedProfile profile = profile_of(tally);
  return {{"type", "scan"},
          {"complete", complete},
          {"threads_count", threads_count},
          {"elapsed_s", elapsed_s},
          {"files_count", tally.files_count},
          {"directories_count", tally.directories_count},
          {"bytes", tally.bytes},
          {"symlinks_count", tally.symlinks_count},
          {"special_files_count", tally.special_files_count},
          {"hard_links_count", tally.hard_links_count},
          {"untracked_links_count", tally.untracked_links_count},
          {"mount_points_count", tally.mount_points_count},
          {"unreadable_directories_count", tally.unreadable_directories_count},
          {"unreadable_files_count", tally.unreadable_files_count},
          {"unentered_directories_count", tally.unentered_directories_count},
          {"vanished_count", tally.vanished_count},
          {"time_source", time_source_name(tally)},
          {"creation_time_files_count", tally.creation_time_files_count},
          {"modification_time_files_count", tally.files_count - tally.creation_time_files_count},
          {"future_files_count", tally.future_files_count},
          {"oldest_age_s", static_cast<double>(tally.oldest_ns) / 1e9},
          {"deeper_files_count", tally.deeper_files_count},
          {"deeper_directories_count", tally.deeper_directories_count},
          {"oversized_files_count", profile.oversized_files_count},
          {"subdirs_scale_fraction", profile.subdirs_scale},
          {"profile", profile_json(profile)}};
}

// Runs every walker on a thread of its own; calls `watch` on the calling thread about every kPoll, and halts
// them once it returns false.
void run_walkers(Walk& walk, const std::vector<std::unique_ptr<Walker>>& walkers,
                 const std::function<bool()>& watch) {
  std::mutex mutex;
  std::condition_variable ended;
  size_t running_count = walkers.size();
  std::vector<std::jthread> threads;
  threads.reserve(walkers.size());
  for (const auto& walker : walkers) {
    threads.emplace_back([&, walker = walker.get()] {
      walker->work();
      const std::lock_guard<std::mutex> lock(mutex);
      --running_count;
      ended.notify_one();
    });
  }
  std::unique_lock<std::mutex> lock(mutex);
  while (!ended.wait_for(lock, kPoll, [&running_count] { return running_count == 0; })) {
    lock.unlock();
    if (!watch()) walk.halt = true;
    if (walk.halt) walk.pool.close();
    lock.lock();
  }
}

}  // namespace

Status run_scan(const ScanOptions& options, EventSink& sink, const std::atomic<bool>& stop) {
  const Error canceled{ErrorCode::kCanceled, "stopped before the tree was walked"};
  const Stopwatch watch;
  if (!sink.emit(hello_event("scan")) || stop) return canceled;
  Result<Root> root = open_root(options.directory);
  if (!root) return root.error();
  raise_file_limit();

  const int threads_count = worker_count(options.threads);
  Walk walk(root->found, now_ns(), threads_count, options.limits);
  std::vector<std::unique_ptr<Walker>> walkers;
  walkers.reserve(static_cast<size_t>(threads_count));
  for (int i = 0; i < threads_count; ++i) walkers.push_back(std::make_unique<Walker>(walk));
  walk.pool.put({std::move(root->handle), 0});

  double next_progress_s = options.progress_interval_ms / 1000.0;
  bool read_on = true;
  run_walkers(walk, walkers, [&] {
    const double now = watch.elapsed_s();
    if (now >= next_progress_s) {
      read_on = sink.emit(progress_event(walkers, now));
      next_progress_s = now + options.progress_interval_ms / 1000.0;
    }
    return read_on && !stop;
  });
  if (stop || !read_on) return canceled;

  ScanTally tally;
  tally.add_directory(0);
  for (const auto& walker : walkers) tally.add(walker->tally());
  if (tally.files_count == 0) {
    return Error{ErrorCode::kProfileInvalid,
                 fmt::format("no regular file was counted under '{}' ({} directories, {} unreadable), so "
                             "there is nothing to make a profile of",
                             options.directory, tally.directories_count, tally.unreadable_directories_count)};
  }
  const bool complete = walk.entries_count <= options.limits.entries_count;
  if (!sink.emit(scan_event(tally, complete, threads_count, watch.elapsed_s()))) return canceled;
  return ok_status();
}

}  // namespace patina
