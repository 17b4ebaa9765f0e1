// State of one aging, shared by its main loop (age_run.cc) and its end (age_finish.cc).
#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "age/age.h"
#include "age/course.h"
#include "age/operation_log.h"
#include "age/report.h"
#include "base/stopwatch.h"
#include "executor/execute.h"

namespace patina {

class AgeRun {
 public:
  AgeRun(Course& course, FileSystem& file_system, const AgeSettings& settings, EventSink& sink,
         const Switches& switches);

  Status run();

 private:
  // A sample of the model, to be sent once the lanes have reached its tick.
  struct PendingSample {
    std::function<nlohmann::ordered_json(const Measures&)> event_of;
    const char* phase = "";
    uint64_t tick = 0;
    std::vector<uint64_t> mark;
  };

  // age_run.cc: the main loop.
  Status regenerate();
  Result<size_t> make_next(std::span<Operation> block);
  Status make_until(uint64_t tick);
  Status age();
  Status carry_out(std::span<const Operation> block);
  Status commit();
  Status look_at_clocks();
  Status wait_while_paused();
  Status grant_wishes();
  Status grant(const Wish& wish);
  Status check_past_the_kill();
  // Makes a revision of the course durable and announces it, before anything else is done.
  Status announce_revision();
  Status revise_as_asked();
  PendingSample take_sample();
  void send_sample(const PendingSample& sample);
  Status measure_layout_of(const Rounds& rounds);
  void measure_layout(std::optional<uint64_t> rounds_count);
  Status save_checkpoint();
  Measures measure(double ops_per_s) const;
  // Passes a point at which a test may hold an aging (gate.h).
  void pass_gate(std::string_view point) const;
  void pass_gate_of_tick();
  bool told_to_stop() const { return switches_.stop || !read_on_; }
  Status failed(Error error) const;
  uint64_t given_up_count() const { return resumed_given_up_count_ + executor_->given_up_count(); }

  // age_finish.cc: at the end.
  Status finish();
  Status sync();
  Status materialize_files();
  Status record_survivors() const;
  Result<DiskCheck> compare_with_disk();
  Outcome outcome(const Measures& measures) const;

  Course& course_;
  FileSystem& file_system_;
  const AgeSettings& settings_;
  EventSink& sink_;
  const Switches& switches_;
  CommitSchedule commits_;
  std::unique_ptr<OperationLogWriter> record_;
  std::unique_ptr<Executor> executor_;  // set once the first tick is known
  Stopwatch watch_;
  double max_seconds_;

  bool read_on_ = true;     // stdout is open
  const char* phase_ = "";  // of the last sample that became due
  const char* stop_reason_ = nullptr;
  uint64_t resumed_tick_ = 0;
  uint64_t resumed_no_space_count_ = 0;
  uint64_t resumed_given_up_count_ = 0;
  std::optional<uint64_t> durable_tick_;
  std::optional<PendingSample> pending_;
  double started_s_ = 0;
  double sampled_s_ = 0;
  double sample_due_s_ = 0;
  uint64_t sampled_tick_ = 0;
  SpaceLag largest_lag_;  // of the samples
  uint64_t gated_tick_ = 0;
  double next_layout_s_ = 0;
  double checkpointed_s_ = 0;
  bool layout_works_ = true;
  std::optional<uint64_t> measured_round_;  // the last one with a measured layout
};

// Returns the number of lanes: as requested, or one a core, up to 4.
int threads_of(const AgeSettings& settings);

}  // namespace patina
