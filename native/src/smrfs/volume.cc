// Places files, releases what they had, and keeps the order of a crash-safe file system.
#include "smrfs/volume.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "smrfs/scan.h"

namespace patina {

Result<std::unique_ptr<SmrVolume>> SmrVolume::open(DataArea& area, const std::string& metadata_folder,
                                                   uint64_t buffer_bytes, size_t most_open_files) {
  Descriptor folder(::open(metadata_folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  struct stat file = {};
  if (!folder.valid() || ::fstat(folder.get(), &file) != 0) {
    return Error{ErrorCode::kMountUnusable, fmt::format("cannot open the metadata folder '{}': {}",
                                                        metadata_folder, std::strerror(errno))};
  }
  std::unordered_map<ino_t, FileIdentity> identities;
  const Status scanned = scan_extents(metadata_folder, SizeRepair::kAll, [&](const ScannedFile& found) {
    const std::vector<BlockExtent> places = found.extents.map.places();
    if (area.has_cleaner() && !places.empty()) identities[found.identity.inode] = found.identity;
    for (const BlockExtent& each : places) {
      if (Status status = area.adopt(each, found.identity.inode); !status) {
        return Status(
            Error{status.error().code, fmt::format("'{}': {}", found.path, status.error().message)});
      }
    }
    return ok_status();
  });
  if (!scanned) return scanned.error();
  Descriptor root_fd(::open(metadata_folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!root_fd.valid()) {
    return Error{ErrorCode::kIoError,
                 fmt::format("cannot open '{}': {}", metadata_folder, std::strerror(errno))};
  }
  std::unique_ptr<SmrVolume> volume(new SmrVolume(area, std::move(folder), buffer_bytes));
  volume->identities_ = std::move(identities);
  volume->device_ = file.st_dev;
  volume->publisher_ = std::make_unique<MapPublisher>(area, volume->folder_.get());
  volume->files_ = std::make_unique<OpenFiles>(volume->folder_.get(), most_open_files);
  auto root = std::make_shared<Node>(*volume->files_, std::move(root_fd), std::nullopt, file.st_ino);
  volume->table_ = std::make_unique<NodeTable>(volume->buffer_, *volume->files_, std::move(root));
  return volume;
}

int SmrVolume::attributes(Node& node, struct stat& file) {
  if (::fstatat(node.fd().get(), "", &file, AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW) != 0) return errno;
  complete(node, file);
  return 0;
}

void SmrVolume::complete(Node& node, struct stat& file) {
  constexpr uint64_t kSectorsPerBlock = DataArea::kBlockBytes / 512;
  if (!node.content) return;
  const std::lock_guard lock(node.mutex);
  file.st_size = static_cast<off_t>(node.content->size_bytes());
  file.st_blocks = static_cast<blkcnt_t>(node.content->blocks_count() * kSectorsPerBlock);
  file.st_blksize = DataArea::kBlockBytes;
  if (node.modified) file.st_mtim = *node.modified;
  if (node.changed) file.st_ctim = *node.changed;
}

int SmrVolume::statistics(struct statvfs& system) const {
  if (::fstatvfs(folder_.get(), &system) != 0) return errno;
  const AreaSpace space = buffer_.area.space();
  const uint64_t taken = std::min(space.free_count, buffer_.blocks_count.load());
  system.f_bsize = system.f_frsize = DataArea::kBlockBytes;
  system.f_blocks = space.blocks_count;
  system.f_bfree = space.free_count - taken;
  system.f_bavail = system.f_bfree - std::min<uint64_t>(system.f_bfree, space.unavailable_count);
  return 0;
}

Status SmrVolume::settle(const std::shared_ptr<Node>& node, std::optional<Placement> placement) {
  for (;;) {
    Status status = ok_status();
    {
      const std::lock_guard lock(node->mutex);
      if (node->is_gone && !placement) return ok_status();
      const uint64_t bytes = node->content->blocks_count() * DataArea::kBlockBytes;
      // A file that is larger than the buffer was placed in parts already.
      const Placement usual = bytes > buffer_.limit_bytes ? Placement::kChanged : Placement::kWhole;
      status = settle_locked(node, placement.value_or(usual));
    }
    if (status || status.error().code != ErrorCode::kNoSpace) return status;
    if (buffer_.area.has_waiting()) {
      if (Status committed = commit(); !committed) return committed;
      continue;
    }
    const Result<bool> cleaned = clean();
    if (!cleaned) return cleaned.error();
    if (!*cleaned) return status;
  }
}

Status SmrVolume::settle_locked(const std::shared_ptr<Node>& node, Placement placement) {
  FileContent& content = *node->content;
  if (!content.is_changed()) return ok_status();
  if (Status status = remember(*node); !status) return status;
  const Result<FileExtents> before = content.settle(placement, [this] { return publisher_->commit(); });
  if (!before) return before.error();
  store(node, *before);
  return ok_status();
}

// First what is stored, then what is released: a commit between them fences too much, never too little.
void SmrVolume::store(const std::shared_ptr<Node>& node, const FileExtents& before) {
  const ExtentMap& map = node->content->settled().map;
  buffer_.area.placed(before.map.released_since(map), node->inode);
  const bool waited = publisher_->put(node);
  const bool was_private = node->is_private && waited;
  uint64_t released_count = 0;
  for (const BlockExtent& each : map.released_since(before.map)) {
    buffer_.area.release(each, !was_private);
    released_count += each.count;
  }
  const bool keeps_none = released_count == before.map.blocks_count();
  node->is_private = keeps_none || was_private;
}

Status SmrVolume::close(const std::shared_ptr<Node>& node) {
  {
    const std::lock_guard lock(node->mutex);
    if (--node->opens_count > 0) return ok_status();
    if (node->is_gone) {
      drop(*node);
      return ok_status();
    }
  }
  Status status = settle(node);
  if (status) return status;
  const std::lock_guard lock(node->mutex);
  if (node->opens_count > 0) return status;  // its next close tries again
  ++lost_files_count_;
  node->content->revert();
  return status;
}

void SmrVolume::drop(Node& node) {
  const bool was_private = publisher_->remove(node) && node.is_private;
  for (const BlockExtent& each : node.content->settled().map.places()) {
    buffer_.area.release(each, !was_private);
  }
  node.content = std::make_unique<FileContent>(buffer_, FileExtents{});
  const std::lock_guard lock(identities_mutex_);
  identities_.erase(node.inode);
}

Status SmrVolume::make_room() {
  const std::lock_guard one(making_room_);
  if (!buffer_.is_full()) return ok_status();
  for (const std::shared_ptr<Node>& node : table_->files()) {
    if (Status status = settle(node, Placement::kChanged); !status) return status;
  }
  return ok_status();
}

Status SmrVolume::settle_all() {
  Status first = ok_status();
  for (const std::shared_ptr<Node>& node : table_->files()) {
    Status status = settle(node);
    if (status) continue;
    ++lost_files_count_;
    if (first) first = status;
  }
  Status committed = commit();
  return first ? committed : first;
}

Result<std::shared_ptr<Node>> SmrVolume::looked_up(uint64_t inode) {
  FileIdentity identity;
  {
    const std::lock_guard lock(identities_mutex_);
    const auto found = identities_.find(inode);
    if (found == identities_.end()) return std::shared_ptr<Node>();
    identity = found->second;
  }
  Descriptor fd = open_identity(folder_.get(), identity);
  struct stat file = {};
  if (!fd.valid() && errno == ESTALE) return std::shared_ptr<Node>();
  if (!fd.valid() || ::fstatat(fd.get(), "", &file, AT_EMPTY_PATH) != 0) {
    return Error{ErrorCode::kIoError, fmt::format("cannot open inode {}: {}", inode, std::strerror(errno))};
  }
  return table_->looked_up(std::move(fd), file);
}

Result<uint64_t> SmrVolume::move_from(const std::shared_ptr<Node>& node, const BlockExtent& part) {
  const std::lock_guard lock(node->mutex);
  const Result<FileExtents> before = node->content->move_from(part, [this] { return publisher_->commit(); });
  if (!before) return before.error();
  uint64_t moved_count = 0;
  for (const BlockExtent& each : node->content->settled().map.released_since(before->map)) {
    moved_count += each.count;
  }
  if (moved_count > 0) store(node, *before);
  return moved_count;
}

Result<bool> SmrVolume::clean() {
  const std::lock_guard one(cleaning_);
  const std::optional<DataArea::Cleaning> cleaning = buffer_.area.begin_cleaning();
  if (!cleaning) return false;
  const auto began = std::chrono::steady_clock::now();
  uint64_t moved_count = 0;
  for (const uint64_t inode : cleaning->inodes) {
    std::shared_ptr<Node> node = table_->find(inode);
    const bool is_forgotten = node == nullptr;
    if (is_forgotten) {
      Result<std::shared_ptr<Node>> found = looked_up(inode);
      if (!found) return found.error();
      node = std::move(*found);
    }
    if (!node) continue;
    const Result<uint64_t> moved = move_from(node, cleaning->part);
    if (is_forgotten) table_->forget(inode, 1);
    if (!moved) return moved.error();
    moved_count += *moved;
  }
  if (Status status = commit(); !status) return status.error();
  ++cleanings_count_;
  moved_blocks_count_ += moved_count;
  cleaning_ns_ += std::chrono::nanoseconds(std::chrono::steady_clock::now() - began).count();
  return buffer_.area.has_gained();
}

Status SmrVolume::remember(const Node& node) {
  if (!buffer_.area.has_cleaner()) return ok_status();
  const std::lock_guard lock(identities_mutex_);
  if (identities_.contains(node.inode)) return ok_status();
  Result<FileIdentity> identity = identity_of(node.fd().get(), node.inode);
  if (!identity) return identity.error();
  identities_.emplace(node.inode, std::move(*identity));
  return ok_status();
}

}  // namespace patina
