// `shingle check`: whether an SMRfs is what a mount needs.
#pragma once

#include <atomic>

#include "base/event.h"
#include "base/result.h"
#include "smrfs/smr_device.h"

namespace patina {

struct SmrCheckOptions {
  SmrPlace place;
};

// Changes nothing. Checks the metadata partition of a device by e2fsck(8), then that each block of a file is
// on the disk, belongs to no other file and can be read. Emits hello, a problem for each file that has one,
// and a summary. kBackingInvalid: there are problems; kDeviceBusy; kDeviceUnusable: not unmounted cleanly, or
// e2fsck finds errors; kIoError; kCanceled.
Status run_smr_check(const SmrCheckOptions& options, EventSink& sink, const std::atomic<bool>& stop);

}  // namespace patina
