// The requests of the kernel, as libfuse's low-level interface passes them on.
#define FUSE_USE_VERSION 312

#include "emulate/fuse_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fuse3/fuse_lowlevel.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <vector>

#include "device/kept_query.h"

namespace patina {
namespace {

// The kernel divides longer requests.
constexpr uint32_t kMostRequestBytes = uint32_t{1} << 20U;
constexpr unsigned kMostThreads = 128;
constexpr unsigned kIdleThreads = 8;
// So many requests of the loop device at a time; more wait in its queue.
constexpr unsigned kMostInBackground = 256;
constexpr double kForeverS = 1e9;

FuseFile& file_of(fuse_req_t request) {
  return *static_cast<FuseFile*>(fuse_req_userdata(request));
}

EmulatedDisk& disk_of(fuse_req_t request) {
  return file_of(request).disk();
}

void on_init(void* /*file*/, fuse_conn_info* connection) {
  connection->max_write = kMostRequestBytes;
  connection->max_background = kMostInBackground;
  connection->congestion_threshold = kMostInBackground;
}

struct stat attributes(const EmulatedDisk& disk) {
  constexpr uint64_t kSectorBytes = 512;
  struct stat file = {};
  file.st_ino = FUSE_ROOT_ID;
  file.st_mode = S_IFREG | S_IRUSR | S_IWUSR;
  file.st_nlink = 1;
  file.st_size = static_cast<off_t>(disk.size_bytes());
  file.st_blksize = kPieceBytes;
  file.st_blocks = static_cast<blkcnt_t>(disk.size_bytes() / kSectorBytes);
  // Not a time, but it changes with each write, for readers that compare it.
  file.st_mtim.tv_sec = static_cast<time_t>(disk.writes_count() + 1);
  file.st_ctim = file.st_mtim;
  return file;
}

void on_getattr(fuse_req_t request, fuse_ino_t /*inode*/, fuse_file_info* /*info*/) {
  const struct stat file = attributes(disk_of(request));
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
  EmulatedDisk& disk = disk_of(request);
  const auto begin = std::min(static_cast<uint64_t>(offset), disk.size_bytes());
  const std::span<uint8_t> data = thread_buffer(std::min<uint64_t>(size, disk.size_bytes() - begin));
  const int error = disk.read(begin, data);
  if (error != 0) {
    fuse_reply_err(request, error);
  } else {
    fuse_reply_buf(request, reinterpret_cast<const char*>(data.data()), data.size());
  }
}

void on_write(fuse_req_t request, fuse_ino_t /*inode*/, const char* bytes, size_t size, off_t offset,
              fuse_file_info* /*info*/) {
  EmulatedDisk& disk = disk_of(request);
  const auto begin = static_cast<uint64_t>(offset);
  if (begin > disk.size_bytes() || size > disk.size_bytes() - begin) {
    fuse_reply_err(request, ENOSPC);
    return;
  }
  const int error = disk.write(begin, {reinterpret_cast<const uint8_t*>(bytes), size});
  if (error != 0) {
    fuse_reply_err(request, error);
  } else {
    fuse_reply_write(request, size);
  }
}

void on_fsync(fuse_req_t request, fuse_ino_t /*inode*/, int /*data_only*/, fuse_file_info* /*info*/) {
  fuse_reply_err(request, disk_of(request).flush());
}

void on_flush(fuse_req_t request, fuse_ino_t /*inode*/, fuse_file_info* /*info*/) {
  fuse_reply_err(request, 0);  // of close(2), not of a disk
}

void on_fallocate(fuse_req_t request, fuse_ino_t /*inode*/, int mode, off_t offset, off_t length,
                  fuse_file_info* /*info*/) {
  EmulatedDisk& disk = disk_of(request);
  const auto begin = static_cast<uint64_t>(offset);
  const int kind = mode & ~FALLOC_FL_KEEP_SIZE;
  if (kind != FALLOC_FL_PUNCH_HOLE && kind != FALLOC_FL_ZERO_RANGE) {
    fuse_reply_err(request, EOPNOTSUPP);
  } else if (begin > disk.size_bytes() || static_cast<uint64_t>(length) > disk.size_bytes() - begin) {
    fuse_reply_err(request, EFBIG);
  } else {
    fuse_reply_err(request, disk.zero(begin, static_cast<uint64_t>(length)));
  }
}

void on_lseek(fuse_req_t request, fuse_ino_t /*inode*/, off_t offset, int whence, fuse_file_info* /*info*/) {
  const EmulatedDisk& disk = disk_of(request);
  const auto from = static_cast<uint64_t>(offset);
  if (whence != SEEK_DATA && whence != SEEK_HOLE) {
    fuse_reply_err(request, EINVAL);
    return;
  }
  const uint64_t found = from >= disk.size_bytes() ? disk.size_bytes()
                         : whence == SEEK_DATA     ? disk.next_data(from)
                                                   : disk.next_hole(from);
  const bool is_past_end = from >= disk.size_bytes() || (whence == SEEK_DATA && found >= disk.size_bytes());
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
  const auto kept = disk_of(request).kept_ranges(query.from_bytes, query.ranges.size());
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
  system.f_bsize = kPieceBytes;  // the granularity of discards
  system.f_frsize = kPieceBytes;
  system.f_blocks = disk_of(request).size_bytes() / kPieceBytes;
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

Result<std::unique_ptr<FuseFile>> FuseFile::serve(EmulatedDisk& disk, const std::string& path) {
  std::unique_ptr<FuseFile> file(new FuseFile(disk, path));
  std::array<std::string, 3> words = {"patina-core", "-o",
                                      "fsname=patina-emulated,subtype=patina,default_permissions"};
  std::array<char*, 3> argv = {words[0].data(), words[1].data(), words[2].data()};
  fuse_args arguments = FUSE_ARGS_INIT(static_cast<int>(argv.size()), argv.data());
  const fuse_lowlevel_ops ops = operations();
  file->session_ = fuse_session_new(&arguments, &ops, sizeof ops, file.get());
  fuse_opt_free_args(&arguments);
  if (file->session_ == nullptr || fuse_session_mount(file->session_, path.c_str()) != 0) {
    const std::string reason =
        ::access("/dev/fuse", R_OK | W_OK) == 0 ? "" : fmt::format(" (/dev/fuse: {})", std::strerror(errno));
    return Error{
        ErrorCode::kFuseUnavailable,
        fmt::format("the emulated disk cannot be mounted at '{}'{}: FUSE and root are needed", path, reason)};
  }
  file->is_served_ = true;
  file->thread_ = std::thread([served = file.get()] {
    fuse_loop_config* config = fuse_loop_cfg_create();
    fuse_loop_cfg_set_clone_fd(config, 1);
    fuse_loop_cfg_set_max_threads(config, kMostThreads);
    fuse_loop_cfg_set_idle_threads(config, kIdleThreads);
    fuse_session_loop_mt(served->session_, config);
    fuse_loop_cfg_destroy(config);
    served->is_served_ = false;
  });
  return file;
}

FuseFile::~FuseFile() {
  if (thread_.joinable()) {
    fuse_session_exit(session_);
    // Ends the connection also where another mount namespace has a copy of the mount.
    ::umount2(path_.c_str(), MNT_FORCE | MNT_DETACH | UMOUNT_NOFOLLOW);
    fuse_session_unmount(session_);
    thread_.join();
  }
  if (session_ != nullptr) fuse_session_destroy(session_);
}

}  // namespace patina
