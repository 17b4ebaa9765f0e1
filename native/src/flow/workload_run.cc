// Reads the personality, makes its files, runs its threads, reports.
#include "flow/workload_run.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>
#include <system_error>
#include <thread>
#include <vector>

#include "base/descriptor.h"
#include "base/gate.h"
#include "base/small_file.h"
#include "base/stopwatch.h"
#include "executor/file_system.h"
#include "executor/mount_root.h"
#include "flow/flow_run.h"
#include "flow/flow_thread.h"
#include "flow/workload_report.h"
#include "layout/settled_mount.h"
#include "personality/builtin.h"
#include "personality/personality_reader.h"
#include "personality/scale.h"

namespace patina {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFolder = "patina-workload";
constexpr const char* kLimitsFile = ".limits";  // in the folder
constexpr uint64_t kNoLimit = UINT64_MAX;
constexpr auto kPoll = std::chrono::milliseconds(2);
constexpr double kReportS = 1;
constexpr double kMostSamples = 200;
constexpr double kLeastSampleS = 0.05;

struct SpecText {
  std::string name;
  std::string file;  // in errors
  std::string text;
};

Result<SpecText> text_of(const std::string& spec) {
  std::string names;
  for (const BuiltinPersonality& builtin : builtin_personalities()) {
    if (spec == builtin.name) return SpecText{spec, fmt::format("{}.f", spec), std::string(builtin.text)};
    if (!names.empty()) names.append(", ");
    names.append(builtin.name);
  }
  if (spec.find('/') == std::string::npos && access(spec.c_str(), F_OK) != 0) {
    return Error{
        ErrorCode::kWorkloadInvalid,
        fmt::format("there is no workload '{}' and no file of that name; built in are {}", spec, names)};
  }
  Result<std::string> text =
      read_small_file(spec, kMaxPersonalityBytes, ErrorCode::kWorkloadInvalid, "the workload");
  if (!text) return text.error();
  const std::string file = spec.substr(spec.rfind('/') + 1);
  return SpecText{file.ends_with(".f") ? file.substr(0, file.size() - 2) : file, file, std::move(*text)};
}

// Half of what is free: the files grow while the workload runs.
ScaleLimits free_limits(int mount_fd) {
  ScaleLimits limits;
  struct statvfs shape{};
  if (fstatvfs(mount_fd, &shape) != 0) return limits;
  limits.bytes = uint64_t{shape.f_bavail} * shape.f_frsize / 2;
  if (shape.f_files > 0) limits.inodes = shape.f_favail / 2;
  return limits;
}

Result<Descriptor> open_folder(int mount_fd) {
  Descriptor folder(openat(mount_fd, kFolder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (folder.valid()) return folder;
  return Error{ErrorCode::kMountUnusable,
               fmt::format("cannot open the folder '{}' of the workload: {}; allocate its files first",
                           kFolder, std::strerror(errno))};
}

// The limits of an allocation, for a later run: the allocated files have taken free space since then.
Status save_limits(int folder_fd, const ScaleLimits& limits) {
  const std::string text =
      fmt::format("{} {}\n", limits.bytes.value_or(kNoLimit), limits.inodes.value_or(kNoLimit));
  const Descriptor file(openat(folder_fd, kLimitsFile, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
  if (file.valid() && write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()))
    return ok_status();
  return Error{file_system_error(errno),
               fmt::format("cannot write '{}/{}': {}", kFolder, kLimitsFile, std::strerror(errno))};
}

Result<ScaleLimits> saved_limits(int mount_fd) {
  Result<Descriptor> folder = open_folder(mount_fd);
  if (!folder) return folder.error();
  const Descriptor file(openat(folder->get(), kLimitsFile, O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  char text[64] = {};
  uint64_t bytes = kNoLimit;
  uint64_t inodes = kNoLimit;
  if (!file.valid() || read(file.get(), text, sizeof text - 1) <= 0 ||
      std::sscanf(text, "%" SCNu64 " %" SCNu64, &bytes, &inodes) != 2) {
    return Error{ErrorCode::kMountUnusable,
                 fmt::format("cannot read '{}/{}'; allocate the files first, also without --files and --fit",
                             kFolder, kLimitsFile)};
  }
  ScaleLimits limits;
  if (bytes != kNoLimit) limits.bytes = bytes;
  if (inodes != kNoLimit) limits.inodes = inodes;
  return limits;
}

Status sync_all(int mount_fd) {
  const int error = sync_mount(mount_fd);
  if (error == 0) return ok_status();
  return Error{file_system_error(error),
               fmt::format("cannot sync the file system: {}", std::strerror(error))};
}

class WorkloadRun {
 public:
  WorkloadRun(const WorkloadRunOptions& options, EventSink& sink, const std::atomic<bool>& stop,
              Personality personality)
      : options_(options),
        sink_(sink),
        stop_(stop),
        personality_(std::move(personality)),
        run_(personality_, options.seed) {
    uint64_t seed = options.seed;
    for (const FileSetSpec& spec : personality_.file_sets)
      run_.file_sets.push_back(std::make_unique<FileSet>(spec, ++seed));
    for (const std::unique_ptr<FileSet>& set : run_.file_sets) allocated_bytes_ += set->allocated_bytes();
  }

  bool announce(double scale_fraction) {
    return sink_.emit(personality_event(personality_, run_, scale_fraction));
  }

  // `saved`: what a later run of the files alone has to know.
  Status allocate(int mount_fd, const std::optional<ScaleLimits>& saved) {
    if (mkdirat(mount_fd, kFolder, 0755) != 0) {
      if (errno == EEXIST) {
        return Error{
            ErrorCode::kMountUnusable,
            fmt::format("'{}' contains the folder '{}' of an earlier workload; roll the device back first",
                        options_.mount, kFolder)};
      }
      return Error{file_system_error(errno),
                   fmt::format("cannot make the folder '{}': {}", kFolder, std::strerror(errno))};
    }
    Result<Descriptor> folder = open_folder(mount_fd);
    if (!folder) return folder.error();
    if (saved) {
      if (Status kept = save_limits(folder->get(), *saved); !kept) return kept;
    }
    const Stopwatch watch;
    uint64_t done_bytes = 0;
    double reported_s = 0;
    const auto progress = [&](uint64_t bytes) {
      done_bytes += bytes;
      if (watch.elapsed_s() - reported_s < kReportS) return !stop_.load();
      reported_s = watch.elapsed_s();
      return sink_.emit(allocate_event(done_bytes, allocated_bytes_, reported_s)) && !stop_;
    };
    for (const std::unique_ptr<FileSet>& set : run_.file_sets) {
      if (Status made = set->allocate(folder->get(), run_.buffer, progress); !made) return made;
    }
    if (Status synced = sync_all(mount_fd); !synced) return synced;
    allocate_s_ = watch.elapsed_s();
    return ok_status();
  }

  Status take_over(int mount_fd) {
    Result<Descriptor> folder = open_folder(mount_fd);
    if (!folder) return folder.error();
    for (const std::unique_ptr<FileSet>& set : run_.file_sets) {
      if (Status taken = set->take_over(folder->get()); !taken) return taken;
    }
    return ok_status();
  }

  Status run(int mount_fd) {
    make_threads();
    const double limit_s =
        options_.seconds.value_or(personality_.end_mode == EndMode::kTimeout ? personality_.run_s : 0);
    std::atomic<bool> may_begin{false};
    std::vector<std::jthread> threads;
    run_.running_count = threads_.size();
    start(threads, may_begin);
    run_.is_measured = options_.warm_up_s <= 0;
    const Stopwatch watch;
    run_.events.start(personality_.events_per_s.expected());
    may_begin = true;
    may_begin.notify_all();
    Gates::of_environment().pass("workload.run", stop_);
    const bool read_on = run_.failure.happened() || watch_threads(watch, limit_s);
    const bool is_done = run_.running_count == 0 || run_.stop;
    run_.request_stop();
    threads.clear();                                            // joins
    if (!run_.is_measured) begin_measuring(watch.elapsed_s());  // it ended while it warmed up
    elapsed_s_ = watch.elapsed_s() - measured_from_s_;
    sample_last(elapsed_s_);
    if (std::optional<Error> error = run_.failure.get()) return *error;
    if (stop_ || !read_on) return Error{ErrorCode::kCanceled, "stopped while the workload ran"};
    ended_ = is_done ? "done" : "time";
    const Stopwatch sync_watch;
    if (Status synced = sync_all(mount_fd); !synced) return synced;
    sync_s_ = sync_watch.elapsed_s();
    return ok_status();
  }

  bool report() {
    WorkloadFigures figures{personality_, run_, threads_, samples_};
    figures.seed = options_.seed;
    figures.preallocated_bytes = allocated_bytes_;
    figures.allocate_s = allocate_s_;
    figures.warm_up_s = measured_from_s_;
    figures.elapsed_s = elapsed_s_;
    figures.sync_s = sync_s_;
    figures.ended = ended_;
    return sink_.emit(summary_event(figures));
  }

 private:
  // Starts the threads, which wait for `may_begin`. Stops the run where there cannot be so many.
  void start(std::vector<std::jthread>& threads, const std::atomic<bool>& may_begin) {
    threads.reserve(threads_.size());
    try {
      for (const std::unique_ptr<FlowThread>& thread : threads_) {
        threads.emplace_back([&may_begin, thread = thread.get()] {
          may_begin.wait(false);
          thread->work();
        });
      }
    } catch (const std::system_error& error) {
      run_.failure.set({ErrorCode::kIoError, fmt::format("cannot start thread {} of {}: {}",
                                                         threads.size() + 1, threads_.size(), error.what())});
      run_.request_stop();
    }
  }

  void make_threads() {
    uint64_t number = 0;
    for (const ProcessSpec& process : personality_.processes) {
      for (uint32_t i = 0; i < process.instances_count; ++i) {
        std::vector<FlowThread*> together;
        for (const ThreadSpec& thread : process.threads) {
          for (uint32_t j = 0; j < thread.instances_count; ++j) {
            threads_.push_back(std::make_unique<FlowThread>(run_, thread, number++));
            together.push_back(threads_.back().get());
          }
        }
        for (FlowThread* thread : together) thread->set_process({together.begin(), together.end()});
      }
    }
  }

  // Returns once the time is over, the threads have ended, or a stop is asked for; false when stdout is
  // closed.
  bool watch_threads(const Stopwatch& watch, double limit_s) {
    interval_s_ = std::max((limit_s > 0 ? limit_s : 60) / kMostSamples, kLeastSampleS);
    const double whole_s = limit_s > 0 ? options_.warm_up_s + limit_s : 0;
    double next_sample_s = interval_s_;
    double next_report_s = kReportS;
    while (run_.running_count > 0 && !run_.stop && !stop_) {
      std::this_thread::sleep_for(kPoll);
      const double now_s = watch.elapsed_s();
      if (!run_.is_measured && now_s >= options_.warm_up_s) begin_measuring(now_s);
      if (run_.is_measured && now_s - measured_from_s_ >= next_sample_s) {
        sample(now_s - measured_from_s_);
        next_sample_s = now_s - measured_from_s_ + interval_s_;
      }
      if (now_s >= next_report_s) {
        next_report_s += kReportS;
        if (!sink_.emit(run_event(threads_, now_s, whole_s))) return false;
      }
      if (limit_s > 0 && run_.is_measured && now_s - measured_from_s_ >= limit_s) break;
    }
    return true;
  }

  void begin_measuring(double now_s) {
    measured_from_s_ = now_s;
    ops_before_count_ = ops_count();
    run_.is_measured = true;
  }

  uint64_t ops_count() const {
    uint64_t count = 0;
    for (const std::unique_ptr<FlowThread>& thread : threads_) {
      count += thread->totals().ops_count.load(std::memory_order_relaxed);
    }
    return count;
  }

  // `now_s`: measured time.
  void sample(double now_s) { samples_.push_back({now_s, ops_count() - ops_before_count_}); }

  // The pace in a very short last interval, in which the threads end, would mean nothing.
  void sample_last(double now_s) {
    if (!samples_.empty() && now_s - samples_.back().elapsed_s < interval_s_ / 2) samples_.pop_back();
    sample(now_s);
  }

  const WorkloadRunOptions& options_;
  EventSink& sink_;
  const std::atomic<bool>& stop_;
  Personality personality_;
  FlowRun run_;
  uint64_t allocated_bytes_ = 0;
  std::vector<std::unique_ptr<FlowThread>> threads_;
  std::vector<PaceSample> samples_;
  double interval_s_ = kLeastSampleS;  // of samples
  double allocate_s_ = 0;
  double measured_from_s_ = 0;
  uint64_t ops_before_count_ = 0;
  double elapsed_s_ = 0;
  double sync_s_ = 0;
  const char* ended_ = "";
};

}  // namespace

Status run_workload(const WorkloadRunOptions& options, EventSink& sink, const std::atomic<bool>& stop) {
  const Error canceled{ErrorCode::kCanceled, "stopped before the workload had begun"};
  if (!sink.emit(hello_event("workload")) || stop) return canceled;
  Result<SpecText> spec = text_of(options.spec);
  if (!spec) return spec.error();
  Descriptor mount;
  if (options.stage != WorkloadStage::kDescribe) {
    Result<Descriptor> opened = open_mount_root(options.mount);
    if (!opened) return opened.error();
    mount = std::move(*opened);
  }
  ScaleLimits limits{options.files_count, options.fit_bytes, std::nullopt};
  std::optional<ScaleLimits> usual;
  if (mount.valid() && !limits.files_count && !limits.bytes) {
    Result<ScaleLimits> found =
        options.stage == WorkloadStage::kRun ? saved_limits(mount.get()) : free_limits(mount.get());
    if (!found) return found.error();
    limits = *found;
    if (options.stage == WorkloadStage::kAllocate) usual = limits;
  }
  Result<ScaledPersonality> scaled = read_scaled(spec->text, spec->file, limits);
  if (!scaled) return scaled.error();
  scaled->personality.name = spec->name;
  raise_file_limit();
  WorkloadRun workload(options, sink, stop, std::move(scaled->personality));
  if (!workload.announce(scaled->scale_fraction)) return canceled;
  if (options.stage == WorkloadStage::kDescribe) return ok_status();
  Status done = options.stage == WorkloadStage::kRun ? workload.take_over(mount.get())
                                                     : workload.allocate(mount.get(), usual);
  if (done && options.stage != WorkloadStage::kAllocate) done = workload.run(mount.get());
  if (!done) return done;
  if (!workload.report()) return canceled;
  return ok_status();
}

}  // namespace patina
