// The `models` command: the built-in disk models, or whether a file is one.
#pragma once

#include <string>

#include "base/event.h"
#include "base/result.h"

namespace patina {

struct ModelsOptions {
  std::string model;  // empty: all that are built in
};

// Emits hello, a record for each model, and a summary. Error: kModelInvalid; kCanceled, when standard output
// is closed.
Status run_models(const ModelsOptions& options, EventSink& sink);

}  // namespace patina
