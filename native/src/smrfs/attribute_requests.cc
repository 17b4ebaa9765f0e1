// Attributes are those of the metadata folder, but for sizes and for the times of data that waits.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>

#include "smrfs/fuse_reply.h"
#include "smrfs/reports.h"
#include "smrfs/requests.h"

namespace patina {
namespace {

void on_getattr(fuse_req_t request, fuse_ino_t number, fuse_file_info* /*info*/) {
  reply_attributes(request, *node_of(request, number));
}

// Returns an errno.
int set_owner_and_mode(const Node& node, const struct stat& wanted, int what) {
  constexpr auto kUnchanged = static_cast<uid_t>(-1);
  if ((what & (FUSE_SET_ATTR_UID | FUSE_SET_ATTR_GID)) != 0) {
    const uid_t user = (what & FUSE_SET_ATTR_UID) != 0 ? wanted.st_uid : kUnchanged;
    const gid_t group = (what & FUSE_SET_ATTR_GID) != 0 ? wanted.st_gid : kUnchanged;
    if (::fchownat(node.fd().get(), "", user, group, AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW) != 0) return errno;
  }
  // After the owner, since a change of the owner clears bits of the mode.
  const bool sets_mode = (what & FUSE_SET_ATTR_MODE) != 0;
  return sets_mode && ::chmod(node.fd().path().c_str(), wanted.st_mode & ALLPERMS) != 0 ? errno : 0;
}

timespec wanted_time(const timespec& time, int what, int is_set, int is_now) {
  if ((what & is_now) != 0) return {.tv_sec = 0, .tv_nsec = UTIME_NOW};
  return (what & is_set) != 0 ? time : timespec{.tv_sec = 0, .tv_nsec = UTIME_OMIT};
}

// Returns an errno.
int set_times(SmrVolume& volume, const std::shared_ptr<Node>& node, const struct stat& wanted, int what) {
  const timespec accessed = wanted_time(wanted.st_atim, what, FUSE_SET_ATTR_ATIME, FUSE_SET_ATTR_ATIME_NOW);
  const timespec modified = wanted_time(wanted.st_mtim, what, FUSE_SET_ATTR_MTIME, FUSE_SET_ATTR_MTIME_NOW);
  if (accessed.tv_nsec == UTIME_OMIT && modified.tv_nsec == UTIME_OMIT) return 0;
  const std::array<timespec, 2> times = {accessed, modified};
  if (::utimensat(AT_FDCWD, node->fd().path().c_str(), times.data(), 0) != 0) return errno;
  const std::lock_guard lock(node->mutex);
  if (!node->content || !node->modified || modified.tv_nsec == UTIME_OMIT) return 0;
  // The time of earlier writes may wait to be stored: this one is stored after it.
  node->modified = modified.tv_nsec == UTIME_NOW ? time_now() : modified;
  if (!node->is_gone && !volume.publisher().put(node)) node->is_private = false;
  return 0;
}

Status resize(const std::shared_ptr<Node>& node, uint64_t size_bytes) {
  const std::lock_guard lock(node->mutex);
  Status status = node->content->resize(size_bytes);
  if (status) node->modified = node->changed = time_now();
  return status;
}

bool is_open(Node& node) {
  const std::lock_guard lock(node.mutex);
  return node.opens_count > 0;
}

void on_setattr(fuse_req_t request, fuse_ino_t number, struct stat* wanted, int what, fuse_file_info* info) {
  const std::shared_ptr<Node> node = node_of(request, number);
  SmrVolume& volume = volume_of(request);
  int error = set_owner_and_mode(*node, *wanted, what);
  if (error == 0 && (what & FUSE_SET_ATTR_SIZE) != 0) {
    Status status = resize(node, static_cast<uint64_t>(wanted->st_size));
    // Of a file that is not open, no close follows.
    if (status && info == nullptr && !is_open(*node)) status = volume.settle(node);
    if (!status) error = errno_of(status.error());
  }
  if (error == 0) error = set_times(volume, node, *wanted, what);
  if (error != 0) {
    fuse_reply_err(request, error);
    return;
  }
  touch(*node);
  reply_attributes(request, *node);
}

// Those of the file system's own are not of the file, and access lists are not enforced.
int refused(const char* name) {
  constexpr std::string_view kAccessLists = "system.posix_acl_";
  if (is_own_attribute(name)) return EPERM;
  return std::string_view(name).starts_with(kAccessLists) ? EOPNOTSUPP : 0;
}

void reply_value(fuse_req_t request, std::string_view value, size_t size) {
  if (size == 0) {
    fuse_reply_xattr(request, value.size());
  } else if (size < value.size()) {
    fuse_reply_err(request, ERANGE);
  } else {
    fuse_reply_buf(request, value.data(), value.size());
  }
}

void reply_report(fuse_req_t request, const std::shared_ptr<Node>& node, const char* name, size_t size) {
  const Result<std::optional<std::string>> found = report(volume_of(request), node, name);
  const std::optional<std::string> value = found ? *found : std::nullopt;
  if (value) {
    reply_value(request, *value, size);
  } else {
    fuse_reply_err(request, found ? ENODATA : errno_of(found.error()));
  }
}

void on_getxattr(fuse_req_t request, fuse_ino_t number, const char* name, size_t size) {
  if (is_own_attribute(name)) {
    reply_report(request, node_of(request, number), name, size);
    return;
  }
  if (const int error = refused(name); error != 0) {
    fuse_reply_err(request, error);
    return;
  }
  const HeldFile file = node_of(request, number)->fd();
  const std::string path = file.path();
  std::string value(size, '\0');
  const ssize_t length = ::getxattr(path.c_str(), name, value.data(), size);
  if (length < 0) {
    fuse_reply_err(request, errno);
  } else if (size == 0) {
    fuse_reply_xattr(request, static_cast<size_t>(length));
  } else {
    fuse_reply_buf(request, value.data(), static_cast<size_t>(length));
  }
}

void on_listxattr(fuse_req_t request, fuse_ino_t number, size_t size) {
  constexpr size_t kMostBytes = 65536;  // of the kernel
  std::string all(kMostBytes, '\0');
  const ssize_t length = ::listxattr(node_of(request, number)->fd().path().c_str(), all.data(), all.size());
  if (length < 0) {
    fuse_reply_err(request, errno);
    return;
  }
  std::string shown;
  for (std::string_view left(all.data(), static_cast<size_t>(length)); !left.empty();) {
    const std::string_view name = left.substr(0, left.find('\0'));
    left.remove_prefix(name.size() + 1);
    if (refused(std::string(name).c_str()) == 0) shown.append(name).push_back('\0');
  }
  reply_value(request, shown, size);
}

void reply_changed(fuse_req_t request, Node& node, int result) {
  if (result == 0) touch(node);
  reply_result(request, result);
}

void clean_now(fuse_req_t request) {
  SmrVolume& volume = volume_of(request);
  if (!volume.area().has_cleaner()) {
    fuse_reply_err(request, EOPNOTSUPP);
    return;
  }
  const Result<bool> has_gained = volume.clean();
  const int error = has_gained ? ENODATA : errno_of(has_gained.error());
  fuse_reply_err(request, has_gained && *has_gained ? 0 : error);
}

void on_setxattr(fuse_req_t request, fuse_ino_t number, const char* name, const char* value, size_t size,
                 int flags) {
  if (number == NodeTable::kRootNumber && std::string_view(name) == kCleanNow) {
    clean_now(request);
    return;
  }
  if (const int error = refused(name); error != 0) {
    fuse_reply_err(request, error);
    return;
  }
  const std::shared_ptr<Node> node = node_of(request, number);
  reply_changed(request, *node, ::setxattr(node->fd().path().c_str(), name, value, size, flags));
}

void on_removexattr(fuse_req_t request, fuse_ino_t number, const char* name) {
  if (const int error = refused(name); error != 0) {
    fuse_reply_err(request, error);
    return;
  }
  const std::shared_ptr<Node> node = node_of(request, number);
  reply_changed(request, *node, ::removexattr(node->fd().path().c_str(), name));
}

void on_statfs(fuse_req_t request, fuse_ino_t /*number*/) {
  struct statvfs system = {};
  const int error = volume_of(request).statistics(system);
  if (error != 0) {
    fuse_reply_err(request, error);
  } else {
    fuse_reply_statfs(request, &system);
  }
}

}  // namespace

void add_attribute_requests(fuse_lowlevel_ops& ops) {
  ops.getattr = on_getattr;
  ops.setattr = on_setattr;
  ops.getxattr = on_getxattr;
  ops.listxattr = on_listxattr;
  ops.setxattr = on_setxattr;
  ops.removexattr = on_removexattr;
  ops.statfs = on_statfs;
}

}  // namespace patina
