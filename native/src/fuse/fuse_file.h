// Serves one file, by FUSE.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "base/result.h"
#include "fuse/fuse_session.h"
#include "fuse/served_file.h"

namespace patina {

// Mounted on a file: the file system is that file alone.
class FuseFile {
 public:
  // Mounts at `path`, an existing file, and serves it. kFuseUnavailable.
  static Result<std::unique_ptr<FuseFile>> serve(ServedFile& content, const std::string& path,
                                                 const FuseSession::Options& options);
  FuseFile(const FuseFile&) = delete;
  FuseFile& operator=(const FuseFile&) = delete;

  // Returns whether a process or a loop device has it open.
  bool is_open() const { return opens_count_ > 0; }
  bool is_served() const { return session_->is_served(); }

  // For the requests.
  ServedFile& content() { return content_; }
  void add_open(int count) { opens_count_ += count; }

 private:
  explicit FuseFile(ServedFile& content) : content_(content) {}

  ServedFile& content_;
  std::atomic<int> opens_count_ = 0;
  std::unique_ptr<FuseSession> session_;  // the last member: its requests use the others
};

}  // namespace patina
