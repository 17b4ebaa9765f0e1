// The layout of a file system: what aging did to it (aging-model, section 6).
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "base/event.h"
#include "base/result.h"
#include "layout/free_extents.h"

namespace patina {

struct LayoutOptions {
  // One of the two: the root of a mounted file system, or a device that is not mounted.
  std::string mount = {};
  std::string device = {};
  int threads_count = 0;            // 0: as many as cores
  uint32_t map_cells_count = 2048;  // of the block map, at most; 0: no map
};

// `layout`: emits hello, then one layout event (ops_count 0). What a mounted file system has not written yet
// it writes first; a device is mounted read-only, for itself, and stays as it is.
// Errors: kMountUnusable, kDeviceBusy, kDeviceUnusable, kLayoutUnsupported, kIoError, kCanceled.
Status run_layout(const LayoutOptions& options, EventSink& sink, const std::atomic<bool>& stop);

}  // namespace patina
