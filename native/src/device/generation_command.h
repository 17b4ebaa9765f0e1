// The `generation` command: whether devices were written to since.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "base/event.h"
#include "base/result.h"

namespace patina {

struct GenerationOptions {
  std::vector<std::string> devices;
};

// Emits hello, a record for each device with its generation (device_generation.h), or the reason why that is
// unknown, and a summary. Error: kCanceled, also when it is stopped.
Status run_generation(const GenerationOptions& options, EventSink& sink, const std::atomic<bool>& stop);

}  // namespace patina
