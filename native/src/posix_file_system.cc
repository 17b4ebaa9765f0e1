// openat, fallocate and unlinkat on a mounted directory.
#include "posix_file_system.h"

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
#include <cstring>
#include <string_view>

#include "file_name.h"
#include "random.h"

namespace patina {
namespace {

Error unusable(std::string message) {
  return Error{ErrorCode::kMountUnusable, std::move(message)};
}

// Null when the directory holds nothing but lost+found, else the name of something it holds.
Result<std::string> first_entry(int directory_fd) {
  const int fd = openat(directory_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* listing = fd < 0 ? nullptr : fdopendir(fd);
  if (listing == nullptr) {
    const int code = errno;
    if (fd >= 0) close(fd);
    return unusable(fmt::format("cannot list the mount: {}", std::strerror(code)));
  }
  std::string found;
  // At most '.', '..', lost+found and the one that decides.
  while (const dirent* entry = readdir(listing)) {  // NOLINT(concurrency-mt-unsafe)
    const std::string_view name = entry->d_name;
    if (name == "." || name == ".." || name == "lost+found") continue;
    found = name;
    break;
  }
  closedir(listing);
  return found;
}

// Raises the soft limit on open files to the hard one and returns it.
size_t raise_file_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 256;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  getrlimit(RLIMIT_NOFILE, &limit);
  return static_cast<size_t>(std::min<rlim_t>(limit.rlim_cur, rlim_t{1} << 20U));
}

// Kept free for files being written, the checkpoint, and whatever the process was started with.
constexpr size_t kReservedDescriptors = 128;

}  // namespace

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  if (this != &other) {
    if (valid()) close(fd_);
    fd_ = other.release();
  }
  return *this;
}

Descriptor::~Descriptor() {
  if (valid()) close(fd_);
}

int Descriptor::release() {
  return std::exchange(fd_, -1);
}

Result<std::unique_ptr<PosixFileSystem>> PosixFileSystem::open(const std::string& mount, DataMode mode,
                                                               uint64_t seed, bool may_hold_files) {
  Descriptor root(::open(mount.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!root.valid()) {
    return unusable(fmt::format("cannot open '{}' as a directory: {}", mount, std::strerror(errno)));
  }
  struct stat here{};
  struct stat above{};
  if (fstat(root.get(), &here) != 0 || fstatat(root.get(), "..", &above, 0) != 0) {
    return unusable(fmt::format("cannot stat '{}': {}", mount, std::strerror(errno)));
  }
  if (here.st_dev == above.st_dev) {
    return unusable(
        fmt::format("'{}' is not the root of a mounted file system; mount the device there", mount));
  }
  if (!may_hold_files) {
    Result<std::string> entry = first_entry(root.get());
    if (!entry) return entry.error();
    if (!entry->empty()) {
      return unusable(
          fmt::format("'{}' is not empty: it holds '{}'; make a fresh file system", mount, *entry));
    }
  }
  std::unique_ptr<PosixFileSystem> file_system(new PosixFileSystem(std::move(root), mode, seed));
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
  return ok_status();
}

Status PosixFileSystem::make_directories(const DirectoryTree& tree) {
  const size_t limit = raise_file_limit();
  const size_t handles_count =
      std::min<size_t>(tree.count(), limit > kReservedDescriptors ? limit - kReservedDescriptors : 1);
  for (uint32_t directory = 0; directory < tree.count(); ++directory) {
    const std::string path = tree.path(directory);
    if (directory > 0 && mkdirat(root_.get(), path.c_str(), 0755) != 0 && errno != EEXIST) {
      return Error{file_system_error(errno),
                   fmt::format("cannot make the directory '{}': {}", path, std::strerror(errno))};
    }
    if (directory >= handles_count) {
      paths_.push_back(path);
      continue;
    }
    Descriptor handle(openat(root_.get(), path.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!handle.valid()) {
      return Error{ErrorCode::kIoError,
                   fmt::format("cannot open the directory '{}': {}", path, std::strerror(errno))};
    }
    handles_.push_back(std::move(handle));
  }
  return ok_status();
}

int PosixFileSystem::open_file(uint32_t directory, const char* name, int flags) const {
  if (directory < handles_.size()) return openat(handles_[directory].get(), name, flags, 0644);
  const std::string path = paths_[directory - handles_.size()] + "/" + name;
  return openat(root_.get(), path.c_str(), flags, 0644);
}

int PosixFileSystem::create_file(uint32_t directory, uint64_t ordinal, uint64_t bytes) {
  const FileName name('f', ordinal);
  // Not O_EXCL: after a resume the file may be there, whole or in part.
  const int fd = open_file(directory, name.c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return errno;
  const int code = bytes == 0 ? 0 : fill(fd, ordinal, bytes);
  if (close(fd) != 0 && code == 0) return errno;
  if (code != 0) remove_file(directory, ordinal);
  return code;
}

int PosixFileSystem::fill(int fd, uint64_t ordinal, uint64_t bytes) const {
  switch (mode_) {
    case DataMode::kFallocate:
      return fallocate(fd, 0, 0, static_cast<off_t>(bytes)) == 0 ? 0 : errno;
    case DataMode::kWrite:
      return write_bytes(fd, ordinal, bytes);
    case DataMode::kSparse:
      return ftruncate(fd, static_cast<off_t>(bytes)) == 0 ? 0 : errno;
  }
  return EINVAL;
}

// Bytes of the generator: no compression or deduplication below can make them fewer.
int PosixFileSystem::write_bytes(int fd, uint64_t ordinal, uint64_t bytes) const {
  Random random(seed_ ^ (ordinal * 0x9e3779b97f4a7c15ULL));
  std::array<uint64_t, 8192> buffer{};
  uint64_t done = 0;
  while (done < bytes) {
    const size_t wanted = static_cast<size_t>(std::min<uint64_t>(bytes - done, sizeof buffer));
    for (size_t i = 0; i * sizeof(uint64_t) < wanted; ++i) buffer[i] = random.next();
    size_t written = 0;
    while (written < wanted) {
      const ssize_t n = pwrite(fd, reinterpret_cast<const char*>(buffer.data()) + written, wanted - written,
                               static_cast<off_t>(done + written));
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return n < 0 ? errno : EIO;
      written += static_cast<size_t>(n);
    }
    done += wanted;
  }
  return 0;
}

int PosixFileSystem::remove_file(uint32_t directory, uint64_t ordinal) {
  const FileName name('f', ordinal);
  int result = 0;
  if (directory < handles_.size()) {
    result = unlinkat(handles_[directory].get(), name.c_str(), 0);
  } else {
    const std::string path = paths_[directory - handles_.size()] + "/" + name.c_str();
    result = unlinkat(root_.get(), path.c_str(), 0);
  }
  return result == 0 || errno == ENOENT ? 0 : errno;
}

int PosixFileSystem::sync() {
  return syncfs(root_.get()) == 0 ? 0 : errno;
}

Result<uint64_t> PosixFileSystem::used_bytes() {
  struct statvfs shape{};
  if (fstatvfs(root_.get(), &shape) != 0) {
    return Error{ErrorCode::kIoError, fmt::format("statfs of the mount: {}", std::strerror(errno))};
  }
  return (uint64_t{shape.f_blocks} - shape.f_bfree) * shape.f_frsize;
}

Result<FreeExtents> PosixFileSystem::free_extents() {
  return measure_free_extents(root_.get());
}

}  // namespace patina
