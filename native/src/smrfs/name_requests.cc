// Names are those of the metadata folder.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <optional>

#include "smrfs/fuse_reply.h"
#include "smrfs/requests.h"

namespace patina {
namespace {

void on_lookup(fuse_req_t request, fuse_ino_t parent, const char* name) {
  const std::shared_ptr<Node> folder = node_of(request, parent);
  SmrVolume& volume = volume_of(request);
  fuse_entry_param entry;
  int error = look_up(volume, *folder, name, entry);
  if (error == ENOENT) {
    entry.ino = 0;  // the kernel remembers that there is none
    error = 0;
  }
  if (error != 0) {
    fuse_reply_err(request, error);
  } else if (fuse_reply_entry(request, &entry) != 0 && entry.ino != 0) {
    volume.table().forget(entry.ino, 1);
  }
}

void on_forget(fuse_req_t request, fuse_ino_t number, uint64_t lookups_count) {
  volume_of(request).table().forget(number, lookups_count);
  fuse_reply_none(request);
}

void on_forget_multi(fuse_req_t request, size_t count, fuse_forget_data* forgets) {
  for (const fuse_forget_data& each : std::span(forgets, count)) {
    volume_of(request).table().forget(each.ino, each.nlookup);
  }
  fuse_reply_none(request);
}

void on_readlink(fuse_req_t request, fuse_ino_t number) {
  std::array<char, PATH_MAX + 1> target;
  const ssize_t length =
      ::readlinkat(node_of(request, number)->fd().get(), "", target.data(), target.size() - 1);
  if (length < 0) {
    fuse_reply_err(request, errno);
    return;
  }
  target[static_cast<size_t>(length)] = '\0';
  fuse_reply_readlink(request, target.data());
}

// Root makes what the user asks for: it then becomes the user's. Returns an errno; the name is removed again.
int give_to_user(fuse_req_t request, const Node& folder, const char* name, mode_t mode) {
  const fuse_ctx& user = *fuse_req_ctx(request);
  struct stat parent = {};
  if (::fstatat(folder.fd().get(), "", &parent, AT_EMPTY_PATH) != 0) return errno;
  // In a directory with this bit, the file has the directory's group already.
  const gid_t group = (parent.st_mode & S_ISGID) != 0 ? static_cast<gid_t>(-1) : user.gid;
  const bool is_ours = user.uid == ::geteuid() && (group == ::getegid() || group == static_cast<gid_t>(-1));
  if (is_ours) return 0;
  if (::fchownat(folder.fd().get(), name, user.uid, group, AT_SYMLINK_NOFOLLOW) != 0) return errno;
  // A change of the owner clears these bits.
  const bool is_cleared = !S_ISDIR(mode) && !S_ISLNK(mode) && (mode & (S_ISUID | S_ISGID)) != 0;
  return is_cleared && ::fchmodat(folder.fd().get(), name, mode & ALLPERMS, 0) != 0 ? errno : 0;
}

void reply_made(fuse_req_t request, const Node& folder, const char* name, mode_t mode, int result) {
  if (result != 0) {
    fuse_reply_err(request, errno);
    return;
  }
  const int error = give_to_user(request, folder, name, mode);
  if (error == 0) {
    reply_entry(request, folder, name);
    return;
  }
  ::unlinkat(folder.fd().get(), name, S_ISDIR(mode) ? AT_REMOVEDIR : 0);
  fuse_reply_err(request, error);
}

void on_mknod(fuse_req_t request, fuse_ino_t parent, const char* name, mode_t mode, dev_t device) {
  const std::shared_ptr<Node> folder = node_of(request, parent);
  reply_made(request, *folder, name, mode, ::mknodat(folder->fd().get(), name, mode, device));
}

void on_mkdir(fuse_req_t request, fuse_ino_t parent, const char* name, mode_t mode) {
  const std::shared_ptr<Node> folder = node_of(request, parent);
  reply_made(request, *folder, name, S_IFDIR | mode, ::mkdirat(folder->fd().get(), name, mode));
}

void on_symlink(fuse_req_t request, const char* target, fuse_ino_t parent, const char* name) {
  const std::shared_ptr<Node> folder = node_of(request, parent);
  reply_made(request, *folder, name, S_IFLNK, ::symlinkat(target, folder->fd().get(), name));
}

void on_create(fuse_req_t request, fuse_ino_t parent, const char* name, mode_t mode, fuse_file_info* info) {
  const std::shared_ptr<Node> folder = node_of(request, parent);
  SmrVolume& volume = volume_of(request);
  if (::mknodat(folder->fd().get(), name, S_IFREG | mode, 0) == 0) {
    const int error = give_to_user(request, *folder, name, S_IFREG | mode);
    if (error != 0) {
      ::unlinkat(folder->fd().get(), name, 0);
      fuse_reply_err(request, error);
      return;
    }
  } else if (errno != EEXIST || (info->flags & O_EXCL) != 0) {
    fuse_reply_err(request, errno);
    return;
  }
  fuse_entry_param entry;
  const int error = look_up(volume, *folder, name, entry);
  if (error != 0) {
    fuse_reply_err(request, error);
    return;
  }
  info->keep_cache = 1;
  const std::shared_ptr<Node> node = volume.table().find(entry.ino);
  const std::lock_guard lock(node->mutex);
  ++node->opens_count;
  if (fuse_reply_create(request, &entry, info) != 0) {
    --node->opens_count;
    volume.table().forget(entry.ino, 1);
  }
}

void on_link(fuse_req_t request, fuse_ino_t number, fuse_ino_t parent, const char* name) {
  const std::shared_ptr<Node> node = node_of(request, number);
  const std::shared_ptr<Node> folder = node_of(request, parent);
  if (::linkat(AT_FDCWD, node->fd().path().c_str(), folder->fd().get(), name, AT_SYMLINK_FOLLOW) != 0) {
    fuse_reply_err(request, errno);
    return;
  }
  touch(*node);
  SmrVolume& volume = volume_of(request);
  fuse_entry_param entry = new_entry();
  entry.ino = number;
  if (const int error = SmrVolume::attributes(*node, entry.attr); error != 0) {
    fuse_reply_err(request, error);
    return;
  }
  volume.table().add_lookup(number);
  if (fuse_reply_entry(request, &entry) != 0) volume.table().forget(number, 1);
}

// The file that a name has, before the name changes: its blocks are released with its last name.
class NamedFile {
 public:
  NamedFile(SmrVolume& volume, const Node& folder, const char* name) : volume_(volume) {
    is_there_ = ::fstatat(folder.fd().get(), name, &before_, AT_SYMLINK_NOFOLLOW) == 0;
    if (!is_there_) return;
    node_ = volume.table().find(before_.st_ino);
    fuse_entry_param entry;
    // The kernel has looked up what it renames and removes; a node is missing only after a reply that failed.
    is_looked_up_ = !node_ && look_up(volume, folder, name, entry) == 0;
    if (is_looked_up_) node_ = volume.table().find(entry.ino);
    if (node_) file_.emplace(node_->fd());  // without a name it cannot be opened any more
  }
  ~NamedFile() {
    if (is_looked_up_) volume_.table().forget(node_->inode, 1);
  }
  NamedFile(const NamedFile&) = delete;
  NamedFile& operator=(const NamedFile&) = delete;

  bool is_there() const { return is_there_; }
  const std::shared_ptr<Node>& node() const { return node_; }
  void is_renamed() {
    if (node_) touch(*node_);
  }
  void is_removed() {
    if (!node_) return;
    const bool is_last = S_ISDIR(before_.st_mode) || before_.st_nlink == 1;
    if (is_last && file_) node_->pin(*file_);
    if (!node_->content) return;
    const std::lock_guard lock(node_->mutex);
    node_->changed = time_now();
    if (!is_last) return;
    node_->is_gone = true;
    if (node_->opens_count == 0) volume_.drop(*node_);
  }

 private:
  SmrVolume& volume_;
  struct stat before_ = {};
  bool is_there_ = false;
  bool is_looked_up_ = false;
  std::shared_ptr<Node> node_;
  std::optional<HeldFile> file_;
};

void remove_name(fuse_req_t request, fuse_ino_t parent, const char* name, int flags) {
  const std::shared_ptr<Node> folder = node_of(request, parent);
  NamedFile file(volume_of(request), *folder, name);
  const int result = ::unlinkat(folder->fd().get(), name, flags);
  const int error = result == 0 ? 0 : errno;
  if (result == 0) file.is_removed();
  fuse_reply_err(request, error);
}

void on_unlink(fuse_req_t request, fuse_ino_t parent, const char* name) {
  remove_name(request, parent, name, 0);
}

void on_rmdir(fuse_req_t request, fuse_ino_t parent, const char* name) {
  remove_name(request, parent, name, AT_REMOVEDIR);
}

// A file that takes the place of another one is on the disk first: after a crash there is one of them.
Status order_before_replacing(SmrVolume& volume, const std::shared_ptr<Node>& node) {
  if (!node || !node->content) return ok_status();
  Status status = volume.settle(node);
  return status && volume.publisher().is_waiting() ? volume.publisher().order() : status;
}

void on_rename(fuse_req_t request, fuse_ino_t parent, const char* name, fuse_ino_t new_parent,
               const char* new_name, unsigned flags) {
  const std::shared_ptr<Node> folder = node_of(request, parent);
  const std::shared_ptr<Node> new_folder = node_of(request, new_parent);
  SmrVolume& volume = volume_of(request);
  NamedFile source(volume, *folder, name);
  NamedFile target(volume, *new_folder, new_name);
  if (target.is_there()) {
    if (Status status = order_before_replacing(volume, source.node()); !status) {
      reply_status(request, status);
      return;
    }
  }
  const int result = ::renameat2(folder->fd().get(), name, new_folder->fd().get(), new_name, flags);
  const int error = result == 0 ? 0 : errno;
  const bool is_same = source.node() == target.node();  // two names of one file: nothing happens
  if (result == 0) source.is_renamed();
  if (result == 0 && target.is_there() && !is_same) {
    if ((flags & RENAME_EXCHANGE) != 0) {
      target.is_renamed();
    } else {
      target.is_removed();
    }
  }
  fuse_reply_err(request, error);
}

}  // namespace

void add_name_requests(fuse_lowlevel_ops& ops) {
  ops.lookup = on_lookup;
  ops.forget = on_forget;
  ops.forget_multi = on_forget_multi;
  ops.readlink = on_readlink;
  ops.mknod = on_mknod;
  ops.mkdir = on_mkdir;
  ops.symlink = on_symlink;
  ops.create = on_create;
  ops.link = on_link;
  ops.unlink = on_unlink;
  ops.rmdir = on_rmdir;
  ops.rename = on_rename;
}

}  // namespace patina
