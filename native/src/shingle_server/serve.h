// `shingle serve`: the calls of a shingled disk on a Unix socket, for other programs.
#pragma once

#include <atomic>
#include <string>

#include "base/event.h"
#include "base/result.h"
#include "shingle/new_disk.h"

namespace patina {

struct ServeOptions {
  std::string data;   // file or block device
  std::string state;  // file with the damaged sectors or the cursors; if it does not exist, `create` makes it
  std::string socket;  // path
  NewDisk disk = {};
};

// Serves until a stop request, and then flushes the disk. Emits hello, ready and a summary. kBackingInvalid;
// kDeviceTooSmall; kIoError.
Status run_serve(const ServeOptions& options, EventSink& sink, const std::atomic<bool>& stop);

}  // namespace patina
