// Calls openat, fallocate and unlinkat on a mounted directory.
#include "executor/posix_file_system.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <string_view>

#include "base/random.h"
#include "device/file_system_kind.h"
#include "executor/mount_root.h"
#include "executor/tree_walk.h"
#include "layout/settled_mount.h"
#include "model/file_name.h"

namespace patina {
namespace {

Error unusable(std::string message) {
  return Error{ErrorCode::kMountUnusable, std::move(message)};
}

// Returns the name of an entry that mkfs did not make; empty if there is none.
Result<std::string> first_entry(int directory_fd) {
  const int fd = openat(directory_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* listing = fd < 0 ? nullptr : fdopendir(fd);
  if (listing == nullptr) {
    const int code = errno;
    if (fd >= 0) close(fd);
    return unusable(fmt::format("cannot list the mount: {}", std::strerror(code)));
  }
  std::string found;
  while (const dirent* entry = readdir(listing)) {  // NOLINT(concurrency-mt-unsafe)
    const std::string_view name = entry->d_name;
    if (name == "." || name == ".." || is_made_by_mkfs(name)) continue;
    found = name;
    break;
  }
  closedir(listing);
  return found;
}

// Reserved for files being written, the checkpoint, and descriptors inherited at the start.
constexpr size_t kReservedDescriptors = 128;

}  // namespace

double usual_compressible_fraction(DataMode mode) {
  switch (mode) {
    case DataMode::kFallocate:
    case DataMode::kSparse:
      return 1;
    case DataMode::kMaterialize:
      return 1 - 16.0 / 4096;
    case DataMode::kWrite:
      return 0;
  }
  return 0;
}

Result<std::unique_ptr<PosixFileSystem>> PosixFileSystem::open(const std::string& mount,
                                                               bool may_hold_files) {
  Result<Descriptor> root = open_mount_root(mount);
  if (!root) return root.error();
  if (!may_hold_files) {
    Result<std::string> entry = first_entry(root->get());
    if (!entry) return entry.error();
    if (!entry->empty()) {
      return unusable(
          fmt::format("'{}' is not empty: it contains '{}'; make a fresh file system", mount, *entry));
    }
  }
  struct stat here{};
  if (fstat(root->get(), &here) != 0)
    return unusable(fmt::format("cannot stat '{}': {}", mount, std::strerror(errno)));
  std::unique_ptr<PosixFileSystem> file_system(new PosixFileSystem(std::move(*root)));
  file_system->device_ = here.st_dev;
  Status shape = file_system->read_shape();
  if (!shape) return shape.error();
  return file_system;
}

Status PosixFileSystem::read_shape() {
  struct statvfs shape{};
  if (fstatvfs(root_.get(), &shape) != 0) {
    return unusable(fmt::format("statfs of the mount: {}", std::strerror(errno)));
  }
  capacity_bytes_ = uint64_t{shape.f_blocks} * shape.f_frsize;
  block_size_bytes_ = shape.f_frsize;
  inodes_count_ = shape.f_files;
  if (capacity_bytes_ == 0) return unusable("the mount reports no capacity");
  const Result<const FileSystemKind*> kind = mounted_kind(root_.get());
  if (!kind) return unusable(kind.error().message);
  kind_ = (*kind)->name;
  lag_.emplace(kind_, root_.get(), device_);
  return ok_status();
}

Status PosixFileSystem::make_directories(const DirectoryTree& tree) {
  const size_t limit = raise_file_limit();
  most_handles_ = limit > kReservedDescriptors ? limit - kReservedDescriptors : 1;
  tree_ = tree;
  for (uint32_t directory = 0; directory < tree.count(); ++directory) {
    if (const int code = open_directory(directory); code != 0) {
      return Error{file_system_error(code), fmt::format("cannot make the directory '{}': {}",
                                                        tree_.path(directory), std::strerror(code))};
    }
  }
  return ok_status();
}

// Makes the directory unless it exists, and keeps a handle of it.
int PosixFileSystem::open_directory(uint32_t directory) {
  std::string path = tree_.path(directory);
  if (directory > 0 && mkdirat(root_.get(), path.c_str(), 0755) != 0 && errno != EEXIST) return errno;
  if (directory >= most_handles_) {
    paths_.push_back(std::move(path));
    return 0;
  }
  Descriptor handle(openat(root_.get(), path.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!handle.valid()) return errno;
  handles_.push_back(std::move(handle));
  return 0;
}

int PosixFileSystem::make_directory(const Operation& operation) {
  return open_directory(tree_.add(static_cast<uint32_t>(operation.file)));
}

std::pair<int, std::string> PosixFileSystem::beyond_handles(uint32_t directory, const char* name) const {
  return {root_.get(), paths_[directory - handles_.size()] + "/" + name};
}

int PosixFileSystem::open_file(const Operation& operation, int flags) const {
  const FileName name = name_of(operation);
  if (operation.directory < handles_.size()) {
    return openat(handles_[operation.directory].get(), name.c_str(), flags | O_NOFOLLOW | O_CLOEXEC, 0644);
  }
  const auto [folder, path] = beyond_handles(operation.directory, name.c_str());
  return openat(folder, path.c_str(), flags | O_NOFOLLOW | O_CLOEXEC, 0644);
}

int PosixFileSystem::carry_out(const Operation& operation) {
  switch (operation.kind) {
    case OperationKind::kCreate:
      return create(operation);
    case OperationKind::kDelete:
      return remove(operation);
    case OperationKind::kRename:
      return rename(operation);
    case OperationKind::kAppend:
    case OperationKind::kOverwrite:
    case OperationKind::kTruncate:
    case OperationKind::kPunchHole:
      return modify(operation);
    case OperationKind::kMakeDirectory:
      return make_directory(operation);
  }
  return EINVAL;
}

int PosixFileSystem::create(const Operation& operation) const {
  // Not O_EXCL: after a resume the file may exist, complete or in part.
  const int fd = open_file(operation, O_WRONLY | O_CREAT);
  if (fd < 0) return errno;
  const uint64_t bytes =
      operation.place == 0 ? operation.bytes : touched_range(operation, block_size_bytes_).begin_bytes;
  const int code = bytes == 0 ? 0 : fill(fd, operation, {0, bytes});
  if (close(fd) != 0 && code == 0) return errno;
  if (code != 0) remove(operation);
  return code;
}

int PosixFileSystem::remove(const Operation& operation) const {
  const FileName name = name_of(operation);
  int result = 0;
  if (operation.directory < handles_.size()) {
    result = unlinkat(handles_[operation.directory].get(), name.c_str(), 0);
  } else {
    const auto [folder, path] = beyond_handles(operation.directory, name.c_str());
    result = unlinkat(folder, path.c_str(), 0);
  }
  return result == 0 || errno == ENOENT ? 0 : errno;
}

int PosixFileSystem::rename(const Operation& operation) const {
  Operation renamed = operation;
  renamed.renamed ^= 1U;
  const FileName from = name_of(operation);
  const FileName to = name_of(renamed);
  int result = 0;
  if (operation.directory < handles_.size()) {
    const int handle = handles_[operation.directory].get();
    result = renameat(handle, from.c_str(), handle, to.c_str());
  } else {
    const auto [folder, source] = beyond_handles(operation.directory, from.c_str());
    result = renameat(folder, source.c_str(), folder,
                      beyond_handles(operation.directory, to.c_str()).second.c_str());
  }
  return result == 0 || errno == ENOENT ? 0 : errno;
}

int PosixFileSystem::open_renamed(const Operation& operation, int flags) const {
  const int fd = open_file(operation, flags);
  if (fd >= 0 || errno != ENOENT) return fd;
  Operation renamed = operation;
  renamed.renamed ^= 1U;
  return open_file(renamed, flags);
}

int PosixFileSystem::modify(const Operation& operation) const {
  // After a power cut, a later rename may be durable where the bytes are not, and the operation is repeated.
  const int fd = open_renamed(operation, O_RDWR);
  if (fd < 0) return errno == ENOENT ? 0 : errno;
  const ByteRange range = touched_range(operation, block_size_bytes_);
  int code = 0;
  switch (operation.kind) {
    case OperationKind::kAppend:
      code = append(fd, operation);
      break;
    case OperationKind::kOverwrite:
      code = write_bytes(fd, operation, range);
      break;
    case OperationKind::kTruncate:
      code = ftruncate(fd, static_cast<off_t>(range.begin_bytes)) == 0 ? 0 : errno;
      break;
    case OperationKind::kPunchHole:
      code = fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(range.begin_bytes),
                       static_cast<off_t>(range.length_bytes())) == 0
                 ? 0
                 : errno;
      break;
    case OperationKind::kCreate:
    case OperationKind::kDelete:
    case OperationKind::kRename:
    case OperationKind::kMakeDirectory:
      code = EINVAL;
      break;
  }
  if (close(fd) != 0 && code == 0) return errno;
  return code;
}

// Restores the missing part of the file: its end, or a punched hole.
int PosixFileSystem::append(int fd, const Operation& operation) const {
  struct stat status{};
  if (fstat(fd, &status) != 0) return errno;
  const auto size = static_cast<uint64_t>(status.st_size);
  if (size < operation.bytes) return fill(fd, operation, {size, operation.bytes});
  return fill(fd, operation, touched_range(operation, block_size_bytes_));
}

int PosixFileSystem::fill(int fd, const Operation& operation, ByteRange range) const {
  switch (content_.mode) {
    case DataMode::kFallocate:
    case DataMode::kMaterialize:
      if (content_.is_written) return write_bytes(fd, operation, range);
      return fallocate(fd, 0, static_cast<off_t>(range.begin_bytes),
                       static_cast<off_t>(range.length_bytes())) == 0
                 ? 0
                 : errno;
    case DataMode::kWrite:
      return write_bytes(fd, operation, range);
    case DataMode::kSparse:
      return ftruncate(
                 fd, static_cast<off_t>(operation.is_create() ? range.length_bytes() : operation.bytes)) == 0
                 ? 0
                 : errno;
  }
  return EINVAL;
}

// Writes random bytes, which compression and deduplication below cannot reduce, and at the end of each 4 KiB
// the requested share of zeroes.
int PosixFileSystem::write_bytes(int fd, const Operation& operation, ByteRange range) const {
  constexpr size_t kUnitWords = 512;
  const auto random_words =
      static_cast<size_t>(std::lround((1 - content_.compressible_fraction) * kUnitWords));
  Random random(content_.seed ^ ((operation.file + range.begin_bytes) * 0x9e3779b97f4a7c15ULL));
  std::array<uint64_t, 8192> buffer{};
  uint64_t done = 0;
  while (done < range.length_bytes()) {
    const size_t wanted = static_cast<size_t>(std::min<uint64_t>(range.length_bytes() - done, sizeof buffer));
    for (size_t unit = 0; unit * sizeof(uint64_t) < wanted; unit += kUnitWords) {
      for (size_t i = 0; i < random_words; ++i) buffer[unit + i] = random.next();
    }
    size_t written = 0;
    while (written < wanted) {
      const ssize_t n = pwrite(fd, reinterpret_cast<const char*>(buffer.data()) + written, wanted - written,
                               static_cast<off_t>(range.begin_bytes + done + written));
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return n < 0 ? errno : EIO;
      written += static_cast<size_t>(n);
    }
    done += wanted;
  }
  return 0;
}

// Opens for reading, so that a close does not repeat the file system's work at the last writer's close.
int PosixFileSystem::write_back(const Operation& file) {
  const int fd = open_renamed(file, O_RDONLY);
  if (fd < 0) return errno == ENOENT ? 0 : errno;
  const int code = sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WRITE) == 0 ? 0 : errno;
  close(fd);
  return code;
}

Descriptor PosixFileSystem::keep(const Operation& file) {
  return Descriptor(open_renamed(file, O_PATH | O_NOFOLLOW));
}

int PosixFileSystem::materialize(const Operation& file) {
  const int fd = open_file(file, O_WRONLY);
  if (fd < 0) return errno;
  const int code = write_bytes(fd, file, {0, file.bytes});
  if (close(fd) != 0 && code == 0) return errno;
  return code;
}

Status PosixFileSystem::walk(const std::function<void(const FoundFile&)>& visit) {
  return walk_tree(root_.get(), visit);
}

int PosixFileSystem::sync() {
  return sync_mount(root_.get());
}

Result<uint64_t> PosixFileSystem::used_bytes() {
  struct statvfs shape{};
  if (fstatvfs(root_.get(), &shape) != 0) {
    return Error{ErrorCode::kIoError, fmt::format("statfs of the mount: {}", std::strerror(errno))};
  }
  return (uint64_t{shape.f_blocks} - shape.f_bfree) * shape.f_frsize;
}

void PosixFileSystem::wait_for_deletes() {
  patina::wait_for_deletes(root_.get());
}

Result<SpaceMap> PosixFileSystem::space_map() {
  return read_space_map(root_.get());
}

}  // namespace patina
