// `shingle expose`: a Caveat-Scriptor disk as one file, for a loop device over it.
#pragma once

#include <atomic>
#include <string>

#include "base/event.h"
#include "base/result.h"
#include "shingle/new_disk.h"

namespace patina {

struct ExposeOptions {
  std::string data;   // file or block device
  std::string state;  // file with the damaged sectors; a disk is made if it does not exist
  std::string path;   // of the file that is served; made if it does not exist
  NewDisk disk = {};
};

// Serves the file until a stop request after which nothing has it open, or an unmount. Emits hello, ready and
// a summary. kBackingInvalid, also if the disk has another interface; kDeviceTooSmall; kFuseUnavailable;
// kUsage: the geometry; kIoError.
Status run_expose(const ExposeOptions& options, EventSink& sink, const std::atomic<bool>& stop);

}  // namespace patina
