// Names data modes, and maps errnos of the aged file system to error codes.
#include "executor/file_system.h"

#include <cerrno>

namespace patina {

const char* data_mode_name(DataMode mode) {
  switch (mode) {
    case DataMode::kFallocate:
      return "fallocate";
    case DataMode::kWrite:
      return "write";
    case DataMode::kSparse:
      return "sparse";
    case DataMode::kMaterialize:
      return "materialize";
  }
  return "fallocate";
}

ErrorCode file_system_error(int code) {
  switch (code) {
    case ENOSPC:
      return ErrorCode::kNoSpace;
    case EROFS:
      return ErrorCode::kReadOnly;
    case EDQUOT:
      return ErrorCode::kQuotaExceeded;
    default:
      return ErrorCode::kIoError;
  }
}

}  // namespace patina
