// Stages, syncs and then names chunks; cleans up after writers that died.
#include "store/chunk_writer.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "store/store_lock.h"

namespace patina {
namespace {

constexpr std::string_view kStagingPrefix = ".patina-staging-";
// A batch is the most that a crash can lose; it shares one syncfs and is remembered by full digest.
constexpr size_t kBatchChunks = 16384;
constexpr uint64_t kBatchBytes = uint64_t{512} << 20;
constexpr int kStagingAttempts = 16;

Status write_whole(int fd, std::span<const uint8_t> data, const ChunkStore& store) {
  for (size_t done = 0; done < data.size();) {
    const ssize_t n = ::write(fd, data.data() + done, data.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return store.io_error("writing a chunk", errno);
    done += static_cast<size_t>(n);
  }
  return ok_status();
}

std::vector<std::string> names_in(int parent_fd, const char* name) {
  std::vector<std::string> names;
  const int fd = ::openat(parent_fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* folder = fd < 0 ? nullptr : ::fdopendir(fd);
  if (folder == nullptr) {
    if (fd >= 0) ::close(fd);
    return names;
  }
  while (const dirent* entry = ::readdir(folder)) names.emplace_back(entry->d_name);
  ::closedir(folder);
  return names;
}

void remove_staging(int store_fd, const std::string& name, int staging_fd) {
  for (const std::string& file : names_in(store_fd, name.c_str())) ::unlinkat(staging_fd, file.c_str(), 0);
  ::unlinkat(store_fd, name.c_str(), AT_REMOVEDIR);
}

// The holder of the lock owns the folder, so only folders of dead writers can be locked here.
void remove_abandoned_staging(int store_fd) {
  for (const std::string& name : names_in(store_fd, ".")) {
    if (!name.starts_with(kStagingPrefix)) continue;
    const int fd = ::openat(store_fd, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) continue;
    if (::flock(fd, LOCK_EX | LOCK_NB) == 0) remove_staging(store_fd, name, fd);
    ::close(fd);
  }
}

// Opens and locks a new folder; -1 with ENOENT when another writer removed it before it was locked.
int make_staging(int store_fd, const std::string& name) {
  if (::mkdirat(store_fd, name.c_str(), 0700) != 0) return -1;
  const int fd = ::openat(store_fd, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return -1;
  struct stat folder = {};
  if (::flock(fd, LOCK_EX | LOCK_NB) == 0 && ::fstat(fd, &folder) == 0 && folder.st_nlink > 0) return fd;
  ::close(fd);
  errno = ENOENT;
  return -1;
}

}  // namespace

Result<std::unique_ptr<ChunkWriter>> ChunkWriter::create(const ChunkStore& store) {
  Result<Descriptor> lock = lock_store(store, StoreUse::kAddChunks);
  if (!lock) return lock.error();
  remove_abandoned_staging(store.folder_fd());
  for (int attempt = 0; attempt < kStagingAttempts; ++attempt) {
    const std::string name = fmt::format("{}{}-{}", kStagingPrefix, ::getpid(), attempt);
    const int fd = make_staging(store.folder_fd(), name);
    if (fd >= 0) {
      return std::unique_ptr<ChunkWriter>(new ChunkWriter(store, std::move(*lock), name, fd));
    }
    if (errno != EEXIST && errno != ENOENT) return store.io_error("making a staging folder", errno);
  }
  return Error{ErrorCode::kStoreIoError, "the chunk store " + store.path() +
                                             ": no staging folder could be made; remove old ones by hand"};
}

ChunkWriter::ChunkWriter(const ChunkStore& store, Descriptor lock, std::string staging_name, int staging_fd)
    : store_(store),
      lock_(std::move(lock)),
      staging_name_(std::move(staging_name)),
      staging_fd_(staging_fd) {}

ChunkWriter::~ChunkWriter() {
  remove_staging(store_.folder_fd(), staging_name_, staging_fd_);
  ::close(staging_fd_);
}

bool ChunkWriter::claim(const ChunkId& id) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (claimed_.contains(id)) return false;
  const bool first = seen_.insert(id);
  // Seen, and published with an earlier batch: the store has it. If it has not, then it is another chunk
  // with the same 64 bits, and is written like any other.
  if (!first && store_.contains(id)) return false;
  claimed_.insert(id);
  ++totals_.distinct_chunks_count;
  return true;
}

Status ChunkWriter::put(const ChunkId& id, std::span<const uint8_t> data, ChunkCodec& codec) {
  {
    const std::shared_lock<std::shared_mutex> batch(batch_mutex_);
    if (!claim(id)) return ok_status();
    if (store_.contains(id)) {
      // Resets its age, so that it outlives a collection before its new image is in any list.
      const std::array<timespec, 2> used_now = {timespec{0, UTIME_NOW}, timespec{0, UTIME_OMIT}};
      ::utimensat(store_.folder_fd(), ChunkStore::relative_path(id).c_str(), used_now.data(), 0);
      // Checked by digest, which costs no more than compressing it would have.
      std::vector<uint8_t> copy(data.size());
      const Result<uint64_t> size_bytes = store_.read(id, copy, codec);
      if (size_bytes) {
        const std::lock_guard<std::mutex> lock(mutex_);
        totals_.stored_bytes += *size_bytes;
        return ok_status();
      }
      if (size_bytes.error().code == ErrorCode::kStoreIoError) return size_bytes.error();
    }
    if (Status status = stage(id, codec.compress(data)); !status) return status;
  }
  return publish_if_large();
}

Status ChunkWriter::stage(const ChunkId& id, std::span<const uint8_t> compressed) {
  const int fd = ::openat(staging_fd_, id.hex().c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0444);
  if (fd < 0) return store_.io_error("making a chunk", errno);
  Status status = write_whole(fd, compressed, store_);
  if (::close(fd) != 0 && status.ok()) status = store_.io_error("closing a chunk", errno);
  if (!status) return status;
  const std::lock_guard<std::mutex> lock(mutex_);
  staged_.push_back(id);
  staged_bytes_ += compressed.size();
  totals_.stored_bytes += compressed.size();
  totals_.new_bytes += compressed.size();
  ++totals_.new_chunks_count;
  return ok_status();
}

Status ChunkWriter::publish_if_large() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (claimed_.size() < kBatchChunks && staged_bytes_ < kBatchBytes) return ok_status();
  }
  const std::unique_lock<std::shared_mutex> batch(batch_mutex_);
  return publish();
}

Status ChunkWriter::rename_into_store(const ChunkId& id) {
  const std::string hex = id.hex();
  const std::string name = ChunkStore::relative_path(id);
  if (::renameat(staging_fd_, hex.c_str(), store_.folder_fd(), name.c_str()) == 0) return ok_status();
  if (errno != ENOENT) return store_.io_error("naming chunk " + hex, errno);
  if (::mkdirat(store_.folder_fd(), hex.substr(0, 4).c_str(), 0755) != 0 && errno != EEXIST) {
    return store_.io_error("making folder " + hex.substr(0, 4), errno);
  }
  if (::renameat(staging_fd_, hex.c_str(), store_.folder_fd(), name.c_str()) == 0) return ok_status();
  return store_.io_error("naming chunk " + hex, errno);
}

Status ChunkWriter::publish() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!staged_.empty() && ::syncfs(store_.folder_fd()) != 0) return store_.io_error("syncing", errno);
  for (const ChunkId& id : staged_) {
    if (Status status = rename_into_store(id); !status) return status;
  }
  staged_.clear();
  staged_bytes_ = 0;
  claimed_.clear();
  return ok_status();
}

Status ChunkWriter::finish() {
  const std::unique_lock<std::shared_mutex> batch(batch_mutex_);
  if (Status status = publish(); !status) return status;
  // The names themselves, and chunks found in the store that another program may not have synced.
  if (::syncfs(store_.folder_fd()) != 0) return store_.io_error("syncing", errno);
  return ok_status();
}

}  // namespace patina
