// The requests of the kernel, as libfuse's low-level interface passes them on.
#define FUSE_USE_VERSION 312

#include "fuse/fuse_file.h"

#include <fcntl.h>
#include <fuse3/fuse_lowlevel.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "device/kept_query.h"

namespace patina {
namespace {

// The kernel divides longer requests.
constexpr uint32_t kMostRequestBytes = uint32_t{1} << 20U;
// So many requests of the loop device at a time; more wait in its queue.
constexpr unsigned kMostInBackground = 256;
constexpr double kForeverS = 1e9;

FuseFile& file_of(fuse_req_t request) {
  return *static_cast<FuseFile*>(fuse_req_userdata(request));
}

ServedFile& content_of(fuse_req_t request) {
  return file_of(request).content();
}

void on_init(void* /*file*/, fuse_conn_info* connection) {
  connection->max_write = kMostRequestBytes;
  connection->max_background = kMostInBackground;
  connection->congestion_threshold = kMostInBackground;
}

struct stat attributes(const ServedFile& content) {
  constexpr uint64_t kSectorBytes = 512;
  struct stat file = {};
  file.st_ino = FUSE_ROOT_ID;
  file.st_mode = S_IFREG | S_IRUSR | S_IWUSR;
  file.st_nlink = 1;
  file.st_size = static_cast<off_t>(content.size_bytes());
  file.st_blksize = ServedFile::kBlockBytes;
  file.st_blocks = static_cast<blkcnt_t>(content.size_bytes() / kSectorBytes);
  // Not a time, but it changes with each write, for readers that compare it.
  file.st_mtim.tv_sec = static_cast<time_t>(content.writes_count() + 1);
  file.st_ctim = file.st_mtim;
  return file;
}

void on_getattr(fuse_req_t request, fuse_ino_t /*inode*/, fuse_file_info* /*info*/) {
  const struct stat file = attributes(content_of(request));
  fuse_reply_attr(request, &file, 0);
}

void on_open(fuse_req_t request, fuse_ino_t /*inode*/, fuse_file_info* info) {
  info->direct_io = 1;  // the loop device's pages are the only cache
  file_of(request).add_open(1);
  if (fuse_reply_open(request, info) != 0) file_of(request).add_open(-1);
}

void on_release(fuse_req_t request, fuse_ino_t /*inode*/, fuse_file_info* /*info*/) {
  FuseFile& file = file_of(request);
  fuse_reply_err(request, 0);
  file.add_open(-1);
}

std::span<uint8_t> thread_buffer(size_t size_bytes) {
  thread_local std::vector<uint8_t> buffer;
  if (buffer.size() < size_bytes) buffer.resize(size_bytes);
  return std::span(buffer).first(size_bytes);
}

void on_read(fuse_req_t request, fuse_ino_t /*inode*/, size_t size, off_t offset, fuse_file_info* /*info*/) {
  ServedFile& content = content_of(request);
  const auto begin = std::min(static_cast<uint64_t>(offset), content.size_bytes());
  const std::span<uint8_t> data = thread_buffer(std::min<uint64_t>(size, content.size_bytes() - begin));
  const int error = content.read(begin, data);
  if (error != 0) {
    fuse_reply_err(request, error);
  } else {
    fuse_reply_buf(request, reinterpret_cast<const char*>(data.data()), data.size());
  }
}

void on_write(fuse_req_t request, fuse_ino_t /*inode*/, const char* bytes, size_t size, off_t offset,
              fuse_file_info* /*info*/) {
  ServedFile& content = content_of(request);
  const auto begin = static_cast<uint64_t>(offset);
  if (begin > content.size_bytes() || size > content.size_bytes() - begin) {
    fuse_reply_err(request, ENOSPC);
    return;
  }
  const int error = content.write(begin, {reinterpret_cast<const uint8_t*>(bytes), size});
  if (error != 0) {
    fuse_reply_err(request, error);
  } else {
    fuse_reply_write(request, size);
  }
}

void on_fsync(fuse_req_t request, fuse_ino_t /*inode*/, int /*data_only*/, fuse_file_info* /*info*/) {
  fuse_reply_err(request, content_of(request).flush());
}

void on_flush(fuse_req_t request, fuse_ino_t /*inode*/, fuse_file_info* /*info*/) {
  fuse_reply_err(request, 0);  // of close(2), not of a disk
}

void on_fallocate(fuse_req_t request, fuse_ino_t /*inode*/, int mode, off_t offset, off_t length,
                  fuse_file_info* /*info*/) {
  ServedFile& content = content_of(request);
  const auto begin = static_cast<uint64_t>(offset);
  const int kind = mode & ~FALLOC_FL_KEEP_SIZE;
  if (kind != FALLOC_FL_PUNCH_HOLE && kind != FALLOC_FL_ZERO_RANGE) {
    fuse_reply_err(request, EOPNOTSUPP);
  } else if (begin > content.size_bytes() || static_cast<uint64_t>(length) > content.size_bytes() - begin) {
    fuse_reply_err(request, EFBIG);
  } else {
    fuse_reply_err(request, content.zero(begin, static_cast<uint64_t>(length)));
  }
}

void on_lseek(fuse_req_t request, fuse_ino_t /*inode*/, off_t offset, int whence, fuse_file_info* /*info*/) {
  const ServedFile& content = content_of(request);
  const auto from = static_cast<uint64_t>(offset);
  if (whence != SEEK_DATA && whence != SEEK_HOLE) {
    fuse_reply_err(request, EINVAL);
    return;
  }
  const uint64_t found = from >= content.size_bytes() ? content.size_bytes()
                         : whence == SEEK_DATA        ? content.next_data(from)
                                                      : content.next_hole(from);
  const bool is_past_end =
      from >= content.size_bytes() || (whence == SEEK_DATA && found >= content.size_bytes());
  if (is_past_end) {
    fuse_reply_err(request, ENXIO);
  } else {
    fuse_reply_lseek(request, static_cast<off_t>(found));
  }
}

void on_ioctl(fuse_req_t request, fuse_ino_t /*inode*/, unsigned command, void* /*argument*/,
              fuse_file_info* /*info*/, unsigned /*flags*/, const void* in, size_t in_bytes,
              size_t out_bytes) {
  KeptQuery query = {};
  if (command != kKeptQuery || in_bytes != sizeof query || out_bytes != sizeof query) {
    fuse_reply_err(request, ENOTTY);
    return;
  }
  std::memcpy(&query, in, sizeof query);
  const auto kept = content_of(request).kept_ranges(query.from_bytes, query.ranges.size());
  if (!kept) {
    fuse_reply_err(request, ENOTTY);
    return;
  }
  std::copy(kept->begin(), kept->end(), query.ranges.begin());
  query.ranges_count = kept->size();
  fuse_reply_ioctl(request, 0, &query, sizeof query);
}

void on_statfs(fuse_req_t request, fuse_ino_t /*inode*/) {
  struct statvfs system = {};
  system.f_bsize = ServedFile::kBlockBytes;  // the granularity of discards
  system.f_frsize = ServedFile::kBlockBytes;
  system.f_blocks = content_of(request).size_bytes() / ServedFile::kBlockBytes;
  fuse_reply_statfs(request, &system);
}

fuse_lowlevel_ops operations() {
  fuse_lowlevel_ops ops = {};
  ops.init = on_init;
  ops.getattr = on_getattr;
  ops.open = on_open;
  ops.release = on_release;
  ops.read = on_read;
  ops.write = on_write;
  ops.fsync = on_fsync;
  ops.flush = on_flush;
  ops.fallocate = on_fallocate;
  ops.lseek = on_lseek;
  ops.ioctl = on_ioctl;
  ops.statfs = on_statfs;
  return ops;
}

}  // namespace

Result<std::unique_ptr<FuseFile>> FuseFile::serve(ServedFile& content, const std::string& path,
                                                  const FuseSession::Options& options) {
  std::unique_ptr<FuseFile> file(new FuseFile(content));
  Result<std::unique_ptr<FuseSession>> session = FuseSession::mount(operations(), file.get(), path, options);
  if (!session) return session.error();
  file->session_ = std::move(*session);
  return file;
}

}  // namespace patina
