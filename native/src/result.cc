// The stable names of the error codes.
#include "result.h"

namespace patina {

const char* error_code_name(ErrorCode code) {
  switch (code) {
    case ErrorCode::kUsage:
      return "usage";
    case ErrorCode::kInternal:
      return "internal";
    case ErrorCode::kProfileInvalid:
      return "profile_invalid";
    case ErrorCode::kProfileDoesNotFit:
      return "profile_does_not_fit";
    case ErrorCode::kMountUnusable:
      return "mount_unusable";
    case ErrorCode::kNoSpace:
      return "no_space";
    case ErrorCode::kIoError:
      return "io_error";
    case ErrorCode::kReadOnly:
      return "read_only";
    case ErrorCode::kQuotaExceeded:
      return "quota_exceeded";
    case ErrorCode::kCheckpointInvalid:
      return "checkpoint_invalid";
    case ErrorCode::kDiskDiffers:
      return "disk_differs";
    case ErrorCode::kLogInvalid:
      return "log_invalid";
    case ErrorCode::kDeviceBusy:
      return "device_busy";
    case ErrorCode::kDeviceUnusable:
      return "device_unusable";
    case ErrorCode::kDeviceTooSmall:
      return "device_too_small";
    case ErrorCode::kStoreNoSpace:
      return "store_no_space";
    case ErrorCode::kStoreIoError:
      return "store_io_error";
    case ErrorCode::kChunkMissing:
      return "chunk_missing";
    case ErrorCode::kChunkCorrupt:
      return "chunk_corrupt";
    case ErrorCode::kIndexInvalid:
      return "index_invalid";
    case ErrorCode::kVerifyMismatch:
      return "verify_mismatch";
    case ErrorCode::kLayoutUnsupported:
      return "layout_unsupported";
    case ErrorCode::kCanceled:
      return "canceled";
    case ErrorCode::kTreeUnreadable:
      return "tree_unreadable";
    case ErrorCode::kTraceUnavailable:
      return "trace_unavailable";
    case ErrorCode::kTraceInvalid:
      return "trace_invalid";
    case ErrorCode::kStoreBusy:
      return "store_busy";
  }
  return "internal";
}

}  // namespace patina
