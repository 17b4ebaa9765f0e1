// The narrow interface through which the executor touches the aged file system. PosixFileSystem is the real
// one; the tests' twin lives in memory.
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
// "fallocate", "write", "sparse" or "materialize".
const char* data_mode_name(DataMode mode);

// What an errno of the aged file system is called in this program.
ErrorCode file_system_error(int code);

// A file met on a walk of the aged tree. What has no name of ours has the ordinal 0.
struct FoundFile {
  std::string_view name;
  uint64_t ordinal = 0;
  uint8_t renamed = 0;
  uint32_t directory = 0;  // by the name of the directory that it is in
  uint32_t depth = 0;      // of that directory below the mount root, counted on the way
  uint64_t bytes = 0;
};

// The calls about files may come from several threads at once, but never from two for one directory.
class FileSystem {
 public:
  virtual ~FileSystem() = default;
  // Makes every directory of the tree that is not there yet, before any file. Called once.
  virtual Status make_directories(const DirectoryTree& tree) = 0;
  // Returns 0 or an errno. What is done already is done again without harm: creating a file that exists makes
  // it whole, and a file that is gone needs nothing more. A create that fails leaves no file. A directory is
  // made while nothing else is being carried out.
  virtual int carry_out(const Operation& operation) = 0;
  // Starts the writeback of a file, so that what was written into it gets its blocks, and does not wait for
  // its end. A file that is gone needs nothing more. Returns 0 or an errno.
  virtual int write_back(const Operation& file) = 0;
  // The space of a file that is then deleted becomes free once the descriptor is closed. Invalid where that
  // cannot be had.
  virtual Descriptor keep(const Operation& file) = 0;
  // Writes the whole of a file in place, so that its unwritten extents hold data. Returns 0 or an errno.
  virtual int materialize(const Operation& file) = 0;
  // Every file below the mount root, in no order. Errors: kIoError.
  virtual Status walk(const std::function<void(const FoundFile&)>& visit) = 0;
  // Everything done so far is durable once this returns 0; otherwise an errno.
  virtual int sync() = 0;
  virtual Result<uint64_t> used_bytes() = 0;
  // Nothing where the file system reports no lag.
  virtual std::optional<SpaceLag> space_lag() = 0;
  // Errors: kLayoutUnsupported, kIoError.
  virtual Result<SpaceMap> space_map() = 0;
};

}  // namespace patina
