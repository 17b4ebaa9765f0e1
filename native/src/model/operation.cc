// Names of operations and the ranges that modifications touch.
#include "model/operation.h"

#include <algorithm>

namespace patina {
namespace {

constexpr uint64_t kMostTouchedBytes = uint64_t{1} << 20U;

uint64_t touched_length(uint64_t bytes, uint64_t block_size_bytes) {
  const uint64_t eighth = bytes / 8 / block_size_bytes * block_size_bytes;
  return std::clamp(eighth, block_size_bytes, std::max(block_size_bytes, kMostTouchedBytes));
}

}  // namespace

const char* operation_kind_name(OperationKind kind) {
  switch (kind) {
    case OperationKind::kCreate:
      return "create";
    case OperationKind::kDelete:
      return "delete";
    case OperationKind::kAppend:
      return "append";
    case OperationKind::kOverwrite:
      return "overwrite";
    case OperationKind::kTruncate:
      return "truncate";
    case OperationKind::kRename:
      return "rename";
    case OperationKind::kPunchHole:
      return "punch_hole";
    case OperationKind::kMakeDirectory:
      return "make_directory";
  }
  return "create";
}

ByteRange touched_range(const Operation& operation, uint64_t block_size_bytes) {
  // Two factors, so that no size overflows.
  const uint64_t place =
      (operation.bytes >> 16U) * operation.place + ((operation.bytes & 0xffffU) * operation.place >> 16U);
  const uint64_t offset = place / block_size_bytes * block_size_bytes;
  return {offset, std::min(operation.bytes, offset + touched_length(operation.bytes, block_size_bytes))};
}

double expected_touched_bytes(uint64_t bytes, uint64_t block_size_bytes) {
  if (bytes == 0) return 0;
  const auto size = static_cast<double>(bytes);
  const double length = std::min(size, static_cast<double>(touched_length(bytes, block_size_bytes)));
  return length - length * length / (2 * size);
}

uint64_t freed_bytes(const Operation& operation, uint64_t block_size_bytes) {
  switch (operation.kind) {
    case OperationKind::kDelete:
      return operation.bytes;
    case OperationKind::kTruncate:
    case OperationKind::kPunchHole:
    case OperationKind::kOverwrite:
      return touched_range(operation, block_size_bytes).length_bytes();
    case OperationKind::kCreate:
    case OperationKind::kAppend:
    case OperationKind::kRename:
    case OperationKind::kMakeDirectory:
      return 0;
  }
  return 0;
}

}  // namespace patina
