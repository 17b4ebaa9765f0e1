// Detects other writers to a loop device's backing file.
#pragma once

#include <sys/types.h>

#include <string>

#include "base/descriptor.h"
#include "trace/trace_source.h"

namespace patina {

// Such writes bypass the loop device's queue, so no trace contains them. Finds other loop devices over the
// file and processes that have it open for writing when doubt() is called, and processes that closed it since
// the watch was made. Misses a process in another PID namespace and one that only maps the file.
class BackingFileWatch {
 public:
  explicit BackingFileWatch(const TracedDevice& device);

  // Returns why others may have written to the file: `backing_file_shared`, or `backing_file_unwatched` where
  // it cannot be watched. Empty: none has, or the device is no loop device. Details go to stderr.
  std::string doubt() const;

 private:
  bool is_closed_by_writer() const;

  std::string disk_name_;
  std::string path_;  // empty: no loop device
  dev_t file_system_ = 0;
  ino_t inode_ = 0;
  Descriptor changes_;  // of inotify(7); invalid where the file cannot be watched
};

}  // namespace patina
