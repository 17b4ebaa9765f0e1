// One operation on the aged file system: requested by a plan or a workload, carried out by the executor, and
// kept by an operation log.
#pragma once

#include <bit>
#include <cstdint>

#include "base/byte_range.h"

namespace patina {

enum class OperationKind : uint8_t {
  kCreate,
  kDelete,
  kAppend,
  kOverwrite,
  kTruncate,
  kRename,
  kPunchHole,
  kMakeDirectory
};
inline constexpr int kOperationKindsCount = 8;
// The name in JSON: "create", "delete", "append", "overwrite", "truncate", "rename", "punch_hole",
// "make_directory".
const char* operation_kind_name(OperationKind kind);

// 24 bytes, little-endian, hashed as they are.
struct Operation {
  uint64_t file = 0;       // the file's ordinal, from 1; never used again. Of a new directory: its parent
  uint64_t bytes = 0;      // the file's full size, including bytes that it still lacks
  uint32_t directory = 0;  // of a new one: the next number
  OperationKind kind = OperationKind::kCreate;
  uint8_t renamed = 0;  // 1 while the file has its second name
  uint16_t place =
      0;  // where in the file, in 65 536ths of its size; of a create, where it stops short, 0: whole

  bool is_create() const { return kind == OperationKind::kCreate; }
  bool is_delete() const { return kind == OperationKind::kDelete; }
  friend bool operator==(const Operation&, const Operation&) = default;
};
static_assert(sizeof(Operation) == 24 && std::endian::native == std::endian::little,
              "digests are over these very bytes");

// The bytes that a modification touches: from a block-aligned place, an eighth of the file, at least one
// block and at most 1 MiB. A truncate cuts there, a short create ends there.
ByteRange touched_range(const Operation& operation, uint64_t block_size_bytes);
// Returns the expected length of touched_range() over all places.
double expected_touched_bytes(uint64_t bytes, uint64_t block_size_bytes);
// The bytes that are free once it has been committed: of a delete the whole file; of a truncate, a punched
// hole, and an overwrite, which a copy-on-write file system relocates, the touched range.
uint64_t freed_bytes(const Operation& operation, uint64_t block_size_bytes);

}  // namespace patina
