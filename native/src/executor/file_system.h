// The executor's interface to the aged file system. PosixFileSystem is the real one; the tests have one in
// memory.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "base/descriptor.h"
#include "base/result.h"
#include "executor/space_lag.h"
#include "layout/space_map.h"
#include "model/directory_tree.h"
#include "model/operation.h"

namespace patina {

// kMaterialize ages as kFallocate does, and fills the files that are left at the end.
enum class DataMode { kFallocate, kWrite, kSparse, kMaterialize };
// Returns "fallocate", "write", "sparse" or "materialize".
const char* data_mode_name(DataMode mode);

// Maps an errno of the aged file system to an error code.
ErrorCode file_system_error(int code);

// A file found on a walk of the aged tree. A file that Patina did not name has the ordinal 0.
struct FoundFile {
  std::string_view name;
  uint64_t ordinal = 0;
  uint8_t renamed = 0;
  uint32_t directory = 0;  // by the name of its directory
  uint32_t depth = 0;      // of that directory below the mount root, counted on the way
  uint64_t bytes = 0;
};

// Calls on files may come from several threads at once, but never from two for one directory.
class FileSystem {
 public:
  virtual ~FileSystem() = default;
  // Makes every directory of the tree that is not there yet, before any file. Called once.
  virtual Status make_directories(const DirectoryTree& tree) = 0;
  // Returns 0 or an errno. Operations are idempotent: creating a file that exists completes it, and an
  // operation on a deleted file succeeds. A create that fails leaves no file. A directory is made while no
  // other operation is being carried out.
  virtual int carry_out(const Operation& operation) = 0;
  // Starts the writeback of a file, so that its data gets blocks, and does not wait for the end. Succeeds for
  // a deleted file. Returns 0 or an errno.
  virtual int write_back(const Operation& file) = 0;
  // Opens a file, so that its space after a delete becomes free once the descriptor is closed. Invalid where
  // this is unsupported.
  virtual Descriptor keep(const Operation& file) = 0;
  // Writes the whole of a file in place, so that its unwritten extents hold data. Returns 0 or an errno.
  virtual int materialize(const Operation& file) = 0;
  // Visits every file below the mount root, in no order. Errors: kIoError.
  virtual Status walk(const std::function<void(const FoundFile&)>& visit) = 0;
  // Makes everything done so far durable. Returns 0 or an errno.
  virtual int sync() = 0;
  virtual Result<uint64_t> used_bytes() = 0;
  // Waits until the space of deleted files is free, where that happens in the background.
  virtual void wait_for_deletes() {}
  // Returns the lag, or none where the file system does not report it.
  virtual std::optional<SpaceLag> space_lag() = 0;
  // Errors: kLayoutUnsupported, kIoError.
  virtual Result<SpaceMap> space_map() = 0;
};

}  // namespace patina
