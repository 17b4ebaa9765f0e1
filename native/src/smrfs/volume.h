// A mounted file system: its metadata folder, its data and what the kernel knows of it.
#pragma once

#include <sys/statvfs.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <string>

#include "base/result.h"
#include "smrfs/map_publisher.h"
#include "smrfs/node.h"

namespace patina {

// Thread safe.
class SmrVolume {
 public:
  // Reads the extents of all files of the folder. kMountUnusable: it is no folder; kBackingInvalid: extents
  // are damaged, or two files have the same; kIoError.
  static Result<std::unique_ptr<SmrVolume>> open(DataArea& area, const std::string& metadata_folder,
                                                 uint64_t buffer_bytes);

  NodeTable& table() { return *table_; }
  MapPublisher& publisher() { return *publisher_; }

  // As stat(2), of any node.
  int attributes(Node& node, struct stat& file) const;
  int statistics(struct statvfs& system) const;

  // Each needs the node's mutex. Writes what is buffered of the file to the disk. kNoSpace; kIoError.
  Status settle(const std::shared_ptr<Node>& node);
  // The same when the file is closed for good: what has no place is lost then, and the file as before.
  Status settle_last(const std::shared_ptr<Node>& node);
  // Releases the blocks of a file that is gone and not open.
  void drop(Node& node);

  // Needs no mutex. Places files until less is buffered; waits while another thread does. Errors of settle().
  Status make_room();
  // What was settled is durable.
  Status commit() { return publisher_->commit(); }
  // Everything is on the disk and durable.
  Status settle_all();

  uint64_t lost_files_count() const { return lost_files_count_; }

 private:
  SmrVolume(DataArea& area, Descriptor folder, uint64_t buffer_bytes)
      : buffer_{.area = area, .limit_bytes = buffer_bytes, .placing = {}, .blocks_count = 0},
        folder_(std::move(folder)) {}

  Status settle(const std::shared_ptr<Node>& node, Placement placement);

  DataBuffer buffer_;
  const Descriptor folder_;
  std::unique_ptr<MapPublisher> publisher_;
  std::unique_ptr<NodeTable> table_;
  std::mutex making_room_;
  std::atomic<uint64_t> lost_files_count_ = 0;
};

}  // namespace patina
