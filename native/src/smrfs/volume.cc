// Places files, releases what they had, and keeps the order of a crash-safe file system.
#include "smrfs/volume.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "smrfs/scan.h"

namespace patina {

Result<std::unique_ptr<SmrVolume>> SmrVolume::open(DataArea& area, const std::string& metadata_folder,
                                                   uint64_t buffer_bytes) {
  Descriptor folder(::open(metadata_folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  struct stat file = {};
  if (!folder.valid() || ::fstat(folder.get(), &file) != 0) {
    return Error{ErrorCode::kMountUnusable, fmt::format("cannot open the metadata folder '{}': {}",
                                                        metadata_folder, std::strerror(errno))};
  }
  const Status scanned = scan_extents(metadata_folder, [&area](const ScannedFile& found) {
    for (const BlockExtent& each : found.extents.map.places()) {
      if (Status status = area.adopt(each); !status) {
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
  volume->publisher_ = std::make_unique<MapPublisher>(area, volume->folder_.get());
  volume->table_ =
      std::make_unique<NodeTable>(volume->buffer_, std::make_shared<Node>(std::move(root_fd), file.st_ino));
  return volume;
}

int SmrVolume::attributes(Node& node, struct stat& file) const {
  constexpr uint64_t kSectorsPerBlock = DataArea::kBlockBytes / 512;
  if (::fstatat(node.fd.get(), "", &file, AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW) != 0) return errno;
  if (!node.content) return 0;
  const std::lock_guard lock(node.mutex);
  file.st_size = static_cast<off_t>(node.content->size_bytes());
  file.st_blocks = static_cast<blkcnt_t>(node.content->blocks_count() * kSectorsPerBlock);
  file.st_blksize = DataArea::kBlockBytes;
  if (node.modified) file.st_mtim = *node.modified;
  if (node.changed) file.st_ctim = *node.changed;
  return 0;
}

int SmrVolume::statistics(struct statvfs& system) const {
  if (::fstatvfs(folder_.get(), &system) != 0) return errno;
  const AreaSpace space = buffer_.area.space();
  const uint64_t taken = std::min(space.free_count, buffer_.blocks_count.load());
  system.f_bsize = system.f_frsize = DataArea::kBlockBytes;
  system.f_blocks = space.blocks_count;
  system.f_bfree = space.free_count - taken;
  system.f_bavail = system.f_bfree - std::min<uint64_t>(system.f_bfree, space.unusable_count);
  return 0;
}

Status SmrVolume::settle(const std::shared_ptr<Node>& node) {
  const uint64_t bytes = node->content->blocks_count() * DataArea::kBlockBytes;
  // A file that is larger than the buffer was placed in parts already.
  return settle(node, bytes > buffer_.limit_bytes ? Placement::kChanged : Placement::kWhole);
}

Status SmrVolume::settle(const std::shared_ptr<Node>& node, Placement placement) {
  FileContent& content = *node->content;
  if (!content.is_changed()) return ok_status();
  const Result<FileExtents> before = content.settle(placement, [this] { return publisher_->commit(); });
  if (!before) return before.error();
  // First what is stored, then what is released: a commit between them fences too much, never too little.
  const bool waited = publisher_->put(node);
  const bool was_private = node->is_private && waited;
  uint64_t released_count = 0;
  for (const BlockExtent& each : content.settled().map.released_since(before->map)) {
    buffer_.area.release(each, !was_private);
    released_count += each.count;
  }
  const bool keeps_none = released_count == before->map.blocks_count();
  node->is_private = keeps_none || was_private;
  return ok_status();
}

Status SmrVolume::settle_last(const std::shared_ptr<Node>& node) {
  Status status = settle(node);
  if (status) return status;
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
}

Status SmrVolume::make_room() {
  const std::lock_guard one(making_room_);
  if (!buffer_.is_full()) return ok_status();
  for (const std::shared_ptr<Node>& node : table_->files()) {
    const std::lock_guard lock(node->mutex);
    if (!node->content->has_buffered()) continue;
    if (Status status = settle(node, Placement::kChanged); !status) return status;
  }
  return ok_status();
}

Status SmrVolume::settle_all() {
  Status first = ok_status();
  for (const std::shared_ptr<Node>& node : table_->files()) {
    const std::lock_guard lock(node->mutex);
    if (node->is_gone) continue;
    Status status = settle_last(node);
    if (first && !status) first = status;
  }
  Status committed = commit();
  return first ? committed : first;
}

}  // namespace patina
