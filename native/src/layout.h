// Free-space fragmentation of a mounted file system (aging-model, section 6).
#pragma once

#include <atomic>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "event.h"
#include "result.h"

namespace patina {

// Free extents of min_blocks to 2*min_blocks-1 blocks.
struct FreeExtentBin {
  uint64_t min_blocks = 0;
  uint64_t extents_count = 0;
  uint64_t blocks_count = 0;
};

struct FreeExtents {
  uint64_t block_size_bytes = 0;
  uint64_t free_blocks_count = 0;
  uint64_t extents_count = 0;
  uint64_t max_extent_bytes = 0;
  std::vector<FreeExtentBin> bins;  // ascending powers of two, from 1, without gaps up to the largest
};

// Asks the mounted file system (FS_IOC_GETFSMAP). `mount_fd` is any open directory of it.
// Errors: kLayoutUnsupported, kIoError.
Result<FreeExtents> measure_free_extents(int mount_fd);

// The JSON object of backend/patina/run/event.py, class FreeExtents.
nlohmann::ordered_json free_extents_json(const FreeExtents& free_extents);

struct LayoutOptions {
  std::string mount;
};

// `layout --mount DIR`: emits hello, then one layout event (ops_count 0).
Status run_layout(const LayoutOptions& options, EventSink& sink, const std::atomic<bool>& stop);

}  // namespace patina
