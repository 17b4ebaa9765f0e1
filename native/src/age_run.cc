// The loop of an aging: plan a little, hand it over, look at the clocks and at the switches.
#include "age_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <nlohmann/json.hpp>
#include <thread>

namespace patina {
namespace {

// Some milliseconds of work, seconds on a slow disk: how often the clocks and the switches are looked at.
constexpr size_t kBlockOps = 256;
constexpr std::chrono::milliseconds kPausePoll{20};
// A measurement of the layout may cost this share of the time at most.
constexpr double kLayoutShare = 0.02;

// The horizon that the plan began with, where it goes on from a checkpoint.
Forecast beginning_of(const Forecast& forecast, const std::optional<Checkpoint>& checkpoint) {
  if (!checkpoint) return forecast;
  Forecast first = forecast;
  first.request.horizon_ops_count =
      checkpoint->legs.empty() ? checkpoint->horizon_ops_count : checkpoint->legs.front().horizon_ops_count;
  const Turnover fresh{forecast.expected_files, forecast.request.mix.churn_fraction(), 0, {}};
  const Result<Forecast> begun = revise_forecast(first, fresh, 0);
  // One that is too short for this plan cannot be its own: match_checkpoint or the digest will say so.
  return begun ? *begun : forecast;
}

}  // namespace

int threads_of(const AgeSettings& settings) {
  if (settings.threads_count > 0) return std::min(settings.threads_count, kMaxThreadsCount);
  return std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, 4);
}

AgeRun::AgeRun(Forecast forecast, FileSystem& file_system, const AgeSettings& settings, EventSink& sink,
               const Switches& switches)
    : asked_budget_(forecast.request.budget),
      asked_horizon_ops_count_(forecast.request.horizon_ops_count),
      forecast_(beginning_of(forecast, settings.resume_from)),
      file_system_(file_system),
      settings_(settings),
      sink_(sink),
      switches_(switches),
      planner_(forecast_),
      executor_(file_system, spread_directories(forecast_, planner_.tree(), threads_of(settings)),
                threads_of(settings)),
      watch_(settings.resume_from ? settings.resume_from->elapsed_s : 0),
      max_seconds_(settings.max_seconds) {}

Status AgeRun::plan_until(uint64_t tick) {
  std::array<Operation, kBlockOps> block;
  while (planner_.tick() < std::min(tick, planner_.horizon())) {
    const auto left = std::min<uint64_t>(tick - planner_.tick(), block.size());
    planner_.next(std::span(block).first(left));
    if (told_to_stop()) return Error{ErrorCode::kCanceled, "told to stop before the checkpoint was reached"};
  }
  return ok_status();
}

// Plans what was durably done before, without carrying it out, and checks that it is the same stream.
Status AgeRun::regenerate() {
  if (!settings_.resume_from) return ok_status();
  const Checkpoint& checkpoint = *settings_.resume_from;
  Status matches = match_checkpoint(checkpoint, checkpoint_of(forecast_, settings_.data_mode));
  if (!matches) return matches;
  for (size_t i = 0; i < checkpoint.legs.size(); ++i) {
    const bool last = i + 1 == checkpoint.legs.size();
    Status planned = plan_until(checkpoint.legs[i].until_ops_count);
    if (!planned) return planned;
    Status set =
        set_course({}, last ? checkpoint.horizon_ops_count : checkpoint.legs[i + 1].horizon_ops_count);
    if (!set) return set;
  }
  Status planned = plan_until(checkpoint.tick);
  if (!planned) return planned;
  if (planner_.tick() != checkpoint.tick || planner_.stream_digest() != checkpoint.stream_digest) {
    return Error{ErrorCode::kCheckpointInvalid,
                 fmt::format("the checkpoint's digest of the first {} operations is not this plan's",
                             checkpoint.tick)};
  }
  resumed_tick_ = checkpoint.tick;
  resumed_no_space_count_ = checkpoint.no_space_count;
  resumed_given_up_count_ = checkpoint.given_up_count;
  return ok_status();
}

// Another budget or horizon than the run was begun or last resumed with revises the plan. What was done after
// the checkpoint belongs to the old plan: there must be nothing of it.
Status AgeRun::revise_as_asked() {
  if (!settings_.resume_from) return ok_status();
  const Checkpoint& checkpoint = *settings_.resume_from;
  forecast_.request.budget = asked_budget_;
  const bool same = checkpoint.budget == budget_name(asked_budget_.kind) &&
                    checkpoint.budget_limit == asked_budget_.limit &&
                    checkpoint.asked_horizon_ops_count == asked_horizon_ops_count_;
  if (same) return ok_status();
  Result<DiskCheck> check = check_disk(forecast_, planner_, file_system_);
  if (!check) return check.error();
  if (check->differences_count() > given_up_count()) {
    return Error{
        ErrorCode::kCheckpointInvalid,
        fmt::format("the run was killed after its checkpoint ({}), so that its plan cannot be revised there: "
                    "resume it with its own budget, and give the new one on standard input",
                    check->example)};
  }
  return revise(asked_budget_, asked_horizon_ops_count_);
}

Status AgeRun::set_course(const Budget& budget, uint64_t horizon_ops_count) {
  if (legs_.size() >= kMostLegs) return Error{ErrorCode::kUsage, "the plan was revised too often"};
  Forecast wanted = forecast_;
  wanted.request.budget = budget;
  wanted.request.horizon_ops_count = horizon_ops_count;
  Result<Forecast> revised =
      revise_forecast(wanted, turnover_of(forecast_, planner_), planner_.tick() + planner_.owing_count());
  if (!revised) return revised.error();
  legs_.push_back({planner_.horizon(), planner_.tick()});
  forecast_ = std::move(*revised);
  planner_.revise(forecast_);
  return ok_status();
}

Status AgeRun::revise(const Budget& budget, uint64_t horizon_ops_count) {
  Status set = set_course(budget, horizon_ops_count);
  if (!set) return set;
  read_on_ = sink_.emit(plan_event(forecast_)) && read_on_;
  return save_checkpoint();
}

Status AgeRun::run() {
  Status regenerated = regenerate();
  if (!regenerated) return regenerated;
  Status made = file_system_.make_directories(planner_.tree());
  if (!made) return made;
  Status revised = revise_as_asked();
  if (!revised) return revised;
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
  Status granted = grant_wishes();
  if (!granted) return granted;
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
  if (max_seconds_ > 0 && now - started_s_ >= max_seconds_) stop_reason_ = "time_reached";
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

Status AgeRun::grant_wishes() {
  while (std::optional<Wish> wish = switches_.wishes.take()) {
    Status granted = wish->asked ? grant(*wish) : Status(wish->asked.error());
    const bool refused = !granted && granted.error().code == ErrorCode::kUsage;
    if (!granted && !refused) return granted;
    read_on_ = sink_.emit(control_event(wish->line, refused ? granted.error().message : "")) && read_on_;
  }
  return ok_status();
}

Status AgeRun::grant(const Wish& wish) {
  if (const auto* limit = std::get_if<MaxSeconds>(&*wish.asked)) max_seconds_ = limit->seconds;
  if (std::holds_alternative<MeasureLayout>(*wish.asked)) measure_layout();
  if (const auto* budget = std::get_if<Budget>(&*wish.asked)) return revise(*budget, 0);
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
    const double left =
        static_cast<double>(planner_.horizon()) - static_cast<double>(resumed_tick_ + executed);
    measures.eta_s = std::max(0.0, left) / (static_cast<double>(executed) / active_s);
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
  checkpoint.given_up_count = given_up_count();
  checkpoint.elapsed_s = watch_.elapsed_s();
  checkpoint.legs = legs_;
  checkpoint.budget = budget_name(asked_budget_.kind);
  checkpoint.budget_limit = asked_budget_.limit;
  checkpoint.asked_horizon_ops_count = asked_horizon_ops_count_;
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

Status age_file_system(const Forecast& forecast, FileSystem& file_system, const AgeSettings& settings,
                       EventSink& sink, const Switches& switches) {
  return AgeRun(forecast, file_system, settings, sink, switches).run();
}

}  // namespace patina
