// The kernel's own file systems, such as tracefs, without a mount point.
#pragma once

#include <string>

#include "base/descriptor.h"
#include "base/result.h"

namespace patina {

class KernelFileSystem {
 public:
  // Mounts it for this process alone, in no folder and no namespace. Error: kTraceUnavailable.
  static Result<KernelFileSystem> open(const char* type);

  int root_fd() const { return root_.get(); }

 private:
  KernelFileSystem(Descriptor mount, Descriptor root) : mount_(std::move(mount)), root_(std::move(root)) {}

  Descriptor mount_;  // declared first: the root is closed before it
  Descriptor root_;
};

// Read and write small files below a folder. Errors: kTraceUnavailable, naming the file.
Result<std::string> read_file_at(int folder, const std::string& path);
Status write_file_at(int folder, const std::string& path, const std::string& text);

}  // namespace patina
