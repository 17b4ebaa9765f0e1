// Reads a file's extents at its first lookup.
#include "smrfs/node.h"

#include <fmt/format.h>
#include <sys/xattr.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace patina {
namespace {

constexpr size_t kMostAttributeBytes = 65536;  // of the kernel

}  // namespace

std::string HeldFile::path() const {
  return fmt::format("/proc/self/fd/{}", fd_->get());
}

Node::Node(OpenFiles& files, Descriptor descriptor, std::optional<FileIdentity> found, ino_t number)
    : open_files(files),
      identity(std::move(found)),
      inode(number),
      opened(std::make_shared<const Descriptor>(std::move(descriptor))) {
  if (!identity) pinned = opened;
}

HeldFile Node::fd() const {
  {
    const std::lock_guard lock(fd_mutex);
    if (pinned || !identity) return HeldFile(pinned);
    if (opened) return HeldFile(opened);
    auto again = std::make_shared<const Descriptor>(open_identity(open_files.folder_fd(), *identity));
    if (!again->valid()) return HeldFile(again);
    opened = std::move(again);
  }
  open_files.opened(weak_from_this());
  return fd();
}

void Node::close() const {
  std::shared_ptr<const Descriptor> closed;  // without the lock
  const std::lock_guard lock(fd_mutex);
  if (!pinned) closed = std::move(opened);
}

void Node::pin(const HeldFile& file) {
  const std::lock_guard lock(fd_mutex);
  pinned = file.descriptor();
}

Result<FileExtents> read_extents(const std::string& path, uint64_t size_bytes) {
  thread_local std::string bytes(kMostAttributeBytes, '\0');
  const ssize_t count = ::getxattr(path.c_str(), kExtentsAttribute, bytes.data(), bytes.size());
  if (count < 0 && errno == ENODATA) return FileExtents{.size_bytes = size_bytes, .map = {}};
  if (count < 0) {
    return Error{ErrorCode::kIoError,
                 fmt::format("cannot read the extents of '{}': {}", path, std::strerror(errno))};
  }
  std::optional<FileExtents> found = FileExtents::decoded({bytes.data(), static_cast<size_t>(count)});
  if (found) return std::move(*found);
  return Error{ErrorCode::kBackingInvalid,
               fmt::format("the attribute {} of '{}' is damaged", kExtentsAttribute, path)};
}

Result<std::shared_ptr<Node>> NodeTable::looked_up(Descriptor fd, const struct stat& file) {
  const std::lock_guard lock(mutex_);
  if (file.st_ino == root_->inode) return root_;
  Entry& entry = nodes_[file.st_ino];
  if (!entry.known) entry.known = entry.node.lock();
  if (entry.known) {
    ++entry.known->lookups_count;
    return entry.known;
  }
  std::optional<FileIdentity> identity;
  if (Result<FileIdentity> found = identity_of(fd.get(), file.st_ino); found) identity = std::move(*found);
  auto node = std::make_shared<Node>(files_, std::move(fd), std::move(identity), file.st_ino);
  if (S_ISREG(file.st_mode)) {
    Result<FileExtents> extents = read_extents(node->fd().path(), static_cast<uint64_t>(file.st_size));
    if (!extents) {
      nodes_.erase(file.st_ino);
      return extents.error();
    }
    node->content = std::make_unique<FileContent>(buffer_, std::move(*extents));
    node->is_private = node->content->settled().map.runs().empty();
  }
  node->lookups_count = 1;
  entry = {node, node};
  files_.opened(node);
  return node;
}

std::shared_ptr<Node> NodeTable::find(uint64_t number) const {
  if (number == kRootNumber) return root_;
  const std::lock_guard lock(mutex_);
  const auto found = nodes_.find(number);
  return found == nodes_.end() ? nullptr : found->second.known;
}

void NodeTable::add_lookup(uint64_t number) {
  const std::lock_guard lock(mutex_);
  ++nodes_.at(number).known->lookups_count;
}

void NodeTable::forget(uint64_t number, uint64_t lookups_count) {
  std::shared_ptr<Node> last;  // destroyed without the lock
  const std::lock_guard lock(mutex_);
  const auto found = nodes_.find(number);
  if (found == nodes_.end() || !found->second.known) return;
  Node& node = *found->second.known;
  node.lookups_count -= std::min(node.lookups_count, lookups_count);
  if (node.lookups_count > 0) return;
  last = std::move(found->second.known);
  if (last.use_count() == 1) nodes_.erase(found);
}

uint64_t NodeTable::number_of(const Node& node) const {
  return &node == root_.get() ? kRootNumber : node.inode;
}

void NodeTable::sweep() {
  const std::lock_guard lock(mutex_);
  std::erase_if(nodes_, [](const auto& each) { return !each.second.known && each.second.node.expired(); });
}

std::vector<std::shared_ptr<Node>> NodeTable::files() const {
  std::vector<std::shared_ptr<Node>> found;
  const std::lock_guard lock(mutex_);
  for (const auto& [inode, entry] : nodes_) {
    if (const std::shared_ptr<Node> node = entry.node.lock(); node && node->content) found.push_back(node);
  }
  std::ranges::sort(found, {}, [](const auto& node) { return node->inode; });
  return found;
}

}  // namespace patina
