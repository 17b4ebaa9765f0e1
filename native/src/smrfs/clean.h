// `shingle clean`: cleaning of a mounted SMRfs on demand.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "base/event.h"
#include "base/result.h"

namespace patina {

struct SmrCleanOptions {
  std::string mount_folder;
  uint64_t most_bands = 0;  // 0: until no band gives anything back
};

// Cleans bands of the SMRfs that is mounted at a folder, one after the other, by the policy of its mount.
// Emits hello, progress after each band, and a summary. kUsage: a Caveat-Scriptor disk has no cleaner;
// kMountUnusable: no SMRfs is mounted there, or the caller is not root; kIoError; kCanceled.
Status run_smr_clean(const SmrCleanOptions& options, EventSink& sink, const std::atomic<bool>& stop);

}  // namespace patina
