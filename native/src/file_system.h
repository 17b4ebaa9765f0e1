// The narrow interface through which the executor touches the aged file system. PosixFileSystem is the real
// one; the tests' twin lives in memory.
#pragma once

#include <cstdint>

#include "directory_tree.h"
#include "layout.h"
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
  // Both return 0 or an errno. Creating a file that exists makes it whole; removing one that is gone is
  // fine. A create that fails leaves no file.
  virtual int create_file(uint32_t directory, uint64_t ordinal, uint64_t bytes) = 0;
  virtual int remove_file(uint32_t directory, uint64_t ordinal) = 0;
  // Everything done so far is durable once this returns 0; otherwise an errno.
  virtual int sync() = 0;
  virtual Result<uint64_t> used_bytes() = 0;
  virtual Result<FreeExtents> free_extents() = 0;
};

}  // namespace patina
