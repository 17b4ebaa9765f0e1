// A mounted file system: its metadata folder, its data and what the kernel knows of it.
#pragma once

#include <sys/statvfs.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "base/result.h"
#include "smrfs/file_identity.h"
#include "smrfs/map_publisher.h"
#include "smrfs/node.h"

namespace patina {

// Thread safe.
class SmrVolume {
 public:
  // Reads the extents of all files of the folder. kMountUnusable: it is no folder; kBackingInvalid: extents
  // are damaged, or two files have the same; kIoError.
  static Result<std::unique_ptr<SmrVolume>> open(DataArea& area, const std::string& metadata_folder,
                                                 uint64_t buffer_bytes, size_t most_open_files);

  NodeTable& table() { return *table_; }
  const DataArea& area() const { return buffer_.area; }
  // Of the file system of the folder.
  dev_t device() const { return device_; }
  MapPublisher& publisher() { return *publisher_; }

  // As stat(2), of any node. Returns an errno.
  static int attributes(Node& node, struct stat& file);
  // Makes the attributes in the metadata folder those of the file.
  static void complete(Node& node, struct stat& file);
  int statistics(struct statvfs& system) const;

  // Needs the node's mutex. Releases the blocks of a file that is gone and not open.
  void drop(Node& node);

  // The others take mutexes of nodes. Writes what is buffered of a file to the disk; cleans, where there is
  // no place otherwise. kNoSpace; kIoError.
  Status settle(const std::shared_ptr<Node>& node) { return settle(node, std::nullopt); }
  // A file is closed for good: its blocks are released if it is gone. What has no place is lost, and the file
  // is as before. Errors of settle().
  Status close(const std::shared_ptr<Node>& node);
  // Places files until less is buffered; waits while another thread does. Errors of settle().
  Status make_room();
  // What was settled is durable.
  Status commit() { return publisher_->commit(); }
  // Everything is on the disk and durable.
  Status settle_all();

  // Moves what is live out of a part of the disk. False: that gives nothing back. Errors of settle().
  Result<bool> clean();

  uint64_t lost_files_count() const { return lost_files_count_; }
  uint64_t cleanings_count() const { return cleanings_count_; }
  uint64_t moved_blocks_count() const { return moved_blocks_count_; }
  // The time that these cleanings took.
  std::chrono::nanoseconds cleaning_time() const { return std::chrono::nanoseconds(cleaning_ns_.load()); }

 private:
  SmrVolume(DataArea& area, Descriptor folder, uint64_t buffer_bytes)
      : buffer_{.area = area, .limit_bytes = buffer_bytes, .placing = {}, .blocks_count = 0},
        folder_(std::move(folder)) {}

  Status settle(const std::shared_ptr<Node>& node, std::optional<Placement> placement);
  Status settle_locked(const std::shared_ptr<Node>& node, Placement placement);
  void store(const std::shared_ptr<Node>& node, const FileExtents& before);
  // A node that the kernel may have forgotten, with one more lookup; null if the file is gone.
  Result<std::shared_ptr<Node>> looked_up(uint64_t inode);
  // Returns the number of moved blocks.
  Result<uint64_t> move_from(const std::shared_ptr<Node>& node, const BlockExtent& part);
  Status remember(const Node& node);

  DataBuffer buffer_;
  const Descriptor folder_;
  dev_t device_ = 0;
  std::unique_ptr<OpenFiles> files_;
  std::unique_ptr<MapPublisher> publisher_;
  std::unique_ptr<NodeTable> table_;
  std::mutex making_room_;
  std::mutex cleaning_;
  std::mutex identities_mutex_;
  std::unordered_map<ino_t, FileIdentity> identities_;  // of files with extents, where a cleaner needs them
  std::atomic<uint64_t> cleanings_count_ = 0;
  std::atomic<uint64_t> moved_blocks_count_ = 0;
  std::atomic<int64_t> cleaning_ns_ = 0;
  std::atomic<uint64_t> lost_files_count_ = 0;
};

}  // namespace patina
