// The folder of an emulated disk: whose it is, and that one process serves it.
#pragma once

#include <cstdint>
#include <string>

#include "base/descriptor.h"
#include "base/result.h"

namespace patina {

class BackingFolder {
 public:
  // Makes the folder if it does not exist, and locks it. kBackingInvalid: it belongs to another account,
  // holds something else or a disk of another size, or another process serves it.
  static Result<BackingFolder> open(const std::string& path, uint64_t size_bytes);

  // The file to mount on; the control socket.
  std::string disk_path() const { return path_ + "/disk"; }
  std::string control_path() const { return path_ + "/control"; }

 private:
  BackingFolder(std::string path, Descriptor lock) : path_(std::move(path)), lock_(std::move(lock)) {}

  std::string path_;
  Descriptor lock_;
};

}  // namespace patina
