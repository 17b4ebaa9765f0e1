// Operations on the data of files.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "flow/async_writes.h"
#include "flow/flow_thread.h"
#include "flow/flow_timer.h"

namespace patina {
namespace {

constexpr size_t kReadPiece = size_t{4} << 20U;  // the largest single read
constexpr uint64_t kRandomUnit = 512;            // of offsets of I/O whose size is not a multiple of it

}  // namespace

FlowThread::Outcome FlowThread::done(const Node& node, const FlowTimer& timer, uint64_t read_bytes,
                                     uint64_t written_bytes) {
  timer.note(run_, *node.figures, read_bytes + written_bytes);
  FlowTotals::add(totals_.ops_count, 1);
  FlowTotals::add(totals_.io_count, 1);
  FlowTotals::add(totals_.read_bytes, read_bytes);
  FlowTotals::add(totals_.written_bytes, written_bytes);
  return Outcome::kDone;
}

FlowThread::Outcome FlowThread::cut_off(uint64_t read_bytes, uint64_t written_bytes) {
  FlowTotals::add(totals_.read_bytes, read_bytes);
  FlowTotals::add(totals_.written_bytes, written_bytes);
  return Outcome::kStopped;
}

uint64_t FlowThread::working_set_of(const Node& node, const OpenFile& file) {
  const uint64_t asked = node.spec->working_set_bytes.whole(random_);
  return asked > 0 ? asked : file.set->bytes_of(file.file);
}

std::optional<int64_t> FlowThread::random_offset(const Node& node, const OpenFile& file, uint64_t bytes) {
  const uint64_t set_bytes = working_set_of(node, file);
  if (bytes == 0 || set_bytes < bytes) return std::nullopt;
  // Multiples of the size, so that direct I/O stays aligned.
  const uint64_t step = bytes % kRandomUnit == 0 ? bytes : 1;
  const uint64_t places = (set_bytes - bytes) / step + 1;
  return static_cast<int64_t>(random_.next() % places * step);
}

int64_t FlowThread::read_bytes(int fd, uint64_t bytes, int64_t offset) {
  const size_t wanted = std::min<uint64_t>(bytes, kReadPiece);
  if (read_storage_.size() < wanted + 4096) read_storage_.resize(wanted + 4096);
  const auto address = reinterpret_cast<uintptr_t>(read_storage_.data());
  char* const buffer = read_storage_.data() + (4096 - address % 4096) % 4096;
  uint64_t done = 0;
  while (done < bytes) {
    const size_t piece = std::min<uint64_t>(bytes - done, kReadPiece);
    const ssize_t got = offset < 0 ? ::read(fd, buffer, piece)
                                   : pread(fd, buffer, piece, offset + static_cast<int64_t>(done));
    if (got < 0) return -errno;
    done += static_cast<uint64_t>(got);
    if (static_cast<size_t>(got) < piece) break;  // the file's end
    if (is_stopped()) break;
  }
  return static_cast<int64_t>(done);
}

int64_t FlowThread::write_bytes(int fd, uint64_t bytes, int64_t offset) {
  uint64_t done = 0;
  while (done < bytes) {
    const size_t piece = std::min<uint64_t>(bytes - done, WriteBuffer::kBytes);
    const char* data = run_.buffer.bytes_at(random_.next());
    const ssize_t put =
        offset < 0 ? ::write(fd, data, piece) : pwrite(fd, data, piece, offset + static_cast<int64_t>(done));
    if (put <= 0) return put < 0 ? -errno : -EIO;
    done += static_cast<uint64_t>(put);
    if (is_stopped()) break;
  }
  return static_cast<int64_t>(done);
}

FlowThread::Outcome FlowThread::read(Node& node) {
  Outcome outcome = Outcome::kDone;
  OpenFile* file = file_of(node, outcome);
  if (file == nullptr) return outcome;
  const uint64_t bytes = node.spec->io_bytes.whole(random_);
  std::optional<int64_t> offset = -1;
  if (node.spec->random) offset = random_offset(node, *file, bytes);
  if (!offset) return refuse(node, fmt::format("a random read of {} bytes is larger than its file", bytes));
  const FlowTimer timer;
  const int64_t got = read_bytes(file->fd.get(), bytes, *offset);
  if (got < 0) return fail(node, "read", static_cast<int>(-got));
  const Outcome read = done(node, timer, static_cast<uint64_t>(got), 0);
  if (got == 0) lseek(file->fd.get(), 0, SEEK_SET);  // from the begin again
  return read;
}

FlowThread::Outcome FlowThread::write(Node& node) {
  Outcome outcome = Outcome::kDone;
  OpenFile* file = file_of(node, outcome);
  if (file == nullptr) return outcome;
  const uint64_t bytes = node.spec->io_bytes.whole(random_);
  std::optional<int64_t> offset = -1;
  if (node.spec->random) offset = random_offset(node, *file, bytes);
  if (!offset) return refuse(node, fmt::format("a random write of {} bytes is larger than its file", bytes));
  const FlowTimer timer;
  const int64_t put = write_bytes(file->fd.get(), bytes, *offset);
  if (put < 0) return fail(node, "write", static_cast<int>(-put));
  if (static_cast<uint64_t>(put) < bytes) return cut_off(0, static_cast<uint64_t>(put));
  return done(node, timer, 0, static_cast<uint64_t>(put));
}

FlowThread::Outcome FlowThread::read_whole(Node& node) {
  Outcome outcome = Outcome::kDone;
  OpenFile* file = file_of(node, outcome);
  if (file == nullptr) return outcome;
  uint64_t piece = node.spec->io_bytes.whole(random_);
  if (piece == 0) piece = std::max<uint64_t>(working_set_of(node, *file), 1);
  const FlowTimer timer;
  uint64_t total = 0;
  lseek(file->fd.get(), 0, SEEK_SET);
  while (true) {
    // One call for each piece, as it was asked for; the last finds the end.
    const int64_t got = read_bytes(file->fd.get(), piece, -1);
    if (got < 0) return fail(node, "read", static_cast<int>(-got));
    if (got == 0) break;
    total += static_cast<uint64_t>(got);
    if (is_stopped()) return cut_off(total, 0);
  }
  return done(node, timer, total, 0);
}

FlowThread::Outcome FlowThread::write_whole(Node& node) {
  Outcome outcome = Outcome::kDone;
  OpenFile* file = file_of(node, outcome);
  if (file == nullptr) return outcome;
  const OpenFile& source = slots_[static_cast<size_t>(node.spec->source_fd)];
  uint64_t total = working_set_of(node, *file);
  if (source.set != nullptr) {
    total = source.set->bytes_of(source.file);
  } else if (node.spec->source_fd != 0) {
    return refuse(node, fmt::format("no file was opened as srcfd {}", node.spec->source_fd));
  }
  uint64_t piece = node.spec->io_bytes.whole(random_);
  if (piece == 0) piece = std::max<uint64_t>(total, 1);
  const FlowTimer timer;
  for (uint64_t written = 0; written < total;) {
    const int64_t put = write_bytes(file->fd.get(), std::min(piece, total - written), -1);
    if (put < 0) return fail(node, "write", static_cast<int>(-put));
    written += static_cast<uint64_t>(put);
    if (written < total && is_stopped()) return cut_off(0, written);
  }
  return done(node, timer, 0, total);
}

FlowThread::Outcome FlowThread::append(Node& node, bool is_random) {
  uint64_t bytes = node.spec->io_bytes.whole(random_);
  if (is_random && bytes > 0) bytes = random_.next() % bytes;
  Outcome outcome = Outcome::kDone;
  OpenFile* file = file_of(node, outcome);
  if (file == nullptr) return outcome;
  const uint64_t most_bytes = node.spec->working_set_bytes.whole(random_);
  const FlowTimer timer;
  if (bytes > 0) {
    const off_t end = lseek(file->fd.get(), 0, SEEK_END);
    if (most_bytes > 0 && static_cast<uint64_t>(std::max<off_t>(end, 0)) + bytes > most_bytes) {
      if (ftruncate(file->fd.get(), 0) != 0) return fail(node, "truncate", errno);
      lseek(file->fd.get(), 0, SEEK_SET);
    }
    const int64_t put = write_bytes(file->fd.get(), bytes, -1);
    if (put < 0) return fail(node, "append", static_cast<int>(-put));
    if (static_cast<uint64_t>(put) < bytes) return cut_off(0, static_cast<uint64_t>(put));
  }
  return done(node, timer, 0, bytes);
}

FlowThread::Outcome FlowThread::async_write(Node& node) {
  Outcome outcome = Outcome::kDone;
  OpenFile* file = file_of(node, outcome);
  if (file == nullptr) return outcome;
  const uint64_t bytes = std::min<uint64_t>(node.spec->io_bytes.whole(random_), WriteBuffer::kBytes);
  const std::optional<int64_t> offset = random_offset(node, *file, bytes);
  if (!offset) return refuse(node, fmt::format("a random write of {} bytes is larger than its file", bytes));
  if (async_ == nullptr) async_ = std::make_unique<AsyncWrites>();
  const FlowTimer timer;
  const int code = async_->start(file->fd.get(), run_.buffer.bytes_at(random_.next()), bytes, *offset);
  if (code != 0) return fail(node, "start a write", code);
  return done(node, timer, 0, bytes);
}

FlowThread::Outcome FlowThread::async_wait(Node& node) {
  const FlowTimer timer;
  if (async_ != nullptr && async_->outstanding_count() > 0) {
    const int code = async_->wait(std::max<size_t>(async_->outstanding_count() / 2, 1));
    if (code != 0) return fail(node, "end a write", code);
  }
  return done(node, timer);
}

}  // namespace patina
