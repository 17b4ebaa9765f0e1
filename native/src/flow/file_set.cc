// Draws, allocates and hands out the files of a workload.
#include "flow/file_set.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <numeric>
#include <utility>

#include "base/random.h"
#include "executor/file_system.h"

namespace patina {
namespace {

constexpr int kMaxDepth = 64;
constexpr size_t kMostPassedOver = 256;
constexpr size_t kMostDirectories = 50'000'000;  // with more, each has files of its own

Error failed(int code, const char* what, const std::string& path) {
  return Error{file_system_error(code), fmt::format("cannot {} '{}': {}", what, path, std::strerror(code))};
}

Error stopped() {
  return Error{ErrorCode::kCanceled, "stopped while the workload's files were being written"};
}

}  // namespace

WriteBuffer::WriteBuffer(uint64_t seed) : storage_(kBytes + (kOffsets + 1) * 4096) {
  Random random(seed);
  const auto address = reinterpret_cast<uintptr_t>(storage_.data());
  char* aligned = storage_.data() + (4096 - address % 4096) % 4096;
  for (size_t at = 0; at < kBytes + kOffsets * 4096; at += sizeof(uint64_t)) {
    const uint64_t word = random.next();
    std::memcpy(aligned + at, &word, sizeof word);
  }
  data_ = aligned;
}

FileSet::FileSet(const FileSetSpec& spec, uint64_t seed) : spec_(spec) {
  Random random(seed);
  constexpr auto kMost = static_cast<uint64_t>(kMaxEntries);
  wanted_files_count_ = std::min(spec.files_count.whole(random), kMost);
  wanted_leaves_count_ = std::min(spec.leaf_directories_count.whole(random), kMost);
  if (wanted_leaves_count_ == 0) wanted_files_count_ = std::max<uint64_t>(wanted_files_count_, 1);
  const double width = spec.directory_width.expected();
  if (width > 1) {
    mean_depth_ = std::log(static_cast<double>(wanted_files_count_ + wanted_leaves_count_)) / std::log(width);
  }
  populate(random);
  states_ = EntryStates(files_.size());
  opens_ = std::vector<std::atomic<uint32_t>>(files_.size());
  leaf_states_ = EntryStates(leaf_directories_.size());
  std::vector<size_t> order(files_.size());
  std::iota(order.begin(), order.end(), size_t{0});
  for (size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1], order[random.below(static_cast<uint32_t>(i))]);
  for (const size_t file : order) {
    if (unit(random) >= spec.allocated_fraction) continue;
    allocated_.push_back(file);
    allocated_bytes_ += files_[file].bytes;
    states_.set_exists(file, true);
  }
  for (size_t leaf = 0; leaf < leaf_directories_.size(); ++leaf) {
    leaf_states_.set_exists(leaf, unit(random) < spec.allocated_fraction);
  }
}

// Below the root are directories of random width down to a random depth; those at the end contain the files.
void FileSet::populate(Random& random) {
  files_.reserve(wanted_files_count_);
  directories_.emplace_back();
  if (spec_.is_single_file || spec_.directory_width.expected() <= 1) {
    for (size_t i = 1; i <= wanted_files_count_; ++i) add_file("", i, random);
    for (size_t i = 1; i <= wanted_leaves_count_; ++i) leaf_directories_.push_back(fmt::format("d{:08}", i));
    return;
  }
  for (size_t i = 1; wants_entries(); ++i) fill_directory(directory_below("", i), 2, random);
}

bool FileSet::wants_entries() const {
  return files_.size() < wanted_files_count_ || leaf_directories_.size() < wanted_leaves_count_;
}

std::string FileSet::directory_below(const std::string& parent, size_t number) {
  directories_.push_back(fmt::format("{}{}{:08}", parent, parent.empty() ? "" : "/", number));
  return directories_.back();
}

void FileSet::add_file(const std::string& directory, size_t number, Random& random) {
  files_.push_back(
      {fmt::format("{}{}{:08}", directory, directory.empty() ? "" : "/", number), spec_.bytes.whole(random)});
}

void FileSet::fill_directory(const std::string& directory, int depth, Random& random) {
  const bool is_last = depth >= drawn_depth(random) || directories_.size() >= kMostDirectories;
  const double width = drawn_width(random);
  if (!is_last) {
    for (size_t i = 1; static_cast<double>(i) < width + 1 && wants_entries(); ++i)
      fill_directory(directory_below(directory, i), depth + 1, random);
    return;
  }
  for (size_t i = 1; static_cast<double>(i) < width + 1 && files_.size() < wanted_files_count_; ++i)
    add_file(directory, i, random);
  for (size_t i = 1; static_cast<double>(i) < width + 1 && leaf_directories_.size() < wanted_leaves_count_;
       ++i) {
    leaf_directories_.push_back(fmt::format("{}/d{:08}", directory, i));
  }
}

double FileSet::drawn_width(Random& random) const {
  Number width = spec_.directory_width;
  if (width.distribution == Distribution::kConstant && spec_.directory_shape > 0) {
    width.distribution = Distribution::kGamma;
    width.shape = spec_.directory_shape;
  }
  return std::max(width.sample(random), 1.0);
}

int FileSet::drawn_depth(Random& random) const {
  Number depth = spec_.depth.value_or(Number::of(mean_depth_));
  if (depth.distribution == Distribution::kConstant && spec_.directory_shape > 0) {
    depth.distribution = Distribution::kGamma;
    depth.shape = spec_.directory_shape;
  }
  return static_cast<int>(std::clamp(depth.sample(random), 1.0, double{kMaxDepth}));
}

Status FileSet::allocate(int parent_fd, const WriteBuffer& buffer,
                         const std::function<bool(uint64_t)>& progress) {
  if (mkdirat(parent_fd, spec_.name.c_str(), 0755) != 0) {
    if (errno == EEXIST) {
      return Error{
          ErrorCode::kMountUnusable,
          fmt::format("the folder '{}' of the workload's files exists already; roll the device back first",
                      spec_.name)};
    }
    return failed(errno, "make the directory", spec_.name);
  }
  root_ = Descriptor(openat(parent_fd, spec_.name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!root_.valid()) return failed(errno, "open the directory", spec_.name);
  if (Status made = make_directories(progress); !made) return made;
  for (const size_t file : allocated_) {
    if (Status written = write_file(file, buffer, progress); !written) return written;
  }
  return ok_status();
}

Status FileSet::make_directories(const std::function<bool(uint64_t)>& progress) const {
  for (size_t i = 1; i < directories_.size(); ++i) {
    if (!progress(0)) return stopped();
    if (mkdirat(root_.get(), directories_[i].c_str(), 0755) != 0)
      return failed(errno, "make the directory", directories_[i]);
  }
  for (size_t i = 0; i < leaf_directories_.size(); ++i) {
    if (!leaf_states_.exists(i)) continue;
    if (!progress(0)) return stopped();
    if (mkdirat(root_.get(), leaf_directories_[i].c_str(), 0755) != 0)
      return failed(errno, "make the directory", leaf_directories_[i]);
  }
  return ok_status();
}

Status FileSet::write_file(size_t file, const WriteBuffer& buffer,
                           const std::function<bool(uint64_t)>& progress) const {
  const File& entry = files_[file];
  const Descriptor fd(openat(root_.get(), entry.path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
  if (!fd.valid()) return failed(errno, "make the file", entry.path);
  for (uint64_t done = 0; done < entry.bytes;) {
    const size_t piece = std::min<uint64_t>(entry.bytes - done, size_t{1} << 20U);
    const ssize_t written = write(fd.get(), buffer.bytes_at(file + done), piece);
    if (written <= 0) return failed(written < 0 ? errno : EIO, "fill the file", entry.path);
    done += static_cast<uint64_t>(written);
    if (!progress(static_cast<uint64_t>(written))) return stopped();
  }
  return progress(0) ? ok_status() : stopped();
}

Status FileSet::take_over(int parent_fd) {
  root_ = Descriptor(openat(parent_fd, spec_.name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!root_.valid()) {
    return Error{ErrorCode::kMountUnusable,
                 fmt::format("the files of '{}' are not there: {}; allocate them first", spec_.name,
                             std::strerror(errno))};
  }
  return ok_status();
}

std::unique_lock<std::mutex> FileSet::locked() {
  constexpr int kTries = 100;
  for (int i = 0; i < kTries; ++i) {
    std::unique_lock lock(mutex_, std::try_to_lock);
    if (lock) return lock;
    __builtin_ia32_pause();
  }
  return std::unique_lock(mutex_);
}

std::optional<size_t> FileSet::acquire(size_t* rotor, std::optional<size_t> index,
                                       const std::atomic<bool>& stop) {
  std::unique_lock lock = locked();
  size_t& next = rotor == nullptr ? existing_rotor_ : *rotor;
  while (!stop.load(std::memory_order_relaxed)) {
    if (const std::optional<size_t> file = states_.find(/*existing=*/true, index.value_or(next))) {
      next = *file + 1;
      opens_[*file].fetch_add(1, std::memory_order_relaxed);
      return file;
    }
    if (states_.busy_count() == 0) return std::nullopt;
    settled_.wait(lock);
  }
  return std::nullopt;
}

void FileSet::release(size_t file) {
  // A removed file that is closed after that has none.
  uint32_t opens = opens_[file].load(std::memory_order_relaxed);
  while (opens > 0 && !opens_[file].compare_exchange_weak(opens, opens - 1, std::memory_order_relaxed))
    continue;
}

std::optional<size_t> FileSet::begin_create(std::optional<size_t> index, const std::atomic<bool>& stop) {
  std::unique_lock lock = locked();
  while (!stop.load(std::memory_order_relaxed)) {
    if (const std::optional<size_t> file = states_.find(/*existing=*/false, index.value_or(create_rotor_))) {
      create_rotor_ = *file + 1;
      states_.set_busy(*file, true);
      return file;
    }
    if (states_.busy_count() == 0) return std::nullopt;
    settled_.wait(lock);
  }
  return std::nullopt;
}

void FileSet::end_create(size_t file, bool was_made) {
  const std::unique_lock lock = locked();
  states_.set_busy(file, false);
  states_.set_exists(file, was_made);
  if (was_made) opens_[file] = 1;
  settled_.notify_all();
}

std::optional<FileSet::Removal> FileSet::begin_remove(std::optional<size_t> index,
                                                      const std::atomic<bool>& stop) {
  std::unique_lock lock = locked();
  while (!stop.load(std::memory_order_relaxed)) {
    std::optional<size_t> file = states_.find(/*existing=*/true, index.value_or(existing_rotor_));
    // Files in use are passed over: if each of them were a removal less, a set that is created in as often as
    // it is removed from would fill up.
    for (size_t passed = 0; file && opens_[*file] > 0 && !index && passed < kMostPassedOver; ++passed) {
      file = states_.find(/*existing=*/true, *file + 1);
    }
    if (file) {
      existing_rotor_ = *file + 1;
      if (opens_[*file] > 0) return Removal{*file, true};
      states_.set_busy(*file, true);
      return Removal{*file, false};
    }
    if (states_.busy_count() == 0) return std::nullopt;
    settled_.wait(lock);
  }
  return std::nullopt;
}

bool FileSet::begin_remove_open(size_t file, bool is_open) {
  const std::unique_lock lock = locked();
  if (opens_[file] > (is_open ? 1U : 0U) || !states_.exists(file) || states_.is_busy(file)) return false;
  states_.set_busy(file, true);
  return true;
}

void FileSet::end_remove(size_t file, bool was_removed) {
  const std::unique_lock lock = locked();
  states_.set_busy(file, false);
  if (was_removed) {
    states_.set_exists(file, false);
    opens_[file] = 0;
  }
  settled_.notify_all();
}

std::optional<size_t> FileSet::begin_leaf(bool existing, const std::atomic<bool>& stop) {
  std::unique_lock lock = locked();
  while (!stop.load(std::memory_order_relaxed)) {
    if (const std::optional<size_t> leaf = leaf_states_.find(existing, leaf_rotor_)) {
      leaf_rotor_ = *leaf + 1;
      leaf_states_.set_busy(*leaf, true);
      return leaf;
    }
    if (leaf_states_.busy_count() == 0) return std::nullopt;
    settled_.wait(lock);
  }
  return std::nullopt;
}

void FileSet::end_leaf(size_t leaf, bool exists) {
  const std::unique_lock lock = locked();
  leaf_states_.set_busy(leaf, false);
  leaf_states_.set_exists(leaf, exists);
  settled_.notify_all();
}

void FileSet::wake_all() {
  const std::unique_lock lock = locked();
  settled_.notify_all();
}

}  // namespace patina
