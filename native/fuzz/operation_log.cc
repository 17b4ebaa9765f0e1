// Fuzzes operation logs: the input is the content of a log's frame, so that the checksum is always right.
#include "age/operation_log.h"

#include <zstd.h>

#include <array>
#include <vector>

#include "age/workload.h"
#include "fuzzing.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::vector<uint8_t> packed(ZSTD_compressBound(size));
  const size_t packed_size = ZSTD_compress(packed.data(), packed.size(), data, size, 1);
  patina::require(ZSTD_isError(packed_size) == 0, "a frame");
  const patina::InputFile file(packed.data(), packed_size);
  patina::WorkloadRequest request;
  request.kind = patina::WorkloadKind::kReplay;
  request.capacity_bytes = 1U << 30U;
  request.log_file = file.path();
  patina::Result<std::unique_ptr<patina::Course>> course = patina::make_workload(request);
  if (!course) {
    patina::require(course.error().code == patina::ErrorCode::kLogInvalid, "kLogInvalid");
    return 0;
  }
  // A log checked to its end can be replayed to its end.
  std::array<patina::Operation, 64> block;
  while (!(*course)->finished()) patina::require((*course)->next(block).ok(), "a next operation");
  patina::require((*course)->tick() == (*course)->horizon(), "as many operations as were counted");
  return 0;
}
