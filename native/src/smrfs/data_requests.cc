// Data is buffered when it is written, and placed when the file is closed or synced.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

#include "smrfs/fuse_reply.h"
#include "smrfs/requests.h"

namespace patina {
namespace {

void on_open(fuse_req_t request, fuse_ino_t number, fuse_file_info* info) {
  const std::shared_ptr<Node> node = node_of(request, number);
  const std::lock_guard lock(node->mutex);
  info->keep_cache = 1;  // nothing else changes the file
  ++node->opens_count;
  if (fuse_reply_open(request, info) != 0) --node->opens_count;
}

void on_release(fuse_req_t request, fuse_ino_t number, fuse_file_info* /*info*/) {
  const std::shared_ptr<Node> node = node_of(request, number);
  reply_status(request, volume_of(request).close(node));
}

void on_read(fuse_req_t request, fuse_ino_t number, size_t size, off_t offset, fuse_file_info* /*info*/) {
  thread_local std::vector<uint8_t> buffer;
  if (buffer.size() < size) buffer.resize(size);
  const std::shared_ptr<Node> node = node_of(request, number);
  const std::lock_guard lock(node->mutex);
  const Result<uint64_t> length =
      node->content->read(static_cast<uint64_t>(offset), std::span(buffer).first(size));
  if (!length) {
    fuse_reply_err(request, errno_of(length.error()));
  } else {
    fuse_reply_buf(request, reinterpret_cast<const char*>(buffer.data()), *length);
  }
}

void on_write(fuse_req_t request, fuse_ino_t number, const char* bytes, size_t size, off_t offset,
              fuse_file_info* /*info*/) {
  const std::shared_ptr<Node> node = node_of(request, number);
  Status status = ok_status();
  {
    const std::lock_guard lock(node->mutex);
    status =
        node->content->write(static_cast<uint64_t>(offset), {reinterpret_cast<const uint8_t*>(bytes), size});
    if (status) node->modified = node->changed = time_now();
  }
  if (status) status = volume_of(request).make_room();
  if (!status) {
    reply_status(request, status);
  } else {
    fuse_reply_write(request, size);
  }
}

// close(2) returns the error of this.
void on_flush(fuse_req_t request, fuse_ino_t number, fuse_file_info* /*info*/) {
  reply_status(request, volume_of(request).settle(node_of(request, number)));
}

void on_fsync(fuse_req_t request, fuse_ino_t number, int /*data_only*/, fuse_file_info* /*info*/) {
  SmrVolume& volume = volume_of(request);
  Status status = volume.settle(node_of(request, number));
  if (status) status = volume.commit();
  reply_status(request, status);
}

Status change_blocks(FileContent& content, int mode, uint64_t offset, uint64_t length) {
  const bool keeps_size = (mode & FALLOC_FL_KEEP_SIZE) != 0;
  const uint64_t size_bytes = content.size_bytes();
  Status status = ok_status();
  if ((mode & FALLOC_FL_PUNCH_HOLE) != 0) {
    status = content.zero(offset, length, false);
  } else if ((mode & FALLOC_FL_ZERO_RANGE) != 0) {
    status = content.zero(offset, length, true);
  } else {
    status = content.allocate(offset, length);
  }
  if (!status || keeps_size || offset + length <= size_bytes) return status;
  return content.resize(offset + length);
}

void on_fallocate(fuse_req_t request, fuse_ino_t number, int mode, off_t offset, off_t length,
                  fuse_file_info* /*info*/) {
  constexpr int kKnown = FALLOC_FL_KEEP_SIZE | FALLOC_FL_PUNCH_HOLE | FALLOC_FL_ZERO_RANGE;
  if ((mode & ~kKnown) != 0) {
    fuse_reply_err(request, EOPNOTSUPP);
    return;
  }
  const std::shared_ptr<Node> node = node_of(request, number);
  Status status = ok_status();
  {
    const std::lock_guard lock(node->mutex);
    status =
        change_blocks(*node->content, mode, static_cast<uint64_t>(offset), static_cast<uint64_t>(length));
    if (status) node->modified = node->changed = time_now();
  }
  if (status) status = volume_of(request).make_room();
  reply_status(request, status);
}

void on_lseek(fuse_req_t request, fuse_ino_t number, off_t offset, int whence, fuse_file_info* /*info*/) {
  const std::shared_ptr<Node> node = node_of(request, number);
  const std::lock_guard lock(node->mutex);
  const auto from = static_cast<uint64_t>(offset);
  const uint64_t size_bytes = node->content->size_bytes();
  const bool is_data = whence == SEEK_DATA;
  if (!is_data && whence != SEEK_HOLE) {
    fuse_reply_err(request, EINVAL);
    return;
  }
  const uint64_t found = from >= size_bytes ? size_bytes : node->content->next(from, is_data);
  if (from >= size_bytes || (is_data && found >= size_bytes)) {
    fuse_reply_err(request, ENXIO);
  } else {
    fuse_reply_lseek(request, static_cast<off_t>(found));
  }
}

}  // namespace

void add_data_requests(fuse_lowlevel_ops& ops) {
  ops.open = on_open;
  ops.release = on_release;
  ops.read = on_read;
  ops.write = on_write;
  ops.flush = on_flush;
  ops.fsync = on_fsync;
  ops.fallocate = on_fallocate;
  ops.lseek = on_lseek;
}

}  // namespace patina
