// The tests' twin of PosixFileSystem: a tree in memory that can be full, break, and lose what was not synced.
#pragma once

#include <cerrno>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <utility>

#include "file_system.h"

namespace patina {

class MemoryFileSystem final : public FileSystem {
 public:
  using Files = std::map<std::pair<uint32_t, uint64_t>, uint64_t>;  // directory and ordinal -> bytes

  // Called before each operation on a file with how many there were before; what it returns, if not 0, is
  // the errno of the operation, which then does nothing.
  std::function<int(bool is_delete, uint64_t operations)> fault = [](bool, uint64_t) { return 0; };
  uint64_t capacity_bytes = UINT64_MAX;  // creates beyond it fail with ENOSPC
  int sync_result = 0;
  Status directories_result = ok_status();

  Files files() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return files_;
  }
  uint64_t operations() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return operations_;
  }
  // What a machine finds after it lost power.
  void crash() {
    const std::lock_guard<std::mutex> lock(mutex_);
    files_ = synced_;
    used_bytes_ = 0;
    for (const auto& [place, bytes] : files_) used_bytes_ += bytes;
  }

  Status make_directories(const DirectoryTree& /*tree*/) override { return directories_result; }

  int create_file(uint32_t directory, uint64_t ordinal, uint64_t bytes) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (const int code = fault(false, operations_++); code != 0) return code;
    const auto found = files_.find({directory, ordinal});
    if (found != files_.end()) used_bytes_ -= found->second;
    if (used_bytes_ + bytes > capacity_bytes) return ENOSPC;
    files_[{directory, ordinal}] = bytes;
    used_bytes_ += bytes;
    return 0;
  }

  int remove_file(uint32_t directory, uint64_t ordinal) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (const int code = fault(true, operations_++); code != 0) return code;
    const auto found = files_.find({directory, ordinal});
    if (found == files_.end()) return 0;
    used_bytes_ -= found->second;
    files_.erase(found);
    return 0;
  }

  int sync() override {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (sync_result == 0) synced_ = files_;
    return sync_result;
  }

  Result<uint64_t> used_bytes() override {
    const std::lock_guard<std::mutex> lock(mutex_);
    return used_bytes_;
  }
  Result<FreeExtents> free_extents() override {
    return Error{ErrorCode::kLayoutUnsupported, "memory has no extents"};
  }

 private:
  mutable std::mutex mutex_;
  Files files_;
  Files synced_;
  uint64_t used_bytes_ = 0;
  uint64_t operations_ = 0;
};

}  // namespace patina
