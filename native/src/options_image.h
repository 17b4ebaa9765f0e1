// The command line of the commands about images.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string_view>

#include "image.h"
#include "options.h"

namespace patina {

struct ImageOptions {
  CaptureOptions capture;
  RestoreOptions restore;
  VerifyOptions verify;
  RollbackOptions rollback;
  CollectOptions collect;
  DiffOptions diff;
  TraceOptions trace;
  DeltaOptions delta;
  GenerationOptions generation;
};

// `named` alone gets its options: to make all of them takes longer than a part of a rollback.
void add_image_commands(CLI::App& app, std::string_view named, ImageOptions& options);

// The one that was named; nothing when it is none of these. Error: kUsage.
std::optional<Result<Options>> chosen_image_command(const CLI::App& app, const ImageOptions& options);

}  // namespace patina
