// Runs the model alone, at full speed.
#include "age/simulate.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "age/report.h"
#include "base/stopwatch.h"
#include "model/plan.h"

namespace patina {
namespace {

constexpr size_t kBlockOps = 4096;

Measures measure(const Planner& planner, double elapsed_s, double rate) {
  Measures measures;
  measures.elapsed_s = elapsed_s;
  measures.ops_per_s = rate;
  if (rate > 0) measures.eta_s = static_cast<double>(planner.horizon() - planner.tick()) / rate;
  return measures;
}

}  // namespace

Status run_simulate(const SimulateOptions& options, EventSink& sink, const std::atomic<bool>& stop) {
  sink.emit(hello_event("simulate"));
  Result<Forecast> forecast = announce_forecast(options.forecast, sink);
  if (!forecast) return forecast.error();

  Planner planner(*forecast);
  const uint64_t interval_ops =
      options.samples_count == 0 ? 0 : std::max<uint64_t>(1, planner.horizon() / options.samples_count);
  std::vector<Operation> block(interval_ops == 0 ? kBlockOps : std::min<uint64_t>(kBlockOps, interval_ops));
  const Stopwatch watch;
  const double interval_s = options.sample_interval_ms / 1000.0;
  double sampled_s = 0;
  uint64_t sampled_tick = 0;
  bool read_on = true;
  const auto sample = [&](double now) {
    const double rate =
        now > sampled_s ? static_cast<double>(planner.tick() - sampled_tick) / (now - sampled_s) : 0;
    read_on = sink.emit(sample_event(*forecast, planner.state(), measure(planner, now, rate)));
    sampled_s = now;
    sampled_tick = planner.tick();
  };
  while (!planner.finished() && !stop && read_on) {
    planner.next(block);
    const double now = watch.elapsed_s();
    const bool is_due =
        interval_ops == 0 ? now - sampled_s >= interval_s : planner.tick() - sampled_tick >= interval_ops;
    if (is_due && !planner.finished()) sample(now);
  }
  const double elapsed_s = watch.elapsed_s();
  sample(elapsed_s);

  Outcome outcome;
  outcome.stop_reason = planner.finished() ? horizon_stop_reason(*forecast, planner.state()) : "canceled";
  outcome.plan_digest = planner.stream_digest();
  const double rate = elapsed_s > 0 ? static_cast<double>(planner.tick()) / elapsed_s : 0;
  sink.emit(summary_event(*forecast, planner.state(), measure(planner, elapsed_s, rate), outcome));
  return ok_status();
}

}  // namespace patina
