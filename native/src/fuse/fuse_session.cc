// A thread runs the loop of libfuse, which starts the others.
#define FUSE_USE_VERSION 312

#include "fuse/fuse_session.h"

#include <fmt/format.h>
#include <fuse3/fuse_lowlevel.h>
#include <sys/mount.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace patina {

Result<std::unique_ptr<FuseSession>> FuseSession::mount(const fuse_lowlevel_ops& operations, void* user_data,
                                                        const std::string& path, const Options& options) {
  std::unique_ptr<FuseSession> session(new FuseSession(path));
  std::array<std::string, 3> words = {"patina-core", "-o", options.mount_options};
  std::array<char*, 3> argv = {words[0].data(), words[1].data(), words[2].data()};
  fuse_args arguments = FUSE_ARGS_INIT(static_cast<int>(argv.size()), argv.data());
  session->session_ = fuse_session_new(&arguments, &operations, sizeof operations, user_data);
  fuse_opt_free_args(&arguments);
  if (session->session_ == nullptr || fuse_session_mount(session->session_, path.c_str()) != 0) {
    const std::string reason =
        ::access("/dev/fuse", R_OK | W_OK) == 0 ? "" : fmt::format(" (/dev/fuse: {})", std::strerror(errno));
    return Error{
        ErrorCode::kFuseUnavailable,
        fmt::format("{} cannot be mounted at '{}'{}: FUSE and root are needed", options.what, path, reason)};
  }
  session->is_served_ = true;
  session->thread_ =
      std::thread([served = session.get(), most = options.most_threads, idle = options.idle_threads] {
        fuse_loop_config* config = fuse_loop_cfg_create();
        fuse_loop_cfg_set_clone_fd(config, 1);
        fuse_loop_cfg_set_max_threads(config, most);
        fuse_loop_cfg_set_idle_threads(config, idle);
        fuse_session_loop_mt(served->session_, config);
        fuse_loop_cfg_destroy(config);
        served->is_served_ = false;
      });
  return session;
}

FuseSession::~FuseSession() {
  if (thread_.joinable()) {
    fuse_session_exit(session_);
    // Ends the connection also where another mount namespace has a copy of the mount.
    ::umount2(path_.c_str(), MNT_FORCE | MNT_DETACH | UMOUNT_NOFOLLOW);
    fuse_session_unmount(session_);
    thread_.join();
  }
  if (session_ != nullptr) fuse_session_destroy(session_);
}

}  // namespace patina
