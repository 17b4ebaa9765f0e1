// Fuzzes checkpoints.
#include "executor/checkpoint.h"

#include <cmath>

#include "fuzzing.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const patina::InputFile file(data, size);
  const patina::Result<patina::Checkpoint> read = patina::read_checkpoint(file.path());
  if (!read) {
    patina::require(read.error().code == patina::ErrorCode::kCheckpointInvalid, "kCheckpointInvalid");
    return 0;
  }
  patina::require(read->tick <= read->horizon_ops_count, "a tick within the horizon");
  patina::require(std::isfinite(read->elapsed_s) && read->elapsed_s >= 0, "a time");
  patina::require(patina::match_checkpoint(*read, *read).ok(), "a checkpoint that matches itself");
  return 0;
}
