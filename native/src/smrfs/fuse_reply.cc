// Errors and entries of replies.
#include "smrfs/fuse_reply.h"

#include <fcntl.h>
#include <fmt/core.h>

#include <cerrno>
#include <ctime>

namespace patina {
namespace {

// Every change goes through this file system: the kernel need not ask again.
constexpr double kForeverS = 1e9;

}  // namespace

SmrVolume& volume_of(fuse_req_t request) {
  return *static_cast<SmrVolume*>(fuse_req_userdata(request));
}

std::shared_ptr<Node> node_of(fuse_req_t request, fuse_ino_t number) {
  return volume_of(request).table().find(number);
}

int errno_of(const Error& error) {
  if (error.code == ErrorCode::kNoSpace) return ENOSPC;
  fmt::print(stderr, "patina-core: {}\n", error.message);
  return EIO;
}

void reply_status(fuse_req_t request, const Status& status) {
  fuse_reply_err(request, status ? 0 : errno_of(status.error()));
}

void reply_result(fuse_req_t request, int result) {
  fuse_reply_err(request, result < 0 ? errno : 0);
}

fuse_entry_param new_entry() {
  fuse_entry_param entry = {};
  entry.attr_timeout = entry.entry_timeout = kForeverS;
  return entry;
}

int look_up(SmrVolume& volume, const Node& parent, const char* name, fuse_entry_param& entry) {
  entry = new_entry();
  Descriptor fd(::openat(parent.fd().get(), name, O_PATH | O_NOFOLLOW | O_CLOEXEC));
  struct stat file = {};
  if (!fd.valid() || ::fstatat(fd.get(), "", &file, AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW) != 0) return errno;
  if (file.st_dev != volume.device()) return EXDEV;
  const Result<std::shared_ptr<Node>> node = volume.table().looked_up(std::move(fd), file);
  if (!node) return errno_of(node.error());
  entry.ino = volume.table().number_of(**node);
  entry.attr = file;
  SmrVolume::complete(**node, entry.attr);
  return 0;
}

void reply_entry(fuse_req_t request, const Node& parent, const char* name) {
  SmrVolume& volume = volume_of(request);
  fuse_entry_param entry;
  const int error = look_up(volume, parent, name, entry);
  if (error != 0) {
    fuse_reply_err(request, error);
  } else if (fuse_reply_entry(request, &entry) != 0) {
    volume.table().forget(entry.ino, 1);
  }
}

void reply_attributes(fuse_req_t request, Node& node) {
  struct stat file = {};
  const int error = SmrVolume::attributes(node, file);
  if (error != 0) {
    fuse_reply_err(request, error);
  } else {
    fuse_reply_attr(request, &file, kForeverS);
  }
}

timespec time_now() {
  timespec now = {};
  ::clock_gettime(CLOCK_REALTIME_COARSE, &now);
  return now;
}

void touch(Node& node) {
  if (!node.content) return;
  const std::lock_guard lock(node.mutex);
  node.changed = time_now();
}

}  // namespace patina
