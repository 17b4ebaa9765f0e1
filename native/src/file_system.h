// The narrow interface through which the executor touches the aged file system. PosixFileSystem is the real
// one; the tests' twin lives in memory.
#pragma once

#include <cstdint>

#include "directory_tree.h"
#include "layout.h"
#include "operation.h"
#include "result.h"

namespace patina {

enum class DataMode { kFallocate, kWrite, kSparse };
// "fallocate", "write" or "sparse".
const char* data_mode_name(DataMode mode);

// What an errno of the aged file system is called in this program.
ErrorCode file_system_error(int code);

// The calls about files may come from several threads at once, but never from two for one directory.
class FileSystem {
 public:
  virtual ~FileSystem() = default;
  // Makes every directory of the tree that is not there yet, before any file. Called once.
  virtual Status make_directories(const DirectoryTree& tree) = 0;
  // Returns 0 or an errno. What is done already is done again without harm: creating a file that exists makes
  // it whole, and a file that is gone needs nothing more. A create that fails leaves no file.
  virtual int carry_out(const Operation& operation) = 0;
  // Everything done so far is durable once this returns 0; otherwise an errno.
  virtual int sync() = 0;
  virtual Result<uint64_t> used_bytes() = 0;
  virtual Result<FreeExtents> free_extents() = 0;
};

}  // namespace patina
