// The table of commands.
#pragma once

#include <memory>
#include <span>

#include "command/command.h"

namespace patina {

struct CommandRow {
  const char* name;  // of a group and a command: "shingle capacity"
  const char* description;
  std::unique_ptr<Command> (*make)();
  bool reads_control_lines = false;  // on standard input
  bool ends_with_input = false;      // ends with its parent too; the others get a signal then
  bool outlives_parent = false;      // no signal: a device of the kernel depends on it
};

// Each in a file of its own: gc_command.cc.
std::unique_ptr<Command> make_forecast();
std::unique_ptr<Command> make_forecasts();
std::unique_ptr<Command> make_simulate();
std::unique_ptr<Command> make_age();
std::unique_ptr<Command> make_modes();
std::unique_ptr<Command> make_layout();
std::unique_ptr<Command> make_scan();
std::unique_ptr<Command> make_capture();
std::unique_ptr<Command> make_restore();
std::unique_ptr<Command> make_verify();
std::unique_ptr<Command> make_rollback();
std::unique_ptr<Command> make_gc();
std::unique_ptr<Command> make_diff();
std::unique_ptr<Command> make_trace();
std::unique_ptr<Command> make_delta();
std::unique_ptr<Command> make_generation();
std::unique_ptr<Command> make_workload_command();
std::unique_ptr<Command> make_history();
std::unique_ptr<Command> make_models();
std::unique_ptr<Command> make_emulate();
std::unique_ptr<Command> make_keep();
std::unique_ptr<Command> make_stretch_table();
std::unique_ptr<Command> make_shingle_capacity();
std::unique_ptr<Command> make_shingle_cleaning();
std::unique_ptr<Command> make_shingle_clean();
std::unique_ptr<Command> make_shingle_check();
std::unique_ptr<Command> make_shingle_format();
std::unique_ptr<Command> make_shingle_mount();
std::unique_ptr<Command> make_shingle_serve();
std::unique_ptr<Command> make_shingle_expose();

// Returns the commands in the order of the help.
std::span<const CommandRow> commands();

}  // namespace patina
