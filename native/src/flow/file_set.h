// The files of a workload: their places and sizes, which of them exist, and how threads choose one.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/descriptor.h"
#include "base/result.h"
#include "flow/entry_states.h"
#include "personality/personality.h"

namespace patina {

// Incompressible bytes that all writes take theirs from.
class WriteBuffer {
 public:
  static constexpr size_t kBytes = size_t{4} << 20U;  // the largest single write
  explicit WriteBuffer(uint64_t seed);
  // Returns `bytes` bytes, at most kBytes, at an offset that differs with `random` and is a multiple of 4096.
  const char* bytes_at(uint64_t random) const { return data_ + (random % kOffsets) * 4096; }

 private:
  static constexpr size_t kOffsets = 256;
  std::vector<char> storage_;
  const char* data_ = nullptr;
};

class FileSet {
 public:
  // Draws places and sizes: the same specification and seed give the same set on every file system. A number
  // of files that is drawn is at most kMaxEntries.
  FileSet(const FileSetSpec& spec, uint64_t seed);

  const FileSetSpec& spec() const { return spec_; }
  size_t files_count() const { return files_.size(); }
  size_t allocated_count() const { return allocated_.size(); }
  uint64_t allocated_bytes() const { return allocated_bytes_; }
  uint64_t bytes_of(size_t file) const { return files_[file].bytes; }
  bool exists(size_t file) const { return states_.exists(file); }
  const char* path_of(size_t file) const { return files_[file].path.c_str(); }
  size_t directories_count() const { return directories_.size(); }
  const char* directory_path(size_t directory) const { return directories_[directory].c_str(); }
  const char* leaf_directory_path(size_t leaf) const { return leaf_directories_[leaf].c_str(); }
  // The folder that all paths are relative to.
  int root_fd() const { return root_.get(); }

  // Makes the folder of the set in `parent_fd`, its directories, and the allocated files with their bytes, in
  // an order that is random, as far as the set's seed. Calls `progress` with the bytes written since the last
  // call; false stops. Errors: kNoSpace and others of the file system, kMountUnusable (the folder exists),
  // kCanceled.
  Status allocate(int parent_fd, const WriteBuffer& buffer,
                  const std::function<bool(uint64_t bytes)>& progress);
  // Takes over what `allocate` has made in an earlier process. Error: kMountUnusable when it is not there.
  Status take_over(int parent_fd);

  // The choices. Each takes the next file of the set, waits while every suitable one is being made or
  // removed, and returns nothing when there is none, or when `stop` is set. `rotor`: the place from which to
  // take it, in place of that of all threads; it moves on. `index`: the number to choose instead.
  //
  // Chooses an existing file, which stays open until release().
  std::optional<size_t> acquire(size_t* rotor, std::optional<size_t> index, const std::atomic<bool>& stop);
  void release(size_t file);
  // Chooses a file that does not exist, for create() or give_up_create().
  std::optional<size_t> begin_create(std::optional<size_t> index, const std::atomic<bool>& stop);
  // Ends it: the file exists, and is open until release(); or it does not.
  void end_create(size_t file, bool was_made);
  // Chooses an existing file to remove. `in_use`: it is open, so it stays.
  struct Removal {
    size_t file;
    bool in_use;
  };
  std::optional<Removal> begin_remove(std::optional<size_t> index, const std::atomic<bool>& stop);
  // The same of a file that the caller has or had open: false when others have it open, or it is gone.
  bool begin_remove_open(size_t file, bool is_open);
  void end_remove(size_t file, bool was_removed);

  // Directories that operations make and remove.
  std::optional<size_t> begin_leaf(bool existing, const std::atomic<bool>& stop);
  void end_leaf(size_t leaf, bool exists);
  size_t next_directory() {
    return directory_rotor_.fetch_add(1, std::memory_order_relaxed) % directories_.size();
  }

  // Wakes all that wait, after `stop` was set.
  void wake_all();

 private:
  struct File {
    std::string path;
    uint64_t bytes;
  };

  std::unique_lock<std::mutex> locked();

  void populate(class Random& random);
  bool wants_entries() const;
  std::string directory_below(const std::string& parent, size_t number);
  void add_file(const std::string& directory, size_t number, class Random& random);
  void fill_directory(const std::string& directory, int depth, class Random& random);
  double drawn_width(class Random& random) const;
  int drawn_depth(class Random& random) const;
  Status make_directories(const std::function<bool(uint64_t)>& progress) const;
  Status write_file(size_t file, const WriteBuffer& buffer,
                    const std::function<bool(uint64_t)>& progress) const;

  FileSetSpec spec_;
  uint64_t wanted_files_count_;
  uint64_t wanted_leaves_count_;
  double mean_depth_ = 1;
  std::vector<File> files_;
  std::vector<std::string> directories_;  // parents first; the first is the root, ""
  std::vector<std::string> leaf_directories_;
  std::vector<size_t> allocated_;  // files in the order of their allocation
  uint64_t allocated_bytes_ = 0;
  Descriptor root_;

  // Held for some nanoseconds, so that a thread tries again before it sleeps.
  std::mutex mutex_;
  std::condition_variable settled_;
  std::vector<std::atomic<uint32_t>> opens_;  // by file; grows with mutex_ held
  EntryStates states_{0};
  EntryStates leaf_states_{0};
  size_t create_rotor_ = 0;
  size_t existing_rotor_ = 0;
  size_t leaf_rotor_ = 0;
  std::atomic<size_t> directory_rotor_{0};
};

}  // namespace patina
