// patina-core: scans, forecasts, simulates and ages; measures layouts; captures and restores images.
#include <fmt/format.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <nlohmann/json.hpp>

#include "control.h"
#include "options.h"

namespace patina {
namespace {

// Whoever started us is responsible for the device: without it we checkpoint and leave.
void stop_with_parent() {
  const pid_t parent = getppid();
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) std::exit(static_cast<int>(ErrorCode::kCanceled));
}

struct Dispatch {
  EventSink& sink;
  const Switches& switches;

  Status operator()(const ShowText& show) const {
    fmt::print("{}", show.text);
    return ok_status();
  }
  Status operator()(const ForecastOptions& options) const { return run_forecast(options, sink); }
  Status operator()(const ForecastsOptions&) const { return run_forecasts(STDIN_FILENO, sink); }
  Status operator()(const SimulateOptions& options) const {
    return run_simulate(options, sink, switches.stop);
  }
  Status operator()(const AgeOptions& options) const { return run_age(options, sink, switches); }
  Status operator()(const ModesOptions& /*options*/) const { return run_modes(sink); }
  Status operator()(const ScanOptions& options) const { return run_scan(options, sink, switches.stop); }
  Status operator()(const LayoutOptions& options) const { return run_layout(options, sink, switches.stop); }
  Status operator()(const CaptureOptions& options) const { return run_capture(options, sink, switches.stop); }
  Status operator()(const RestoreOptions& options) const { return run_restore(options, sink, switches.stop); }
  Status operator()(const VerifyOptions& options) const { return run_verify(options, sink, switches.stop); }
  Status operator()(const RollbackOptions& options) const {
    return run_rollback(options, sink, switches.stop);
  }
  Status operator()(const CollectOptions& options) const { return run_collect(options, sink, switches.stop); }
  Status operator()(const DiffOptions& options) const { return run_diff(options, sink, switches.stop); }
  Status operator()(const TraceOptions& options) const { return run_trace(options, sink, switches.stop); }
  Status operator()(const DeltaOptions& options) const { return run_delta(options, sink); }
  Status operator()(const GenerationOptions& options) const {
    return run_generation(options, sink, switches.stop);
  }
};

int report(const Error& error, EventSink& sink) {
  fmt::print(stderr, "patina-core: {}: {}\n", error_code_name(error.code), error.message);
  sink.emit(error_event(error));
  return static_cast<int>(error.code);
}

int run(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGTTIN, SIG_IGN);
  StdoutEventSink sink;
  Result<Options> options = parse_options(argc, argv);
  if (!options) return report(options.error(), sink);
  // The input of `forecasts` ends with its parent; the signal would come when the thread ends that started
  // it.
  if (!std::holds_alternative<ForecastsOptions>(*options)) stop_with_parent();
  Switches switches;
  const bool is_told =
      std::holds_alternative<AgeOptions>(*options) || std::holds_alternative<TraceOptions>(*options);
  const ControlListener listener(switches, is_told);
  const Status done = std::visit(Dispatch{sink, switches}, *options);
  return done ? EXIT_SUCCESS : report(done.error(), sink);
}

}  // namespace
}  // namespace patina

int main(int argc, char** argv) {
  try {
    return patina::run(argc, argv);
  } catch (const std::exception& error) {
    // Out of memory, or a bug. Nothing that could throw once more.
    std::fputs(error.what(), stderr);
    std::fputs("{\"type\":\"error\",\"code\":\"internal\",\"message\":\"see standard error\"}\n", stdout);
    return static_cast<int>(patina::ErrorCode::kInternal);
  }
}
