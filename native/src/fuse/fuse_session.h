// A session of FUSE: a mount, and the threads that answer the kernel's requests.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <thread>

#include "base/result.h"

struct fuse_lowlevel_ops;
struct fuse_session;

namespace patina {

class FuseSession {
 public:
  struct Options {
    const char* what = "";      // in errors: "the emulated disk"
    std::string mount_options;  // as mount(8) has them
    unsigned most_threads = 64;
    unsigned idle_threads = 8;  // that stay
  };

  // Mounts at `path` and answers requests from threads of its own. `user_data` is that of each request.
  // kFuseUnavailable.
  static Result<std::unique_ptr<FuseSession>> mount(const fuse_lowlevel_ops& operations, void* user_data,
                                                    const std::string& path, const Options& options);
  // Unmounts, and waits for the requests under way.
  ~FuseSession();
  FuseSession(const FuseSession&) = delete;
  FuseSession& operator=(const FuseSession&) = delete;

  // Returns whether it is still served: an unmount by others ends it.
  bool is_served() const { return is_served_; }

 private:
  explicit FuseSession(std::string path) : path_(std::move(path)) {}

  const std::string path_;
  fuse_session* session_ = nullptr;
  std::thread thread_;
  std::atomic<bool> is_served_ = false;
};

}  // namespace patina
