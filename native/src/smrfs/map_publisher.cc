// The order of a commit: data, extents, metadata; then what was released is free to be written.
#include "smrfs/map_publisher.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace patina {
namespace {

Error failed(const char* what, ino_t inode) {
  const ErrorCode code = errno == ENOSPC || errno == EDQUOT ? ErrorCode::kNoSpace : ErrorCode::kIoError;
  return {code, fmt::format("cannot store {} of inode {} in the metadata folder: {}", what, inode,
                            std::strerror(errno))};
}

}  // namespace

bool MapPublisher::put(const std::shared_ptr<Node>& node) {
  const std::lock_guard lock(mutex_);
  is_waiting_ = true;
  Waiting waiting{node, node->content->settled(), node->modified};
  return !waiting_.insert_or_assign(node->inode, std::move(waiting)).second;
}

bool MapPublisher::remove(const Node& node) {
  Waiting dropped;  // destroyed without the lock
  const std::lock_guard lock(mutex_);
  is_waiting_ = true;
  const auto found = waiting_.find(node.inode);
  if (found == waiting_.end()) return false;
  dropped = std::move(found->second);
  waiting_.erase(found);
  return true;
}

Status MapPublisher::commit(bool syncs) {
  const std::lock_guard one(committing_);
  if (syncs) is_waiting_ = false;
  area_.begin_commit();
  std::map<ino_t, Waiting> taken;
  {
    const std::lock_guard lock(mutex_);
    taken.swap(waiting_);
  }
  Status status = area_.flush();
  if (status) status = store_all(taken);
  if (status && syncs) status = sync();
  area_.end_commit(status.ok() && syncs);
  if (!status) {
    is_waiting_ = true;
    const std::lock_guard lock(mutex_);
    waiting_.merge(taken);
  }
  return status;
}

Status MapPublisher::store_all(const std::map<ino_t, Waiting>& taken) {
  for (const auto& [inode, each] : taken) {
    if (Status status = store(each); !status) return status;
  }
  return ok_status();
}

Status MapPublisher::sync() const {
  return ::syncfs(folder_fd_) == 0
             ? ok_status()
             : Status(Error{ErrorCode::kIoError,
                            fmt::format("cannot sync the metadata folder: {}", std::strerror(errno))});
}

// The attribute has the size too, so that a crash between the calls loses nothing (Scan).
Status MapPublisher::store(const Waiting& each) {
  const HeldFile file = each.node->fd();
  const std::string path = file.path();
  struct stat before = {};
  if (::stat(path.c_str(), &before) != 0) return failed("the extents", each.node->inode);
  const std::string bytes = each.extents.encoded();
  if (::setxattr(path.c_str(), kExtentsAttribute, bytes.data(), bytes.size(), 0) != 0) {
    return failed("the extents", each.node->inode);
  }
  const auto size = static_cast<off_t>(each.extents.size_bytes);
  if (before.st_size != size && ::truncate(path.c_str(), size) != 0) {
    return failed("the size", each.node->inode);
  }
  const timespec omit{.tv_sec = 0, .tv_nsec = UTIME_OMIT};
  const timespec times[2] = {omit, each.modified.value_or(before.st_mtim)};
  if (::utimensat(AT_FDCWD, path.c_str(), times, 0) != 0) return failed("the times", each.node->inode);
  return ok_status();
}

}  // namespace patina
