// A file or directory of the metadata folder that the kernel knows, or whose extents are not stored yet.
#pragma once

#include <sys/stat.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/descriptor.h"
#include "base/result.h"
#include "smrfs/file_content.h"
#include "smrfs/file_identity.h"
#include "smrfs/open_files.h"

namespace patina {

// The name of the attribute of a file in the metadata folder that has its extents.
inline constexpr const char* kExtentsAttribute = "trusted.patina.extents";

// A descriptor that stays open while this lives.
class HeldFile {
 public:
  explicit HeldFile(std::shared_ptr<const Descriptor> fd) : fd_(std::move(fd)) {}
  int get() const { return fd_->get(); }
  std::shared_ptr<const Descriptor> descriptor() const { return fd_; }
  // A name under which system calls find the file.
  std::string path() const;

 private:
  std::shared_ptr<const Descriptor> fd_;
};

struct Node : std::enable_shared_from_this<Node> {
  // `descriptor`: of O_PATH. Without an identity it stays open.
  Node(OpenFiles& files, Descriptor descriptor, std::optional<FileIdentity> found, ino_t number);

  // The file, opened with O_PATH; an invalid descriptor, with errno, if it cannot be.
  HeldFile fd() const;
  // Closes it until the next use, if it can be opened again.
  void close() const;
  // Keeps it open from now on: a file without a name cannot be opened again, and its inode must not be used
  // for another one while the kernel knows it.
  void pin(const HeldFile& file);

  OpenFiles& open_files;
  const std::optional<FileIdentity> identity;
  const ino_t inode;
  mutable std::mutex fd_mutex;
  mutable std::shared_ptr<const Descriptor> opened;
  std::shared_ptr<const Descriptor> pinned;

  uint64_t lookups_count = 0;  // of the kernel; the table's

  std::mutex mutex;  // of what follows
  // Of regular files.
  std::unique_ptr<FileContent> content;
  uint64_t opens_count = 0;
  bool is_gone = false;  // it has no name any more
  // Times that stat(2) returns in place of those in the metadata folder.
  std::optional<timespec> modified;  // the content, not stored there yet
  std::optional<timespec> changed;   // before the content was stored there
  // No map with the extents of settled() has been stored.
  bool is_private = true;
};

// By inode of the metadata folder; its root is 1. Thread safe.
class NodeTable {
 public:
  static constexpr uint64_t kRootNumber = 1;

  // `root`: of the folder.
  NodeTable(DataBuffer& buffer, OpenFiles& files, std::shared_ptr<Node> root)
      : buffer_(buffer), files_(files), root_(std::move(root)) {}

  // The node that `fd`, of O_PATH, is open on, with one more lookup. kBackingInvalid: its extents cannot be
  // read.
  Result<std::shared_ptr<Node>> looked_up(Descriptor fd, const struct stat& file);
  // Null: the kernel does not know it.
  std::shared_ptr<Node> find(uint64_t number) const;
  // The kernel knows it already.
  void add_lookup(uint64_t number);
  void forget(uint64_t number, uint64_t lookups_count);
  // The number of the node for the kernel.
  uint64_t number_of(const Node& node) const;
  // Drops what the kernel has forgotten and nothing else holds any more.
  void sweep();
  // Regular files that are known, in the order of their inodes.
  std::vector<std::shared_ptr<Node>> files() const;

 private:
  // A node that the kernel has forgotten stays, while its extents wait to be stored: a lookup finds it again.
  struct Entry {
    std::shared_ptr<Node> known;
    std::weak_ptr<Node> node;
  };

  DataBuffer& buffer_;
  OpenFiles& files_;
  const std::shared_ptr<Node> root_;
  mutable std::mutex mutex_;
  std::unordered_map<ino_t, Entry> nodes_;
};

// What the attribute of the file has: no extents and its size, if there is none. kBackingInvalid; kIoError.
Result<FileExtents> read_extents(const std::string& path, uint64_t size_bytes);

}  // namespace patina
