// The loop of an aging: plan a little, hand it over, look at the clocks and at the switches.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <nlohmann/json.hpp>
#include <thread>

#include "age.h"
#include "execute.h"
#include "report.h"
#include "stopwatch.h"

namespace patina {
namespace {

// Some milliseconds of work, seconds on a slow disk: how often the clocks and the switches are looked at.
constexpr size_t kBlockOps = 256;
constexpr std::chrono::milliseconds kPausePoll{20};
// A measurement of the layout may cost this share of the time at most.
constexpr double kLayoutShare = 0.02;

int threads_of(const AgeSettings& settings) {
  if (settings.threads_count > 0) return std::min(settings.threads_count, kMaxThreadsCount);
  return std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, 4);
}

class AgeRun {
 public:
  AgeRun(const Forecast& forecast, FileSystem& file_system, const AgeSettings& settings, EventSink& sink,
         const Switches& switches)
      : forecast_(forecast),
        file_system_(file_system),
        settings_(settings),
        sink_(sink),
        switches_(switches),
        planner_(forecast),
        executor_(file_system, spread_directories(forecast, planner_.tree(), threads_of(settings)),
                  threads_of(settings)),
        watch_(settings.resume_from ? settings.resume_from->elapsed_s : 0) {}

  Status run();

 private:
  // A sample taken of the model, to be sent once the lanes have come as far.
  struct PendingSample {
    PlanState state;
    std::vector<uint64_t> mark;
  };

  Status regenerate();
  Status age();
  Status look_at_clocks();
  Status wait_while_paused();
  void take_sample();
  void send_sample(const PlanState& state);
  void measure_layout();
  Status save_checkpoint();
  Status finish();
  Status failed(Error error) const;
  Measures measure(double ops_per_s) const;
  bool told_to_stop() const { return switches_.stop || !read_on_; }

  const Forecast& forecast_;
  FileSystem& file_system_;
  const AgeSettings& settings_;
  EventSink& sink_;
  const Switches& switches_;
  Planner planner_;
  Executor executor_;
  Stopwatch watch_;

  bool read_on_ = true;  // somebody reads the events
  const char* stop_reason_ = nullptr;
  uint64_t resumed_tick_ = 0;
  uint64_t resumed_no_space_count_ = 0;
  std::optional<uint64_t> durable_tick_;
  std::optional<PendingSample> pending_;
  double started_s_ = 0;
  double sampled_s_ = 0;
  uint64_t sampled_tick_ = 0;
  double next_layout_s_ = 0;
  double checkpointed_s_ = 0;
  bool layout_works_ = true;
};

// Plans what was durably done before, without carrying it out, and checks that it is the same stream.
Status AgeRun::regenerate() {
  if (!settings_.resume_from) return ok_status();
  const Checkpoint& checkpoint = *settings_.resume_from;
  Status matches = match_checkpoint(checkpoint, checkpoint_of(forecast_, settings_.data_mode));
  if (!matches) return matches;
  std::array<Operation, kBlockOps> block;
  while (planner_.tick() < checkpoint.tick) {
    const auto left = std::min<uint64_t>(checkpoint.tick - planner_.tick(), block.size());
    planner_.next(std::span(block).first(left));
    if (told_to_stop()) return Error{ErrorCode::kCanceled, "told to stop before the checkpoint was reached"};
  }
  if (planner_.stream_digest() != checkpoint.stream_digest) {
    return Error{ErrorCode::kCheckpointInvalid,
                 fmt::format("the checkpoint's digest of the first {} operations is not this plan's",
                             checkpoint.tick)};
  }
  resumed_tick_ = checkpoint.tick;
  resumed_no_space_count_ = checkpoint.no_space_count;
  return ok_status();
}

Status AgeRun::run() {
  Status regenerated = regenerate();
  if (!regenerated) return regenerated;
  Status made = file_system_.make_directories(planner_.tree());
  if (!made) return made;
  watch_.resume();
  started_s_ = sampled_s_ = checkpointed_s_ = watch_.elapsed_s();
  sampled_tick_ = resumed_tick_;
  next_layout_s_ = started_s_ + settings_.layout_interval_s;
  Status saved = save_checkpoint();
  if (!saved) return saved;
  Status aged = age();
  return aged ? finish() : aged;
}

Status AgeRun::age() {
  std::array<Operation, kBlockOps> block;
  while (!planner_.finished() && stop_reason_ == nullptr) {
    const size_t planned = planner_.next(block);
    executor_.submit(std::span(block).first(planned));
    if (std::optional<Error> error = executor_.failure()) return failed(*error);
    Status looked = look_at_clocks();
    if (!looked) return looked;
  }
  return ok_status();
}

Status AgeRun::look_at_clocks() {
  if (switches_.paused && !told_to_stop()) {
    Status paused = wait_while_paused();
    if (!paused) return paused;
  }
  const double now = watch_.elapsed_s();
  if (pending_ && executor_.reached(pending_->mark)) {
    send_sample(pending_->state);
    pending_.reset();
  } else if (!pending_ && now - sampled_s_ >= settings_.sample_interval_s) {
    take_sample();
  }
  if (layout_works_ && now >= next_layout_s_) measure_layout();
  if (!settings_.checkpoint_file.empty() && now - checkpointed_s_ >= settings_.checkpoint_interval_s) {
    Status saved = save_checkpoint();
    if (!saved) return saved;
  }
  if (settings_.max_seconds > 0 && now - started_s_ >= settings_.max_seconds) stop_reason_ = "time_reached";
  if (told_to_stop()) stop_reason_ = "canceled";
  return ok_status();
}

Status AgeRun::wait_while_paused() {
  executor_.drain();
  Status saved = save_checkpoint();
  if (!saved) return saved;
  watch_.pause();
  while (switches_.paused && !told_to_stop()) std::this_thread::sleep_for(kPausePoll);
  watch_.resume();
  return ok_status();
}

void AgeRun::take_sample() {
  pending_ = PendingSample{planner_.state(), executor_.mark()};
}

void AgeRun::send_sample(const PlanState& state) {
  const double now = watch_.elapsed_s();
  const double rate =
      now > sampled_s_ ? static_cast<double>(state.tick - sampled_tick_) / (now - sampled_s_) : 0;
  read_on_ = sink_.emit(sample_event(forecast_, state, measure(rate))) && read_on_;
  sampled_s_ = now;
  sampled_tick_ = state.tick;
}

Measures AgeRun::measure(double ops_per_s) const {
  Measures measures;
  measures.elapsed_s = watch_.elapsed_s();
  measures.ops_per_s = ops_per_s;
  measures.no_space_count = resumed_no_space_count_ + executor_.no_space_count();
  const double active_s = measures.elapsed_s - started_s_;
  const uint64_t executed = executor_.executed_count();
  if (active_s > 0 && executed > 0) {
    const double left = static_cast<double>(planner_.horizon() - resumed_tick_ - executed);
    measures.eta_s = left / (static_cast<double>(executed) / active_s);
  }
  Result<uint64_t> used = file_system_.used_bytes();
  if (used) {
    measures.fullness_statfs =
        static_cast<double>(*used) / static_cast<double>(forecast_.request.capacity_bytes);
  }
  return measures;
}

void AgeRun::measure_layout() {
  const double before = watch_.elapsed_s();
  Result<FreeExtents> extents = file_system_.free_extents();
  const double after = watch_.elapsed_s();
  next_layout_s_ = after + std::max(settings_.layout_interval_s, (after - before) / kLayoutShare);
  if (!extents) {
    layout_works_ = false;
    return;
  }
  read_on_ =
      sink_.emit(layout_event(resumed_tick_ + executor_.executed_count(), after, *extents)) && read_on_;
}

// Beyond the sync everything up to the planner's tick is durable.
Status AgeRun::save_checkpoint() {
  if (settings_.checkpoint_file.empty()) return ok_status();
  executor_.drain();
  if (std::optional<Error> error = executor_.failure()) return failed(*error);
  if (const int code = file_system_.sync(); code != 0) {
    return failed({file_system_error(code), fmt::format("cannot sync the mount: {}", std::strerror(code))});
  }
  Checkpoint checkpoint = checkpoint_of(forecast_, settings_.data_mode);
  checkpoint.tick = planner_.tick();
  checkpoint.stream_digest = planner_.stream_digest();
  checkpoint.no_space_count = resumed_no_space_count_ + executor_.no_space_count();
  checkpoint.elapsed_s = watch_.elapsed_s();
  Status written = write_checkpoint(settings_.checkpoint_file, checkpoint);
  if (!written) return written;
  durable_tick_ = checkpoint.tick;
  checkpointed_s_ = watch_.elapsed_s();
  read_on_ = sink_.emit(checkpoint_event(checkpoint.tick, checkpointed_s_)) && read_on_;
  return ok_status();
}

// What was done after the last checkpoint may be lost with the file system; what came before it is not.
Status AgeRun::failed(Error error) const {
  if (durable_tick_) {
    error.message += fmt::format("; the checkpoint at operation {} stands, resume from it", *durable_tick_);
  }
  return error;
}

Status AgeRun::finish() {
  executor_.drain();
  if (std::optional<Error> error = executor_.failure()) return failed(*error);
  const double elapsed_s = watch_.elapsed_s();
  const PlanState state = planner_.state();
  if (pending_ || state.tick > sampled_tick_) send_sample(state);
  // Blocks of deleted files become free at the commit; the last layout shall see them.
  if (const int code = file_system_.sync(); code != 0) {
    return failed({file_system_error(code), fmt::format("cannot sync the mount: {}", std::strerror(code))});
  }
  Status saved = save_checkpoint();
  if (!saved) return saved;

  Outcome outcome;
  outcome.command = "age";
  outcome.stop_reason = stop_reason_ != nullptr ? stop_reason_ : horizon_stop_reason(forecast_);
  outcome.data_mode = data_mode_name(settings_.data_mode);
  outcome.threads_count = threads_of(settings_);
  outcome.plan_digest = planner_.stream_digest();
  if (Result<FreeExtents> extents = file_system_.free_extents()) outcome.free_extents = *extents;
  Measures measures = measure(elapsed_s > 0 ? static_cast<double>(state.tick) / elapsed_s : 0);
  measures.elapsed_s = elapsed_s;
  sink_.emit(summary_event(forecast_, state, measures, outcome));
  return ok_status();
}

}  // namespace

Status age_file_system(const Forecast& forecast, FileSystem& file_system, const AgeSettings& settings,
                       EventSink& sink, const Switches& switches) {
  return AgeRun(forecast, file_system, settings, sink, switches).run();
}

}  // namespace patina
