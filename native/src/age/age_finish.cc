// Ends an aging: makes everything durable, fills the files, and compares the tree with the model.
#include <fmt/format.h>

#include <cstring>
#include <nlohmann/json.hpp>

#include "age/age_run.h"
#include "executor/materialize.h"

namespace patina {

Status AgeRun::sync() {
  const int code = file_system_.sync();
  executor_->end_writeback_batch();
  if (code == 0) return ok_status();
  return failed({file_system_error(code), fmt::format("cannot sync the mount: {}", std::strerror(code))});
}

// Writes only the survivors, once: cheaper than writing every file of the run.
Status AgeRun::materialize_files() {
  const std::vector<Operation> files = course_.live_files();
  Status filled =
      materialize(file_system_, files, threads_of(settings_), [this](const MaterializeProgress& made) {
        read_on_ = sink_.emit({{"type", "progress"},
                               {"command", "age"},
                               {"done_bytes", made.done_bytes},
                               {"total_bytes", made.total_bytes},
                               {"elapsed_s", watch_.elapsed_s()}}) &&
                   read_on_;
        return !told_to_stop();
      });
  if (!filled) return filled.error().code == ErrorCode::kCanceled ? filled : failed(filled.error());
  return sync();
}

Status AgeRun::record_survivors() const {
  if (settings_.survivors_file.empty()) return ok_status();
  auto log = OperationLogWriter::create(settings_.survivors_file, course_.tree());
  if (!log) return log.error();
  Status added = (*log)->add(course_.live_files());
  return added ? (*log)->finish(course_.stream_digest()) : added;
}

// Files of creates that were given up for lack of space are missing as expected.
Result<DiskCheck> AgeRun::compare_with_disk() {
  Result<DiskCheck> check = course_.compare_with(file_system_);
  if (!check) return failed(check.error()).error();
  if (check->differences_count() <= given_up_count()) return check;
  return Error{
      ErrorCode::kDiskDiffers,
      fmt::format("the tree differs from the plan: {} files missing, {} that should not be there, {} of "
                  "another size; {}",
                  check->missing_count, check->stray_count, check->wrong_size_count, check->example)};
}

Outcome AgeRun::outcome(const Measures& measures) const {
  Outcome outcome;
  outcome.command = "age";
  outcome.stop_reason = stop_reason_ != nullptr ? stop_reason_ : course_.stop_reason(measures);
  outcome.way = settings_.way;
  outcome.way->threads_count = threads_of(settings_);
  outcome.data_mode = data_mode_name(settings_.data_mode);
  outcome.plan_digest = course_.stream_digest();
  outcome.max_seconds = max_seconds_;
  return outcome;
}

Status AgeRun::finish() {
  executor_->drain();
  if (std::optional<Error> error = executor_->failure()) return failed(*error);
  const double elapsed_s = watch_.elapsed_s();
  if (pending_ || course_.tick() > sampled_tick_) send_sample(take_sample());
  // Blocks of deleted files become free at the commit; the last layout must include them.
  Status synced = sync();
  if (!synced) return synced;
  Status saved = save_checkpoint();
  if (!saved) return saved;
  if (record_ != nullptr) {
    Status recorded = record_->finish(course_.stream_digest());
    if (!recorded) return recorded;
  }

  const bool canceled = stop_reason_ != nullptr && std::string_view(stop_reason_) == "canceled";
  std::optional<DiskCheck> disk;
  if (!canceled) {
    if (settings_.data_mode == DataMode::kMaterialize && !settings_.way.writes_files) {
      Status filled = materialize_files();
      if (!filled) return filled;
    }
    Result<DiskCheck> check = compare_with_disk();
    if (!check) return check.error();
    disk = std::move(*check);
  }
  Status noted = record_survivors();
  if (!noted) return noted;
  file_system_.wait_for_deletes();
  Measures measures = measure(elapsed_s > 0 ? static_cast<double>(course_.tick()) / elapsed_s : 0);
  measures.elapsed_s = elapsed_s;
  if (measures.lag) measures.lag = largest_lag_;
  Outcome ended = outcome(measures);
  if (disk) ended.disk = &*disk;
  if (Result<SpaceMap> map = file_system_.space_map()) {
    ended.free_extents = histogram_of_free_extents(*map);
    sink_.emit(space_event(course_.tick(), elapsed_s, *map));
  }
  sink_.emit(course_.summary(measures, ended));
  return ok_status();
}

}  // namespace patina
