// A delta: which 4 KiB blocks of a device were touched while it was traced. The format is described in
// docs/file-formats.md, "Delta".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/byte_range.h"
#include "base/result.h"

namespace patina {

inline constexpr uint64_t kDeltaBlockBytes = 4096;
// Above this, neighbours are joined (dirty_blocks.h): a rollback may rewrite untouched blocks, but omits no
// touched one.
inline constexpr uint64_t kMaxDeltaExtents = uint64_t{2} << 20U;

struct Delta {
  uint64_t device_bytes = 0;
  std::string source;             // tracefs, blktrace, blktrace_file or blkparse_text
  std::string incomplete_reason;  // empty when complete: why any block may be touched
  std::string generation_begin;   // device_generation() when armed; empty when not known
  std::string generation_end;     // ... when disarmed
  uint64_t events_count = 0;
  uint64_t dropped_count = 0;
  // Ascending, disjoint, not touching, on kDeltaBlockBytes; the last may end at device_bytes.
  std::vector<ByteRange> extents;

  bool complete() const { return incomplete_reason.empty(); }
  uint64_t touched_bytes() const;
};

// Writes durably: the name appears when all of the delta is on the disk. kIoError.
Status write_delta(const std::string& path, const Delta& delta);

// Reads a delta; detects a truncated or altered one. kTraceInvalid.
Result<Delta> read_delta(const std::string& path);

}  // namespace patina
