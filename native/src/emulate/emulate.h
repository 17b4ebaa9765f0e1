// The `emulate` command: serves an emulated disk until it is stopped.
#pragma once

#include <atomic>

#include "base/event.h"
#include "base/result.h"
#include "emulate/emulated_disk.h"

namespace patina {

// Emits hello, ready with the file to attach a loop device to, and, once it was stopped and nothing has the
// file open, a summary. Status and faults go through the socket `control` in the folder. Errors:
// kBackingInvalid, kFuseUnavailable, kModelInvalid, kStoreNoSpace, kIoError.
Status run_emulate(const EmulatedDiskOptions& options, EventSink& sink, const std::atomic<bool>& stop);

}  // namespace patina
