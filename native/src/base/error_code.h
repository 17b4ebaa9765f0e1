// The error codes: one row each.
#pragma once

#include <span>

namespace patina {

// X(enumerator, exit code of the program, name in JSON, meaning). The product switches on the name.
// Append only: never renumber.
// clang-format off
#define PATINA_ERROR_CODES(X) \
  X(kUsage, 2, "usage", "the command line is wrong") \
  X(kInternal, 3, "internal", "an assertion failed: a bug") \
  X(kProfileInvalid, 10, "profile_invalid", "the profile cannot be read or is invalid") \
  X(kProfileDoesNotFit, 11, "profile_does_not_fit", "no bin of the profile can be represented at this capacity") \
  X(kMountUnusable, 12, "mount_unusable", "not a directory, not a mount root, or not empty") \
  X(kNoSpace, 13, "no_space", "the aged file system stayed full within the bound on retries") \
  X(kIoError, 14, "io_error", "EIO, or any other error from the aged file system or device") \
  X(kReadOnly, 15, "read_only", "EROFS: the aged file system turned read-only") \
  X(kQuotaExceeded, 16, "quota_exceeded", "EDQUOT") \
  X(kCheckpointInvalid, 17, "checkpoint_invalid", "the checkpoint does not belong to this plan, or is damaged") \
  X(kDiskDiffers, 18, "disk_differs", "the aged tree differs from the model") \
  X(kLogInvalid, 19, "log_invalid", "the operation log cannot be read, or is damaged") \
  X(kDeviceBusy, 20, "device_busy", "another process has the device open exclusively") \
  X(kDeviceUnusable, 21, "device_unusable", "not a block device, cannot be opened, or has no size") \
  X(kDeviceTooSmall, 22, "device_too_small", "the device is smaller than the image") \
  X(kStoreNoSpace, 23, "store_no_space", "the chunk store's file system is full") \
  X(kStoreIoError, 24, "store_io_error", "the chunk store cannot be read or written") \
  X(kChunkMissing, 25, "chunk_missing", "the index names a chunk that the store does not have") \
  X(kChunkCorrupt, 26, "chunk_corrupt", "a chunk's content does not have the digest of its name") \
  X(kIndexInvalid, 27, "index_invalid", "the index is not a readable .caibx, or is damaged") \
  X(kVerifyMismatch, 28, "verify_mismatch", "data read back differ from the data written") \
  X(kLayoutUnsupported, 29, "layout_unsupported", "the file system cannot report its free space") \
  X(kCanceled, 30, "canceled", "stopped (SIGTERM, stop, end of stdout) before there was a result") \
  X(kTreeUnreadable, 35, "tree_unreadable", "the directory to be scanned cannot be opened") \
  X(kTraceUnavailable, 36, "trace_unavailable", "this kernel cannot trace the writes to the device") \
  X(kTraceInvalid, 37, "trace_invalid", "a trace or a delta cannot be read, or is invalid") \
  X(kStoreBusy, 38, "store_busy", "chunks are being removed from the store, or added while they are to be removed") \
  X(kWorkloadInvalid, 39, "workload_invalid", "a workload file cannot be read, or contains something unknown") \
  X(kModelInvalid, 40, "model_invalid", "a disk model cannot be read, or is smaller than the emulated disk") \
  X(kBackingInvalid, 41, "backing_invalid", "the folder of an emulated disk is in use, damaged, or of another disk") \
  X(kFuseUnavailable, 42, "fuse_unavailable", "an emulated disk cannot be mounted: no FUSE, or no right to it") \
  X(kMaybeDamaged, 43, "maybe_damaged", "a sector of a shingled disk may be damaged by a write before it")
// clang-format on

#define PATINA_ENUMERATOR(enumerator, exit_code, name, meaning) enumerator = (exit_code),
enum class ErrorCode : int { PATINA_ERROR_CODES(PATINA_ENUMERATOR) };
#undef PATINA_ENUMERATOR

struct ErrorCodeRow {
  ErrorCode code;
  const char* name;
  const char* meaning;
};

// The table, in its order.
std::span<const ErrorCodeRow> error_codes();
// The stable snake_case name of a code, e.g. "profile_invalid".
const char* error_code_name(ErrorCode code);

}  // namespace patina
