// Walks a mounted tree and reads the extents of every file.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "layout/file_extents.h"

namespace patina {

struct WalkedFile {
  std::string name;
  uint64_t device = 0;
  uint64_t inode = 0;
  uint64_t links_count = 1;
  // Its extents are a part of those of its directory, in the order of the file.
  size_t first_extent = 0;
  size_t extents_count = 0;
};

struct WalkedDirectory {
  std::string path;               // from the root of the walk; empty for the root itself
  std::vector<WalkedFile> files;  // regular files, by the bytes of their names
  std::vector<FileExtent> extents;
};

struct ExtentWalk {
  std::vector<WalkedDirectory> directories;  // by the bytes of their paths
  uint64_t vanished_count = 0;               // files and directories removed during the walk
  uint64_t unreadable_count = 0;             // files and directories without permission to open
};

struct WalkSettings {
  int threads_count = 0;  // 0: as many as cores
  uint64_t max_entries_count = uint64_t{1} << 30;
  uint64_t max_extents_per_file = kMaxExtentsPerFile;
  // Writes each file out first: all that was written before its extents are read is then in them.
  bool syncs_files = false;
  // Appends the extents of an open file in place of FileExtentReader. Called by several threads at a time.
  std::function<Status(int fd, std::vector<FileExtent>& extents)> reads_extents = {};
  // By paths from the root of the walk; without it, all are taken. Called by several threads at a time.
  std::function<bool(const std::string& path)> takes_file = {};
  std::function<bool(const std::string& path)> takes_directory = {};
};

// Does not cross into other mounts; subvolumes of a btrfs belong to it. Opens files without reading them.
// Errors: kLayoutUnsupported, kIoError (too many open files is one), kCanceled.
Result<ExtentWalk> walk_extents(int root_fd, const WalkSettings& settings, const std::atomic<bool>& stop);

}  // namespace patina
