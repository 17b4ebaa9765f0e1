// Finds a file of the metadata folder again that the kernel has forgotten.
#pragma once

#include <sys/types.h>

#include <string>

#include "base/descriptor.h"
#include "base/result.h"

namespace patina {

struct FileIdentity {
  ino_t inode = 0;
  int type = 0;        // of the handle: name_to_handle_at(2)
  std::string handle;  // its bytes
};

// Of an open file, or of the regular file at `path`. kIoError.
Result<FileIdentity> identity_of(int fd, ino_t inode);
Result<FileIdentity> identity_of(const std::string& path, ino_t inode);
// Opens it with O_PATH. `folder_fd`: any file of the same file system. Invalid, with errno, if it is gone.
Descriptor open_identity(int folder_fd, const FileIdentity& identity);

}  // namespace patina
