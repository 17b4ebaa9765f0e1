// Opens, reads, writes and zeroes a device; every error names the device and the place.
#include "device/device.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <linux/falloc.h>
#include <linux/fs.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "device/device_generation.h"
#include "device/device_holder.h"

namespace patina {
namespace {

bool is_aligned(uint64_t value) {
  return value % kDeviceAlignmentBytes == 0;
}

uint64_t round_up(uint64_t value) {
  return (value + kDeviceAlignmentBytes - 1) / kDeviceAlignmentBytes * kDeviceAlignmentBytes;
}

uint64_t round_down(uint64_t value) {
  return value / kDeviceAlignmentBytes * kDeviceAlignmentBytes;
}

Error busy(const std::string& path, const std::string& why) {
  return {ErrorCode::kDeviceBusy, fmt::format("{} is busy: {}", path, why)};
}

// Claims a regular file as O_EXCL claims a block device: once among Patina's processes, and not while a loop
// device uses it.
Status claim_regular_file(const std::string& path, int fd, const struct stat& file) {
  if (::flock(fd, LOCK_EX | LOCK_NB) != 0) return busy(path, "another program has locked it");
  const std::string loop = loop_device_over(file.st_dev, file.st_ino);
  if (!loop.empty()) return busy(path, "it is the backing file of " + loop + "; use that, or detach it");
  return ok_status();
}

}  // namespace

AlignedBuffer::AlignedBuffer(size_t size_bytes)
    : data_(static_cast<uint8_t*>(std::aligned_alloc(kDeviceAlignmentBytes, round_up(size_bytes)))) {
  if (!data_) std::abort();  // no memory for one chunk: cannot continue
  ::madvise(data_.get(), round_up(size_bytes), MADV_POPULATE_WRITE);  // in place of a fault for each page
}

Result<std::unique_ptr<Device>> Device::open_to_read(const std::string& path) {
  return open(path, O_RDONLY);
}

Result<std::unique_ptr<Device>> Device::open_to_write(const std::string& path) {
  return open(path, O_RDWR);
}

Result<std::unique_ptr<Device>> Device::open(const std::string& path, int access) {
  const auto unusable = [&path](const std::string& why) {
    return Error{ErrorCode::kDeviceUnusable, fmt::format("{} cannot be used: {}", path, why)};
  };
  struct stat node = {};
  if (::stat(path.c_str(), &node) != 0) return unusable(std::strerror(errno));
  const bool is_block = S_ISBLK(node.st_mode);
  if (!is_block && !S_ISREG(node.st_mode)) return unusable("it is neither a block device nor a regular file");
  const int exclusive = is_block ? O_EXCL : 0;
  const int fd = ::open(path.c_str(), access | exclusive | O_CLOEXEC);
  if (fd < 0 && errno == EBUSY) return busy(path, describe_block_device_holder(node.st_rdev));
  if (fd < 0) return unusable(std::strerror(errno));
  std::unique_ptr<Device> device(new Device(path, fd));
  struct stat opened = {};
  if (::fstat(fd, &opened) != 0 || opened.st_ino != node.st_ino || opened.st_rdev != node.st_rdev) {
    return unusable("it was replaced while it was being opened");
  }
  device->is_block_ = is_block;
  int read_only = 0;
  if (is_block && access == O_RDWR && ::ioctl(fd, BLKROGET, &read_only) == 0 && read_only != 0) {
    return unusable("it is read-only");  // the kernel reports this only at the first write
  }
  if (!is_block) {
    if (Status claimed = claim_regular_file(path, fd, opened); !claimed) return claimed.error();
  }
  if (Status status = device->learn_size(); !status) return status.error();
  // Not by the path, which may name another file by now.
  device->direct_fd_ = ::open(fmt::format("/proc/self/fd/{}", fd).c_str(), access | O_DIRECT | O_CLOEXEC);
  return device;
}

Device::~Device() {
  if (direct_fd_ >= 0) ::close(direct_fd_);
  ::close(fd_);
}

Status Device::learn_size() {
  const off_t end = ::lseek(fd_, 0, SEEK_END);
  if (end <= 0)
    return Error{ErrorCode::kDeviceUnusable, fmt::format("{} cannot be used: it has no size", path_)};
  size_bytes_ = static_cast<uint64_t>(end);
  return ok_status();
}

Error Device::io_error(const char* what, uint64_t offset_bytes, int error_number) const {
  return {ErrorCode::kIoError,
          fmt::format("{} {} at byte {}: {}", what, path_, offset_bytes, std::strerror(error_number))};
}

Status Device::check_fits(uint64_t image_bytes) const {
  if (size_bytes_ >= image_bytes) return ok_status();
  return Error{ErrorCode::kDeviceTooSmall,
               fmt::format("{} has {} bytes, the image {}: use a device at least as large", path_,
                           size_bytes_, image_bytes)};
}

std::string Device::generation() const {
  const Result<std::string> mark = device_generation(fmt::format("/proc/self/fd/{}", fd_));
  return mark ? *mark : "";
}

Status Device::settle() {
  if (::fsync(fd_) != 0) return io_error("syncing", 0, errno);
  if (is_block_) {
    // Refused without CAP_SYS_ADMIN, which does no harm: reads by O_DIRECT bypass the cache anyway.
    ::ioctl(fd_, BLKFLSBUF, 0);
  } else {
    ::posix_fadvise(fd_, 0, 0, POSIX_FADV_DONTNEED);
  }
  return ok_status();
}

int Device::fd_for(uint64_t offset_bytes, const void* data, uint64_t length_bytes) const {
  const bool aligned =
      is_aligned(offset_bytes) && is_aligned(length_bytes) && is_aligned(reinterpret_cast<uintptr_t>(data));
  return aligned && direct_fd_ >= 0 ? direct_fd_ : fd_;
}

Status Device::read(uint64_t offset_bytes, std::span<uint8_t> data) const {
  int fd = fd_for(offset_bytes, data.data(), data.size());
  for (size_t done = 0; done < data.size();) {
    const uint64_t at = offset_bytes + done;
    const ssize_t n = ::pread(fd, data.data() + done, data.size() - done, static_cast<off_t>(at));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EINVAL && fd == direct_fd_) {  // stricter than kDeviceAlignmentBytes
      fd = fd_;
      continue;
    }
    if (n < 0) return io_error("reading", at, errno);
    if (n == 0) {
      return Error{ErrorCode::kIoError, fmt::format("{} ended at byte {}, before its size", path_, at)};
    }
    done += static_cast<size_t>(n);
    if (!is_aligned(done)) fd = fd_;
  }
  return ok_status();
}

Status Device::write(uint64_t offset_bytes, std::span<const uint8_t> data) const {
  // An emulated disk decides what to keep by what has reached it: the super block must not wait in a cache.
  const bool may_wait = data.size() < kShortWriteBytes && !drops_data_;
  int fd = may_wait ? fd_ : fd_for(offset_bytes, data.data(), data.size());
  for (size_t done = 0; done < data.size();) {
    const uint64_t at = offset_bytes + done;
    const ssize_t n = ::pwrite(fd, data.data() + done, data.size() - done, static_cast<off_t>(at));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EINVAL && fd == direct_fd_) {
      fd = fd_;
      continue;
    }
    if (n <= 0) return io_error("writing", at, n < 0 ? errno : EIO);
    done += static_cast<size_t>(n);
    if (!is_aligned(done)) fd = fd_;
  }
  return ok_status();
}

bool Device::zero_by_command(uint64_t offset_bytes, uint64_t length_bytes) const {
  // On a block device the kernel turns this into a write-zeroes that may unmap, never a mere discard: later
  // reads return zero by contract.
  if (::fallocate(fd_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset_bytes),
                  static_cast<off_t>(length_bytes)) == 0) {
    return true;
  }
  std::array<uint64_t, 2> range = {offset_bytes, length_bytes};
  return is_block_ && ::ioctl(fd_, BLKZEROOUT, range.data()) == 0;
}

Status Device::write_zeroes(uint64_t offset_bytes, uint64_t length_bytes) const {
  const std::vector<uint8_t> zeroes(std::min<uint64_t>(length_bytes, 1 << 20));
  for (uint64_t done = 0; done < length_bytes;) {
    const uint64_t step = std::min<uint64_t>(zeroes.size(), length_bytes - done);
    if (Status status = write(offset_bytes + done, {zeroes.data(), step}); !status) return status;
    done += step;
  }
  return ok_status();
}

Status Device::zero(uint64_t offset_bytes, uint64_t length_bytes) const {
  const uint64_t end_bytes = offset_bytes + length_bytes;
  const uint64_t first = round_up(offset_bytes);
  const uint64_t last = round_down(end_bytes);
  if (first >= last || !zero_by_command(first, last - first)) return write_zeroes(offset_bytes, length_bytes);
  if (Status status = write_zeroes(offset_bytes, first - offset_bytes); !status) return status;
  return write_zeroes(last, end_bytes - last);
}

}  // namespace patina
