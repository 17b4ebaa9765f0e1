// A new command is a row here, and a file that makes it.
#include "command/commands.h"

namespace patina {

namespace {

constexpr CommandRow kCommands[] = {
    {"forecast", "Forecast the plan of a profile at a capacity and fullness", make_forecast},
    {"forecasts", "Answer requests for forecasts, a line of standard input each, until its end",
     make_forecasts, /*reads_control_lines=*/false, /*ends_with_input=*/true},
    {"simulate", "Age in the model alone: no file system is touched", make_simulate},
    {"age", "Age a mounted, empty file system, by a profile or a workload", make_age,
     /*reads_control_lines=*/true},
    {"modes", "List the modes of aging, and their ways on each file system", make_modes},
    {"layout", "Measure the layout of a file system", make_layout},
    {"scan", "Make a profile of a directory tree", make_scan},
    {"capture", "Store a device as an image", make_capture},
    {"restore", "Restore an image to a device", make_restore},
    {"verify", "Compare an image with its chunks, or with a device", make_verify},
    {"rollback", "Undo the changes of a trial", make_rollback},
    {"gc", "Remove chunks that no image needs", make_gc},
    {"diff", "Compare two images", make_diff},
    {"trace", "Record which blocks of a device are touched", make_trace, /*reads_control_lines=*/true},
    {"delta", "Make a delta of traces", make_delta},
    {"generation", "Print a device's generation, which changes when it is written to", make_generation},
    {"workload", "Run and measure operations on files of a mounted file system", make_workload_command},
    {"models", "List the modelled disks, or check a file that describes one", make_models},
    {"history", "Write the history of a source tree, to be pulled commit by commit", make_history},
    {"emulate", "Serve an emulated disk, which keeps metadata and drops file data", make_emulate,
     /*reads_control_lines=*/false, /*ends_with_input=*/false, /*outlives_parent=*/true},
    {"keep", "Keep the data of chosen paths on an emulated disk as written", make_keep},
    {"stretch-table", "Print the table that lays a device over a larger one in pieces, for dmsetup",
     make_stretch_table},
    {"shingle capacity", "Measure how large a shingled disk must be for its files, by where they are placed",
     make_shingle_capacity},
    {"shingle cleaning", "Measure what is moved to give space back, by how full a shingled disk is",
     make_shingle_cleaning},
    {"shingle format", "Make SMRfs, a file system for a shingled disk, on a device", make_shingle_format},
    {"shingle check", "Check SMRfs without changing it", make_shingle_check},
    {"shingle mount", "Serve SMRfs until it is unmounted", make_shingle_mount,
     /*reads_control_lines=*/false, /*ends_with_input=*/false, /*outlives_parent=*/true},
    {"shingle clean", "Clean bands of a mounted SMRfs now", make_shingle_clean},
    {"shingle serve", "Answer the calls of a shingled disk on a socket, for other programs",
     make_shingle_serve, /*reads_control_lines=*/false, /*ends_with_input=*/false, /*outlives_parent=*/true},
    {"shingle expose", "Serve a Caveat-Scriptor disk as a file, for a loop device over it",
     make_shingle_expose, /*reads_control_lines=*/false, /*ends_with_input=*/false, /*outlives_parent=*/true},
};

}  // namespace

std::span<const CommandRow> commands() {
  return kCommands;
}

}  // namespace patina
