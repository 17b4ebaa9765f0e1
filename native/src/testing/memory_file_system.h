// The tests' counterpart of PosixFileSystem: a tree in memory that can be full, fail, and lose unsynced data.
#pragma once

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "executor/file_system.h"
#include "model/file_name.h"

namespace patina {

class MemoryFileSystem final : public FileSystem {
 public:
  using Files = std::map<std::pair<uint32_t, uint64_t>, uint64_t>;  // directory and ordinal -> bytes

  // Called before each operation on a file, with the number of earlier ones; a result other than 0 is the
  // errno of the operation, which then does nothing.
  std::function<int(bool is_delete, uint64_t operations)> fault = [](bool, uint64_t) { return 0; };
  uint64_t capacity_bytes = UINT64_MAX;  // creates beyond it fail with ENOSPC
  std::optional<SpaceLag> lag;           // reported by space_lag()
  int sync_result = 0;
  int write_back_result = 0;
  uint64_t syncs_count = 0;
  std::atomic<uint64_t> writebacks_count = 0;  // of files
  Status directories_result = ok_status();

  Files files() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return files_;
  }
  uint64_t operations() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return operations_;
  }
  // Restores the state after a loss of power.
  void crash() {
    const std::lock_guard<std::mutex> lock(mutex_);
    files_ = synced_;
    renamed_ = synced_renamed_;
    used_bytes_ = 0;
    for (const auto& [place, bytes] : files_) used_bytes_ += bytes;
  }

  Status make_directories(const DirectoryTree& tree) override {
    depths_.assign(tree.count(), 0);
    for (uint32_t i = 1; i < tree.count(); ++i) depths_[i] = depths_[tree.parent(i)] + 1;
    return directories_result;
  }
  int write_back(const Operation& /*file*/) override {
    ++writebacks_count;
    return write_back_result;
  }
  Descriptor keep(const Operation& /*file*/) override { return Descriptor(); }
  int materialize(const Operation& file) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (const int code = fault(false, operations_++); code != 0) return code;
    return files_.contains({file.directory, file.file}) ? 0 : ENOENT;
  }
  Status walk(const std::function<void(const FoundFile&)>& visit) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const auto& [place, bytes] : files_) {
      const auto [directory, ordinal] = place;
      const uint8_t renamed = renamed_.contains(ordinal) ? 1 : 0;
      const FileName name(renamed == 0 ? 'f' : 'g', ordinal);
      visit({name.c_str(), ordinal, renamed, directory, depths_.empty() ? 0 : depths_[directory], bytes});
    }
    return ok_status();
  }

  int carry_out(const Operation& operation) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (const int code = fault(operation.is_delete(), operations_++); code != 0) return code;
    if (operation.kind == OperationKind::kMakeDirectory) {
      depths_.push_back(depths_[operation.file] + 1);
      return 0;
    }
    const auto found = files_.find({operation.directory, operation.file});
    const bool exists = found != files_.end();
    if (!operation.is_create() && !exists) return 0;
    const uint64_t cut = touched_range(operation, kBlockSizeBytes).begin_bytes;
    switch (operation.kind) {
      case OperationKind::kCreate:
        return resize(operation, operation.place == 0 ? operation.bytes : cut);
      case OperationKind::kAppend:
        return resize(operation, operation.bytes);
      case OperationKind::kTruncate:
        return resize(operation, cut);
      case OperationKind::kDelete:
        used_bytes_ -= found->second;
        files_.erase(found);
        return 0;
      case OperationKind::kRename:
        if (operation.renamed == 0) renamed_.insert(operation.file);
        if (operation.renamed == 1) renamed_.erase(operation.file);
        return 0;
      case OperationKind::kOverwrite:
      case OperationKind::kPunchHole:
      case OperationKind::kMakeDirectory:
        return 0;
    }
    return EINVAL;
  }

  int sync() override {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++syncs_count;
    if (sync_result == 0) {
      synced_ = files_;
      synced_renamed_ = renamed_;
    }
    return sync_result;
  }

  std::optional<SpaceLag> space_lag() override { return lag; }
  Result<uint64_t> used_bytes() override {
    const std::lock_guard<std::mutex> lock(mutex_);
    return used_bytes_;
  }
  Result<SpaceMap> space_map() override {
    return Error{ErrorCode::kLayoutUnsupported, "memory has no extents"};
  }

 private:
  static constexpr uint64_t kBlockSizeBytes = 4096;

  int resize(const Operation& operation, uint64_t bytes) {
    const auto found = files_.find({operation.directory, operation.file});
    const uint64_t before = found == files_.end() ? 0 : found->second;
    if (used_bytes_ - before + bytes > capacity_bytes) return ENOSPC;
    files_[{operation.directory, operation.file}] = bytes;
    used_bytes_ += bytes - before;
    if (operation.is_create() && operation.renamed == 0) renamed_.erase(operation.file);
    if (operation.is_create() && operation.renamed == 1) renamed_.insert(operation.file);
    return 0;
  }

  mutable std::mutex mutex_;
  Files files_;
  std::set<uint64_t> renamed_;
  std::set<uint64_t> synced_renamed_;
  std::vector<uint32_t> depths_;  // by directory
  Files synced_;
  uint64_t used_bytes_ = 0;
  uint64_t operations_ = 0;
};

}  // namespace patina
