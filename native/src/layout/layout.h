// The layout of a file system: the result of aging (docs/design.md, "What a layout tells").
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

// `layout`: emits hello, then one layout event (ops_count 0). A mounted file system is synced first; a device
// is mounted privately and read-only, and stays unchanged. Errors: kMountUnusable, kDeviceBusy,
// kDeviceUnusable, kLayoutUnsupported, kIoError, kCanceled.
Status run_layout(const LayoutOptions& options, EventSink& sink, const std::atomic<bool>& stop);

}  // namespace patina
