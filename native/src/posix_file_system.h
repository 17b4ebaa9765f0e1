// The aged file system, by system calls on open directory handles.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "file_system.h"

namespace patina {

// A descriptor that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor();
  int get() const { return fd_; }
  bool valid() const { return fd_ >= 0; }
  int release();

 private:
  int fd_;
};

class PosixFileSystem final : public FileSystem {
 public:
  // Opens the mount root. It must be a mount point and hold nothing but lost+found, unless `may_hold_files`.
  // Error: kMountUnusable.
  static Result<std::unique_ptr<PosixFileSystem>> open(const std::string& mount, DataMode mode, uint64_t seed,
                                                       bool may_hold_files);

  uint64_t capacity_bytes() const { return capacity_bytes_; }
  uint64_t block_size_bytes() const { return block_size_bytes_; }
  uint64_t inodes_count() const { return inodes_count_; }  // 0: the file system sets no limit
  uint64_t device() const { return device_; }              // st_dev

  Status make_directories(const DirectoryTree& tree) override;
  int create_file(uint32_t directory, uint64_t ordinal, uint64_t bytes) override;
  int remove_file(uint32_t directory, uint64_t ordinal) override;
  int sync() override;
  Result<uint64_t> used_bytes() override;
  Result<FreeExtents> free_extents() override;

 private:
  PosixFileSystem(Descriptor root, DataMode mode, uint64_t seed)
      : root_(std::move(root)), mode_(mode), seed_(seed) {}

  Status read_shape();
  int open_file(uint32_t directory, const char* name, int flags) const;
  int fill(int fd, uint64_t ordinal, uint64_t bytes) const;
  int write_bytes(int fd, uint64_t ordinal, uint64_t bytes) const;

  Descriptor root_;
  DataMode mode_;
  uint64_t seed_;
  uint64_t capacity_bytes_ = 0;
  uint64_t block_size_bytes_ = 0;
  uint64_t inodes_count_ = 0;
  uint64_t device_ = 0;
  std::vector<Descriptor> handles_;  // by directory, as many as the limit on open files allows
  std::vector<std::string> paths_;   // of the directories beyond
};

}  // namespace patina
