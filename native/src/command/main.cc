// patina-core: scans, forecasts, simulates and ages; measures layouts; captures and restores images.
#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <nlohmann/json.hpp>

#include "base/stop_with_parent.h"
#include "command/command_line.h"

namespace patina {
namespace {

int report(const Error& error, EventSink& sink) {
  fmt::print(stderr, "patina-core: {}: {}\n", error_code_name(error.code), error.message);
  sink.emit(error_event(error));
  return static_cast<int>(error.code);
}

int run(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGTTIN, SIG_IGN);
  StdoutEventSink sink;
  Result<CommandLine> parsed = parse_command_line(argc, argv);
  if (!parsed) return report(parsed.error(), sink);
  if (parsed->command == nullptr) {
    fmt::print("{}", parsed->text);
    return EXIT_SUCCESS;
  }
  // The parent is responsible for the device: an aging then writes a checkpoint and ends. The signal comes
  // when the parent's thread ends; the end of input comes when the parent process ends.
  if (!parsed->row->ends_with_input && !parsed->row->outlives_parent) stop_with_parent();
  Switches switches;
  const ControlListener listener(switches, parsed->row->reads_control_lines);
  const Status done = parsed->command->run(sink, switches);
  return done ? EXIT_SUCCESS : report(done.error(), sink);
}

}  // namespace
}  // namespace patina

int main(int argc, char** argv) {
  try {
    return patina::run(argc, argv);
  } catch (const std::exception& error) {
    // Out of memory, or a bug. Avoids calls that could throw again.
    std::fputs(error.what(), stderr);
    std::fputs("{\"type\":\"error\",\"code\":\"internal\",\"message\":\"see standard error\"}\n", stdout);
    return static_cast<int>(patina::ErrorCode::kInternal);
  }
}
