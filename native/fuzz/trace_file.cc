// Fuzzes traces: blktrace's records, patina's own, and blkparse's text.
#include "trace/trace_file.h"

#include "fuzzing.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr uint64_t kDeviceBytes = (uint64_t{1} << 30U) + 512;
  const patina::InputFile file(data, size);
  for (const uint64_t partition_start_sectors : {uint64_t{0}, uint64_t{2048}}) {
    patina::TraceTally tally(kDeviceBytes, partition_start_sectors);
    const patina::Result<patina::TraceFile> read = patina::read_trace_file(file.path(), tally);
    if (!read) {
      patina::require(read.error().code == patina::ErrorCode::kTraceInvalid, "kTraceInvalid");
      continue;
    }
    uint64_t touched_bytes = 0;
    uint64_t end_bytes = 0;
    for (const patina::ByteRange& extent : tally.dirty().extents(size + 1)) {
      patina::require(touched_bytes == 0 || extent.begin_bytes > end_bytes, "extents that do not touch");
      patina::require(extent.begin_bytes % tally.dirty().block_bytes() == 0, "extents on blocks");
      end_bytes = extent.end_bytes;
      touched_bytes += extent.length_bytes();
    }
    patina::require(end_bytes <= kDeviceBytes, "extents on the device");
    patina::require(touched_bytes == tally.dirty().touched_bytes(), "as much as was counted");
  }
  return 0;
}
