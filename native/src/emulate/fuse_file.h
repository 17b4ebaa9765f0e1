// Serves an emulated disk as one file, by FUSE.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <thread>

#include "base/result.h"
#include "emulate/emulated_disk.h"

struct fuse_session;

namespace patina {

// Mounted on a file: the file system is that file alone.
class FuseFile {
 public:
  // Mounts at `path`, an existing file, and serves it from threads of its own. kFuseUnavailable.
  static Result<std::unique_ptr<FuseFile>> serve(EmulatedDisk& disk, const std::string& path);
  // Unmounts, and waits for the requests under way.
  ~FuseFile();
  FuseFile(const FuseFile&) = delete;
  FuseFile& operator=(const FuseFile&) = delete;

  // Returns whether a process or a loop device has it open.
  bool is_open() const { return opens_count_ > 0; }
  // Returns whether it is still served: an unmount by others ends it.
  bool is_served() const { return is_served_; }

  // For the requests.
  EmulatedDisk& disk() { return disk_; }
  void add_open(int count) { opens_count_ += count; }

 private:
  FuseFile(EmulatedDisk& disk, std::string path) : disk_(disk), path_(std::move(path)) {}

  EmulatedDisk& disk_;
  const std::string path_;
  fuse_session* session_ = nullptr;
  std::thread thread_;
  std::atomic<int> opens_count_ = 0;
  std::atomic<bool> is_served_ = false;
};

}  // namespace patina
