// Appends through a buffer of one mebibyte.
#include "piece_log/log_segment.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace patina {
namespace {

std::string path_of(const std::string& folder, uint32_t number) {
  return fmt::format("{}/segment-{:08x}", folder, number);
}

}  // namespace

std::optional<uint32_t> LogSegment::number_in(const std::string& file_name) {
  uint32_t number = 0;
  if (std::sscanf(file_name.c_str(), "segment-%8x", &number) != 1) return std::nullopt;
  return file_name == fmt::format("segment-{:08x}", number) ? std::optional(number) : std::nullopt;
}

Error LogSegment::failed(const char* verb) const {
  const bool is_full = errno == ENOSPC || errno == EDQUOT;
  return {is_full ? ErrorCode::kStoreNoSpace : ErrorCode::kIoError,
          fmt::format("cannot {} '{}': {}{}", verb, path_, std::strerror(errno),
                      is_full ? "; free space on its file system" : "")};
}

Result<std::shared_ptr<LogSegment>> LogSegment::create(const std::string& folder, uint32_t number) {
  const std::string path = path_of(folder, number);
  Descriptor fd(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  std::shared_ptr<LogSegment> segment(new LogSegment(path, number, std::move(fd), 0));
  if (!segment->fd_.valid()) return segment->failed("make");
  return segment;
}

Result<std::shared_ptr<LogSegment>> LogSegment::open(const std::string& folder, uint32_t number) {
  const std::string path = path_of(folder, number);
  Descriptor fd(::open(path.c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC));
  struct stat file = {};
  const bool is_open = fd.valid() && ::fstat(fd.get(), &file) == 0;
  std::shared_ptr<LogSegment> segment(
      new LogSegment(path, number, std::move(fd), static_cast<uint64_t>(file.st_size)));
  if (!is_open) return segment->failed("open");
  segment->is_unsynced_ = true;  // its writer may have been killed before a sync
  return segment;
}

void LogSegment::append(std::span<const uint8_t> record) {
  tail_.insert(tail_.end(), record.begin(), record.end());
}

Status LogSegment::write_out() {
  size_t done = 0;
  while (done < tail_.size()) {
    const ssize_t n = ::pwrite(fd_.get(), tail_.data() + done, tail_.size() - done,
                               static_cast<off_t>(written_bytes_ + done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return failed("write");
    done += static_cast<size_t>(n);
  }
  is_unsynced_ = is_unsynced_ || done > 0;
  written_bytes_ += done;
  tail_.clear();
  return ok_status();
}

Status LogSegment::sync() {
  if (!is_unsynced_) return ok_status();
  if (::fdatasync(fd_.get()) != 0) return failed("sync");
  is_unsynced_ = false;
  return ok_status();
}

Status LogSegment::truncate(uint64_t size_bytes) {
  if (::ftruncate(fd_.get(), static_cast<off_t>(size_bytes)) != 0) return failed("truncate");
  written_bytes_ = size_bytes;
  is_unsynced_ = true;
  return ok_status();
}

Status LogSegment::remove() {
  if (::unlink(path_.c_str()) != 0 && errno != ENOENT) return failed("remove");
  return ok_status();
}

std::optional<std::span<const uint8_t>> LogSegment::in_memory(uint64_t offset_bytes,
                                                              uint64_t length_bytes) const {
  if (offset_bytes < written_bytes_) return std::nullopt;
  return std::span<const uint8_t>(tail_).subspan(offset_bytes - written_bytes_, length_bytes);
}

Status LogSegment::read(uint64_t offset_bytes, std::span<uint8_t> out) const {
  for (size_t done = 0; done < out.size();) {
    const ssize_t n =
        ::pread(fd_.get(), out.data() + done, out.size() - done, static_cast<off_t>(offset_bytes + done));
    if (n < 0 && errno == EINTR) continue;
    if (n == 0) errno = EIO;  // the file is shorter than the log knows
    if (n <= 0) return failed("read");
    done += static_cast<size_t>(n);
  }
  return ok_status();
}

}  // namespace patina
