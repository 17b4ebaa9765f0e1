// `shingle mount`: SMRfs, a file system for a shingled disk (Singh, Carnegie Mellon, 2014, chapter 4).
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "base/event.h"
#include "base/result.h"
#include "smrfs/smr_device.h"

namespace patina {

struct SmrMountOptions {
  SmrPlace place;
  std::string mount_folder;                    // where the files are seen
  std::string kernel_options;                  // as of mount(8): "noatime,nosuid"
  uint64_t buffer_bytes = uint64_t{2} << 30U;  // of files that are not closed yet
};

// Serves the file system until a stop request or an unmount, and then writes everything to the disk. Emits
// hello, ready and a summary. kBackingInvalid; kDeviceTooSmall; kMountUnusable; kFuseUnavailable; kUsage: the
// geometry; kNoSpace, kIoError: what was closed could not be written.
Status run_smr_mount(const SmrMountOptions& options, EventSink& sink, const std::atomic<bool>& stop);

}  // namespace patina
