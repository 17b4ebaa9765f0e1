// The command line of patina-core.
#pragma once

#include <string>
#include <variant>

#include "age.h"
#include "delta_command.h"
#include "forecast_command.h"
#include "forecasts.h"
#include "generation_command.h"
#include "image.h"
#include "layout.h"
#include "result.h"
#include "scan.h"
#include "simulate.h"
#include "trace.h"

namespace patina {

// The answer to --help and --version.
struct ShowText {
  std::string text;
};

using Options =
    std::variant<ShowText, ForecastOptions, ForecastsOptions, SimulateOptions, AgeOptions, ModesOptions,
                 LayoutOptions, ScanOptions, CaptureOptions, RestoreOptions, VerifyOptions, RollbackOptions,
                 CollectOptions, DiffOptions, TraceOptions, DeltaOptions, GenerationOptions>;

// Error: kUsage.
Result<Options> parse_options(int argc, const char* const* argv);

}  // namespace patina
