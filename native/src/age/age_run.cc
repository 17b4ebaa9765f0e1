// Main loop of an aging: makes a block of operations, submits it, checks clocks and switches.
#include "age/age_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/gate.h"

namespace patina {
namespace {

// Operations between checks of clocks and switches: some milliseconds of work, seconds on a slow disk.
constexpr size_t kBlockOps = 256;
constexpr std::chrono::milliseconds kPausePoll{20};
constexpr uint64_t kGateOps = 1000;
// Largest share of the time for measurements of the layout.
constexpr double kLayoutShare = 0.02;
// The layout of a course with rounds is measured at the end of this many rounds, equally far apart, and of
// the last round, at any time between them.
constexpr uint64_t kMeasuredRounds = 100;

}  // namespace

int threads_of(const AgeSettings& settings) {
  if (settings.way.threads_count > 0) return std::min(settings.way.threads_count, kMaxThreadsCount);
  return std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, 4);
}

AgeRun::AgeRun(Course& course, FileSystem& file_system, const AgeSettings& settings, EventSink& sink,
               const Switches& switches)
    : course_(course),
      file_system_(file_system),
      settings_(settings),
      sink_(sink),
      switches_(switches),
      commits_(settings.way.commits, course.planned_free_bytes(), course.block_size_bytes()),
      watch_(settings.resume_from ? settings.resume_from->elapsed_s : 0),
      max_seconds_(settings.max_seconds) {}

Result<size_t> AgeRun::make_next(std::span<Operation> block) {
  Result<size_t> made = course_.next(block);
  if (!made || record_ == nullptr) return made;
  Status recorded = record_->add(block.first(*made));
  return recorded ? made : Result<size_t>(recorded.error());
}

Status AgeRun::make_until(uint64_t tick) {
  std::array<Operation, kBlockOps> block;
  while (course_.tick() < tick && !course_.finished()) {
    const auto left = std::min<uint64_t>(tick - course_.tick(), block.size());
    Result<size_t> made = make_next(std::span(block).first(left));
    if (!made) return made.error();
    for (auto rest = std::span<const Operation>(block).first(*made); !rest.empty();) {
      rest = rest.subspan(commits_.next(rest).ops_count);
    }
    if (told_to_stop()) return Error{ErrorCode::kCanceled, "stopped before the checkpoint was reached"};
  }
  return ok_status();
}

// Makes the operations up to the checkpoint without carrying them out, and checks that the stream is the
// same.
Status AgeRun::regenerate() {
  if (!settings_.resume_from) return ok_status();
  const Checkpoint& checkpoint = *settings_.resume_from;
  Status matches = match_checkpoint(checkpoint, course_.checkpoint(settings_.data_mode));
  if (!matches) return matches;
  for (size_t i = 0; i < checkpoint.legs.size(); ++i) {
    const bool last = i + 1 == checkpoint.legs.size();
    Status made = make_until(checkpoint.legs[i].until_ops_count);
    if (!made) return made;
    Status aimed =
        course_.aim_again(last ? checkpoint.horizon_ops_count : checkpoint.legs[i + 1].horizon_ops_count);
    if (!aimed) return aimed;
  }
  Status made = make_until(checkpoint.tick);
  if (!made) return made;
  if (course_.tick() != checkpoint.tick || course_.stream_digest() != checkpoint.stream_digest) {
    return Error{ErrorCode::kCheckpointInvalid,
                 fmt::format("the checkpoint's digest of the first {} operations is not this plan's",
                             checkpoint.tick)};
  }
  resumed_tick_ = checkpoint.tick;
  resumed_no_space_count_ = checkpoint.no_space_count;
  resumed_given_up_count_ = checkpoint.given_up_count;
  return ok_status();
}

// Revises the plan if the budget or horizon differs from that of the start or last resume. Operations done
// after the checkpoint belong to the old plan: there must be none.
Status AgeRun::revise_as_asked() {
  if (!settings_.resume_from || !course_.asks_otherwise(*settings_.resume_from)) return ok_status();
  Result<DiskCheck> check = course_.compare_with(file_system_);
  if (!check) return check.error();
  if (check->differences_count() > given_up_count()) {
    return Error{
        ErrorCode::kCheckpointInvalid,
        fmt::format("the run was killed after its checkpoint ({}), so that its plan cannot be revised there: "
                    "resume it with its own budget, and give the new one on standard input",
                    check->example)};
  }
  Status aimed = course_.aim_as_asked();
  return aimed ? announce_revision() : aimed;
}

Status AgeRun::announce_revision() {
  read_on_ = sink_.emit(course_.announcement()) && read_on_;
  return save_checkpoint();
}

Status AgeRun::run() {
  if (!settings_.record_file.empty()) {
    auto record = OperationLogWriter::create(settings_.record_file, course_.tree());
    if (!record) return record.error();
    record_ = std::move(*record);
  }
  Status regenerated = regenerate();
  if (!regenerated) return regenerated;
  Status made = file_system_.make_directories(course_.tree());
  if (!made) return made;
  const int lanes_count = threads_of(settings_);
  executor_ = std::make_unique<Executor>(file_system_, course_.spread_directories(lanes_count), lanes_count,
                                         settings_.way.writeback);
  Status revised = revise_as_asked();
  if (!revised) return revised;
  watch_.resume();
  started_s_ = sampled_s_ = checkpointed_s_ = watch_.elapsed_s();
  sampled_tick_ = resumed_tick_;
  sample_due_s_ = started_s_ + settings_.sample_interval_s;
  next_layout_s_ = started_s_ + settings_.layout_interval_s;
  Status saved = save_checkpoint();
  if (!saved) return saved;
  Status aged = age();
  return aged ? finish() : aged;
}

Status AgeRun::age() {
  std::array<Operation, kBlockOps> block;
  phase_ = course_.phase();
  pass_gate("begin");
  while (!course_.finished() && stop_reason_ == nullptr) {
    pass_gate_of_tick();
    Result<size_t> made = make_next(block);
    if (!made) return failed(made.error());
    Status submitted = carry_out(std::span(block).first(*made));
    if (!submitted) return submitted;
    Status looked = look_at_clocks();
    if (!looked) return looked;
  }
  return ok_status();
}

Status AgeRun::carry_out(std::span<const Operation> block) {
  while (!block.empty()) {
    const CommitSchedule::Stretch stretch = commits_.next(block);
    executor_->submit(block.first(stretch.ops_count));
    if (std::optional<Error> error = executor_->failure()) return failed(*error);
    block = block.subspan(stretch.ops_count);
    if (!stretch.commit_is_due) continue;
    Status committed = commit();
    if (!committed) return committed;
  }
  return ok_status();
}

Status AgeRun::commit() {
  executor_->drain();
  if (std::optional<Error> error = executor_->failure()) return failed(*error);
  return sync();
}

Status AgeRun::look_at_clocks() {
  if (switches_.paused && !told_to_stop()) {
    Status paused = wait_while_paused();
    if (!paused) return paused;
  }
  Status granted = grant_wishes();
  if (!granted) return granted;
  const double now = watch_.elapsed_s();
  if (pending_ && executor_->reached(pending_->mark)) {
    send_sample(*pending_);
    pending_.reset();
  }
  // A new phase is reported at once, however short it is.
  if (std::string_view(phase_) != course_.phase()) sample_due_s_ = now;
  if (!pending_ && now >= sample_due_s_) {
    phase_ = course_.phase();
    pending_ = take_sample();
    // Slow lanes do not delay the next sample; missed samples are dropped.
    sample_due_s_ += settings_.sample_interval_s;
    if (sample_due_s_ < now) sample_due_s_ = now + settings_.sample_interval_s;
  }
  if (const std::optional<Rounds> rounds = course_.rounds()) {
    Status measured = measure_layout_of(*rounds);
    if (!measured) return measured;
  } else if (now >= next_layout_s_) {
    measure_layout({});
  }
  if (!settings_.checkpoint_file.empty() && now - checkpointed_s_ >= settings_.checkpoint_interval_s) {
    Status saved = save_checkpoint();
    if (!saved) return saved;
  }
  if (max_seconds_ > 0 && now - started_s_ >= max_seconds_) stop_reason_ = "time_reached";
  if (told_to_stop()) stop_reason_ = "canceled";
  return ok_status();
}

Status AgeRun::wait_while_paused() {
  executor_->drain();
  Status saved = save_checkpoint();
  if (!saved) return saved;
  watch_.pause();
  read_on_ = sink_.emit(control_event("pause", "")) && read_on_;
  Status granted = ok_status();
  while (switches_.paused && !told_to_stop() && granted) {
    std::this_thread::sleep_for(kPausePoll);
    granted = grant_wishes();
  }
  watch_.resume();
  if (!granted) return granted;
  read_on_ = sink_.emit(control_event("resume", "")) && read_on_;
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
  if (std::holds_alternative<MeasureLayout>(*wish.asked)) measure_layout({});
  const auto* budget = std::get_if<Budget>(&*wish.asked);
  if (budget == nullptr) return ok_status();
  Status past = check_past_the_kill();
  if (!past) return past;
  Status aimed = course_.aim(*budget, 0);
  return aimed ? announce_revision() : aimed;
}

// Operations that a killed run did after its checkpoint belong to the old plan: another plan would never
// delete those files. kUsage as long as there are any.
Status AgeRun::check_past_the_kill() {
  if (!settings_.resume_from) return ok_status();
  executor_->drain();
  Result<DiskCheck> check = course_.compare_with(file_system_);
  if (!check) return failed(check.error());
  if (check->differences_count() <= given_up_count()) return ok_status();
  return Error{
      ErrorCode::kUsage,
      fmt::format("at operation {} the tree still contains files from before the run was killed ({}): "
                  "ask again later",
                  course_.tick(), check->example)};
}

AgeRun::PendingSample AgeRun::take_sample() {
  return {course_.sample(), course_.phase(), course_.tick(), executor_->mark()};
}

void AgeRun::send_sample(const PendingSample& sample) {
  const double now = watch_.elapsed_s();
  const double rate =
      now > sampled_s_ ? static_cast<double>(sample.tick - sampled_tick_) / (now - sampled_s_) : 0;
  const Measures measures = measure(rate);
  if (measures.lag) {
    largest_lag_.reuse_bytes = std::max(largest_lag_.reuse_bytes, measures.lag->reuse_bytes);
    largest_lag_.allocation_bytes = std::max(largest_lag_.allocation_bytes, measures.lag->allocation_bytes);
  }
  read_on_ = sink_.emit(sample.event_of(measures)) && read_on_;
  sampled_s_ = now;
  sampled_tick_ = sample.tick;
  pass_gate(sample.phase);
}

// Passes a gate every kGateOps operations: all before it are carried out, none after it is begun.
void AgeRun::pass_gate_of_tick() {
  const uint64_t tick = course_.tick() - course_.tick() % kGateOps;
  if (tick == gated_tick_ || !Gates::of_environment().exist()) return;
  gated_tick_ = tick;
  executor_->drain();
  pass_gate(fmt::format("{}", tick));
}

void AgeRun::pass_gate(std::string_view point) const {
  const Gates& gates = Gates::of_environment();
  if (gates.exist()) gates.pass(fmt::format("age.{}", point), switches_.stop);
}

Measures AgeRun::measure(double ops_per_s) const {
  Measures measures;
  measures.elapsed_s = watch_.elapsed_s();
  measures.ops_per_s = ops_per_s;
  measures.no_space_count = resumed_no_space_count_ + executor_->no_space_count();
  const double active_s = measures.elapsed_s - started_s_;
  const uint64_t executed = executor_->executed_count();
  if (active_s > 0 && executed > 0 && course_.horizon() > 0) {
    const double left =
        static_cast<double>(course_.horizon()) - static_cast<double>(resumed_tick_ + executed);
    measures.eta_s = std::max(0.0, left) / (static_cast<double>(executed) / active_s);
  }
  Result<uint64_t> used = file_system_.used_bytes();
  if (used) {
    measures.fullness_statfs = static_cast<double>(*used) / static_cast<double>(course_.capacity_bytes());
  }
  measures.lag = file_system_.space_lag();
  measures.planned_free_bytes = course_.planned_free_bytes();
  return measures;
}

// Measures the layout at exactly this round: the lanes have carried out all operations before, and none
// after.
Status AgeRun::measure_layout_of(const Rounds& rounds) {
  const uint64_t stride = std::max<uint64_t>(1, (rounds.total + kMeasuredRounds - 1) / kMeasuredRounds);
  const bool is_due = rounds.done % stride == 0 || rounds.done == rounds.total;
  if (!rounds.is_between || !is_due || measured_round_ == rounds.done) return ok_status();
  executor_->drain();
  if (std::optional<Error> error = executor_->failure()) return failed(*error);
  measured_round_ = rounds.done;
  measure_layout(rounds.done);
  return ok_status();
}

void AgeRun::measure_layout(std::optional<uint64_t> rounds_count) {
  if (!layout_works_) return;
  const double before = watch_.elapsed_s();
  const Result<SpaceMap> map = file_system_.space_map();
  if (!map) {
    layout_works_ = false;
    return;
  }
  const uint64_t ops_count = resumed_tick_ + executor_->executed_count();
  const double measured_s = watch_.elapsed_s();
  read_on_ = sink_.emit(layout_event(ops_count, measured_s, histogram_of_free_extents(*map), rounds_count)) &&
             sink_.emit(space_event(ops_count, measured_s, *map)) && read_on_;
  const double after = watch_.elapsed_s();
  next_layout_s_ = after + std::max(settings_.layout_interval_s, (after - before) / kLayoutShare);
}

// After the commit everything up to the course's tick is durable.
Status AgeRun::save_checkpoint() {
  if (settings_.checkpoint_file.empty()) return ok_status();
  Status committed = commit();
  if (!committed) return committed;
  Checkpoint checkpoint = course_.checkpoint(settings_.data_mode);
  checkpoint.no_space_count = resumed_no_space_count_ + executor_->no_space_count();
  checkpoint.given_up_count = given_up_count();
  checkpoint.elapsed_s = watch_.elapsed_s();
  Status written = write_checkpoint(settings_.checkpoint_file, checkpoint);
  if (!written) return written;
  durable_tick_ = checkpoint.tick;
  checkpointed_s_ = watch_.elapsed_s();
  read_on_ = sink_.emit(checkpoint_event(checkpoint.tick, checkpointed_s_)) && read_on_;
  return ok_status();
}

// Operations after the last checkpoint may be lost with the file system; those before it are not.
Status AgeRun::failed(Error error) const {
  if (durable_tick_) {
    error.message +=
        fmt::format("; the operations up to {} are durable, with their checkpoint", *durable_tick_);
  }
  return error;
}

Status age_file_system(Course& course, FileSystem& file_system, const AgeSettings& settings, EventSink& sink,
                       const Switches& switches) {
  return AgeRun(course, file_system, settings, sink, switches).run();
}

}  // namespace patina
