// Stores the extents of files in the metadata folder, after their data is on the disk.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "base/result.h"
#include "smrfs/node.h"

namespace patina {

// Thread safe.
class MapPublisher {
 public:
  // `folder_fd`: open on the metadata folder.
  MapPublisher(DataArea& area, int folder_fd) : area_(area), folder_fd_(folder_fd) {}

  // The next commit stores what is settled of the node. Returns whether earlier extents still waited, and are
  // not going to be stored. The node's mutex is held.
  bool put(const std::shared_ptr<Node>& node);
  // The file is gone: nothing is stored of it. Returns as put().
  bool remove(const Node& node);
  // Whether anything was put or removed since the last commit.
  bool is_waiting() const { return is_waiting_; }

  // Flushes the disk, stores what was put before, and syncs the file system of the folder. After an error all
  // of it waits again. It locks no node: the caller may hold one. kIoError; kNoSpace.
  Status commit() { return commit(true); }
  // The same without the sync: what changes in the folder later is not durable before.
  Status order() { return commit(false); }

 private:
  struct Waiting {
    std::shared_ptr<Node> node;
    FileExtents extents;
    std::optional<timespec> modified;
  };

  Status commit(bool syncs);
  static Status store(const Waiting& each);
  static Status store_all(const std::map<ino_t, Waiting>& taken);
  Status sync() const;

  DataArea& area_;
  const int folder_fd_;
  std::mutex committing_;  // one commit at a time; before mutex_
  mutable std::mutex mutex_;
  std::map<ino_t, Waiting> waiting_;
  std::atomic<bool> is_waiting_ = false;
};

}  // namespace patina
