// Result<T>: a value or an Error. No exception crosses a file of this program.
#pragma once

#include <cassert>
#include <string>
#include <utility>
#include <variant>

namespace patina {

// Every way a command can fail. The name (error_code_name) is what JSON carries and what the product
// switches on; the number is the exit code of the program. Append only: never renumber.
enum class ErrorCode : int {
  kUsage = 2,               // the command line is wrong
  kInternal = 3,            // an assertion of ours about the outside world failed; a bug
  kProfileInvalid = 10,     // the profile cannot be read or makes no sense
  kProfileDoesNotFit = 11,  // no bin of the profile can be represented at this capacity
  kMountUnusable = 12,      // not a directory, not a mount root, or not empty
  kNoSpace = 13,            // the aged file system stayed full within the bound on retries
  kIoError = 14,            // EIO, or any other error from the aged file system or device
  kReadOnly = 15,           // EROFS: the aged file system turned read-only
  kQuotaExceeded = 16,      // EDQUOT
  kCheckpointInvalid = 17,  // the checkpoint does not belong to this plan, or is damaged
  kDiskDiffers = 18,        // the aged tree is not what the model says
  kLogInvalid = 19,         // the operation log cannot be read, or is damaged
  kDeviceBusy = 20,         // somebody else has the device open exclusively
  kDeviceUnusable = 21,     // not a block device, cannot be opened, or has no size
  kDeviceTooSmall = 22,     // the device is smaller than the image
  kStoreNoSpace = 23,       // the chunk store's file system is full
  kStoreIoError = 24,       // the chunk store cannot be read or written
  kChunkMissing = 25,       // the index names a chunk that the store does not have
  kChunkCorrupt = 26,       // a chunk's content does not have the digest of its name
  kIndexInvalid = 27,       // the index is not a .caibx that we can read, or is damaged
  kVerifyMismatch = 28,     // what was written does not read back
  kLayoutUnsupported = 29,  // the file system cannot report its free space
  kCanceled = 30,           // told to stop (SIGTERM, stop, end of stdout) before there was a result
  kTreeUnreadable = 35,     // the directory to be scanned cannot be opened
  kTraceUnavailable = 36,   // this kernel lets nobody see what is written to the device
  kTraceInvalid = 37,       // a trace or a delta cannot be read, or makes no sense
  kStoreBusy = 38,          // chunks are being removed from the store, or added while they are to be removed
};

// The stable snake_case name of a code, e.g. "profile_invalid".
const char* error_code_name(ErrorCode code);

struct Error {
  ErrorCode code;
  std::string message;  // what happened, to what, what to do
};

// Holds a T or an Error; the caller looks before it takes.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value)
      : state_(std::in_place_index<0>, std::move(value)) {}  // NOLINT(google-explicit-constructor)
  Result(Error error)
      : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT(google-explicit-constructor)

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  T& value() {
    assert(ok());
    return *std::get_if<0>(&state_);
  }
  const T& value() const {
    assert(ok());
    return *std::get_if<0>(&state_);
  }
  const Error& error() const {
    assert(!ok());
    return *std::get_if<1>(&state_);
  }

  T& operator*() { return value(); }
  const T& operator*() const { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

 private:
  std::variant<T, Error> state_;
};

// For operations without a value.
struct Unit {};
using Status = Result<Unit>;
inline Status ok_status() {
  return Unit{};
}

}  // namespace patina
