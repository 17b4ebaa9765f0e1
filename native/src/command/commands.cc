// A new command is a row here, and a file that makes it.
#include "command/commands.h"

namespace patina {

namespace {

constexpr CommandRow kCommands[] = {
    {"forecast", "What a profile needs at a capacity and fullness", make_forecast},
    {"forecasts", "Answer requests for forecasts, a line of standard input each, until its end",
     make_forecasts, /*reads_control_lines=*/false, /*ends_with_input=*/true},
    {"simulate", "Age in the model alone: no file system is touched", make_simulate},
    {"age", "Age a mounted, empty file system, by a profile or a workload", make_age,
     /*reads_control_lines=*/true},
    {"modes", "List the modes of aging, and what each does on each file system", make_modes},
    {"layout", "Measure where a file system put files and free space", make_layout},
    {"scan", "Make a profile of a directory tree", make_scan},
    {"capture", "Store a device as an image", make_capture},
    {"restore", "Give an image back to a device", make_restore},
    {"verify", "Compare an image with its chunks, or with a device", make_verify},
    {"rollback", "Undo what a trial changed", make_rollback},
    {"gc", "Remove chunks that no image needs", make_gc},
    {"diff", "Compare two images", make_diff},
    {"trace", "Watch which blocks of a device are touched", make_trace, /*reads_control_lines=*/true},
    {"delta", "List the blocks that a trace saw written", make_delta},
    {"generation", "Print a mark that changes when a device is written to", make_generation},
};

}  // namespace

std::span<const CommandRow> commands() {
  return kCommands;
}

}  // namespace patina
