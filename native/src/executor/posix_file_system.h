// The aged file system, through system calls on open directory handles.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "executor/file_system.h"

namespace patina {

// Content of files.
struct FileContent {
  DataMode mode = DataMode::kFallocate;
  bool is_written = false;  // even where the mode only allocates
  uint64_t seed = 1;
  double compressible_fraction = 0;  // zeroes of each 4 KiB; the rest is random
};

// Returns 0 for kWrite; for kMaterialize all but a stamp of 16 bytes, so that an image of readable files
// stays small; for kFallocate 1, used where files are written all the same.
double usual_compressible_fraction(DataMode mode);

class PosixFileSystem final : public FileSystem {
 public:
  // Opens the mount root. It must be a mount point and hold nothing but lost+found, unless `may_hold_files`.
  // Error: kMountUnusable.
  static Result<std::unique_ptr<PosixFileSystem>> open(const std::string& mount, bool may_hold_files);
  // Call before any file is made.
  void fill_with(const FileContent& content) { content_ = content; }

  bool has_journal() const { return lag_ && lag_->has_journal(); }  // of ext3 and ext4
  // Returns a name of file_system_kinds(), or "" for any other kind.
  const char* kind() const { return kind_; }

  uint64_t capacity_bytes() const { return capacity_bytes_; }
  uint64_t block_size_bytes() const { return block_size_bytes_; }
  uint64_t inodes_count() const { return inodes_count_; }  // 0: the file system sets no limit
  uint64_t device() const { return device_; }              // st_dev

  Status make_directories(const DirectoryTree& tree) override;
  int carry_out(const Operation& operation) override;
  int write_back(const Operation& file) override;
  Descriptor keep(const Operation& file) override;
  int materialize(const Operation& file) override;
  Status walk(const std::function<void(const FoundFile&)>& visit) override;
  int sync() override;
  Result<uint64_t> used_bytes() override;
  void wait_for_deletes() override;
  std::optional<SpaceLag> space_lag() override { return lag_ ? lag_->read() : std::nullopt; }
  Result<SpaceMap> space_map() override;

 private:
  explicit PosixFileSystem(Descriptor root) : root_(std::move(root)) {}

  Status read_shape();
  // Returns a descriptor, and the path of a name in a directory relative to it.
  std::pair<int, std::string> beyond_handles(uint32_t directory, const char* name) const;
  int open_file(const Operation& operation, int flags) const;
  // Opens a file by its current or its other name, since a later rename may have been done.
  int open_renamed(const Operation& operation, int flags) const;
  int open_directory(uint32_t directory);
  int make_directory(const Operation& operation);
  int create(const Operation& operation) const;
  int remove(const Operation& operation) const;
  int rename(const Operation& operation) const;
  int modify(const Operation& operation) const;
  int append(int fd, const Operation& operation) const;
  int fill(int fd, const Operation& operation, ByteRange range) const;
  int write_bytes(int fd, const Operation& operation, ByteRange range) const;

  Descriptor root_;
  FileContent content_;
  const char* kind_ = "";
  std::optional<SpaceLagReader> lag_;  // set once the kind of file system is known
  uint64_t capacity_bytes_ = 0;
  uint64_t block_size_bytes_ = 0;
  uint64_t inodes_count_ = 0;
  uint64_t device_ = 0;
  DirectoryTree tree_;
  size_t most_handles_ = 1;
  std::vector<Descriptor> handles_;  // by directory, as many as the limit on open files allows
  std::vector<std::string> paths_;   // of the directories without a handle
};

}  // namespace patina
