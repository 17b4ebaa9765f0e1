// io_setup, io_submit and io_getevents, which have no wrappers in the C library.
#include "flow/async_writes.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace patina {

AsyncWrites::~AsyncWrites() {
  wait(outstanding_count_);
  if (context_ != 0) syscall(SYS_io_destroy, context_);
}

int AsyncWrites::start(int fd, const char* data, uint64_t bytes, int64_t offset) {
  if (context_ == 0 && syscall(SYS_io_setup, kMost, &context_) != 0) return errno;
  if (outstanding_count_ >= kMost) {
    if (const int code = wait(kMost / 2); code != 0) return code;
  }
  iocb request{};
  request.aio_fildes = static_cast<uint32_t>(fd);
  request.aio_lio_opcode = IOCB_CMD_PWRITE;
  request.aio_buf = reinterpret_cast<uint64_t>(data);
  request.aio_nbytes = bytes;
  request.aio_data = bytes;
  request.aio_offset = offset;
  iocb* requests[] = {&request};
  if (syscall(SYS_io_submit, context_, 1, requests) != 1) return errno;
  ++outstanding_count_;
  return 0;
}

int AsyncWrites::wait(size_t count) {
  int failed = 0;
  events_.resize(kMost);
  while (count > 0 && outstanding_count_ > 0) {
    const long ended = syscall(SYS_io_getevents, context_, 1, kMost, events_.data(), nullptr);
    if (ended < 0 && errno == EINTR) continue;
    if (ended <= 0) return errno;
    for (long i = 0; i < ended; ++i) {
      const io_event& event = events_[static_cast<size_t>(i)];
      if (event.res < 0) failed = static_cast<int>(-event.res);
      // Only a full file system cuts the write to a file.
      if (event.res >= 0 && static_cast<uint64_t>(event.res) < event.data) failed = ENOSPC;
    }
    const auto ended_count = static_cast<size_t>(ended);
    outstanding_count_ -= ended_count;
    count -= ended_count < count ? ended_count : count;
  }
  return failed;
}

}  // namespace patina
