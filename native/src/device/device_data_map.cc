// Finds holes by SEEK_DATA and SEEK_HOLE.
#include "device/device_data_map.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <linux/loop.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>

#include "device/kept_query.h"
#include "device/loop_backing.h"

namespace patina {
namespace {

// A hole shorter than this is read with its neighbours: one system call costs more.
constexpr uint64_t kWorthSkippingBytes = uint64_t{32} << 10;

// A number of sysfs about a device; 0 when there is no such attribute.
uint64_t sysfs_number(dev_t device, const char* attribute) {
  std::ifstream in(fmt::format("/sys/dev/block/{}:{}/{}", major(device), minor(device), attribute));
  uint64_t value = 0;
  return in >> value ? value : 0;
}

std::string loop_backing_path(dev_t device) {
  for (const char* attribute : {"loop/backing_file", "../loop/backing_file"}) {  // itself, or its partition
    std::ifstream in(fmt::format("/sys/dev/block/{}:{}/{}", major(device), minor(device), attribute));
    std::string path;
    if (std::getline(in, path)) return path;
  }
  return "";
}

// The first of the ascending ranges that ends behind this byte.
std::vector<ByteRange>::const_iterator first_behind(const std::vector<ByteRange>& ranges, uint64_t at) {
  return std::upper_bound(ranges.begin(), ranges.end(), at,
                          [](uint64_t byte, const ByteRange& range) { return byte < range.end_bytes; });
}

// Returns the whole blocks within these ranges.
std::vector<ByteRange> whole_blocks(const std::vector<ByteRange>& ranges) {
  constexpr uint64_t kMask = kDeviceAlignmentBytes - 1;
  std::vector<ByteRange> whole;
  for (const ByteRange& range : ranges) {
    const ByteRange blocks{(range.begin_bytes + kMask) & ~kMask, range.end_bytes & ~kMask};
    if (blocks.begin_bytes < blocks.end_bytes) whole.push_back(blocks);
  }
  return whole;
}

}  // namespace

DeviceDataMap::DeviceDataMap(const Device& device, std::vector<ByteRange> zeroed)
    : device_(device), zeroed_(std::move(zeroed)), skipped_(whole_blocks(zeroed_)) {
  if (device.is_block()) {
    open_loop_backing();
  } else {
    fd_ = ::dup(device.fd());
  }
}

DeviceDataMap::~DeviceDataMap() {
  if (fd_ >= 0) ::close(fd_);
}

void DeviceDataMap::open_loop_backing() {
  struct stat node = {};
  loop_info64 loop = {};
  if (::fstat(device_.fd(), &node) != 0 || ::ioctl(device_.fd(), LOOP_GET_STATUS64, &loop) != 0) {
    reason_unknown_ = "not a loop device";
    return;
  }
  const std::string path = reach_loop_backing(loop_backing_path(node.st_rdev), loop.lo_device, loop.lo_inode);
  const int fd = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  struct stat file = {};
  // The path may name a deleted file, or another one in this mount namespace.
  const bool same = fd >= 0 && ::fstat(fd, &file) == 0 && S_ISREG(file.st_mode) &&
                    file.st_dev == loop.lo_device && file.st_ino == loop.lo_inode;
  constexpr uint64_t kSectorBytes = 512;
  file_offset_bytes_ = loop.lo_offset + sysfs_number(node.st_rdev, "start") * kSectorBytes;
  // Past a shortened file's end the device returns errors and not zeroes.
  const bool long_enough =
      same && static_cast<uint64_t>(file.st_size) >= file_offset_bytes_ + device_.size_bytes();
  if (long_enough) {
    fd_ = fd;
    return;
  }
  reason_unknown_ =
      same ? "the backing file is shorter than the device" : "the backing file cannot be opened";
  if (fd >= 0) ::close(fd);
}

ByteRange DeviceDataMap::next_data(uint64_t offset_bytes) const {
  for (uint64_t at = offset_bytes;;) {
    const ByteRange data = next_held(at);
    const auto skipped = first_behind(skipped_, data.begin_bytes);
    if (skipped == skipped_.end() || skipped->begin_bytes >= data.end_bytes) return data;
    if (skipped->begin_bytes > data.begin_bytes) return {data.begin_bytes, skipped->begin_bytes};
    at = skipped->end_bytes;
  }
}

ByteRange DeviceDataMap::next_held(uint64_t offset_bytes) const {
  const uint64_t size_bytes = device_.size_bytes();
  if (fd_ < 0 || offset_bytes >= size_bytes) return {offset_bytes, size_bytes};
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (offset_bytes >= answered_from_bytes_ && offset_bytes < answer_.end_bytes) {
      return {std::max(offset_bytes, answer_.begin_bytes), answer_.end_bytes};
    }
  }
  const ByteRange answer = seek_data(offset_bytes);
  const std::lock_guard<std::mutex> lock(mutex_);
  answered_from_bytes_ = offset_bytes;
  answer_ = answer;
  return answer;
}

ByteRange DeviceDataMap::seek_data(uint64_t offset_bytes) const {
  const uint64_t size_bytes = device_.size_bytes();
  const ByteRange all{offset_bytes, size_bytes};
  const auto from = static_cast<off_t>(file_offset_bytes_ + offset_bytes);
  const off_t data = ::lseek(fd_, from, SEEK_DATA);
  if (data < 0) return errno == ENXIO ? ByteRange{size_bytes, size_bytes} : all;
  const off_t hole = ::lseek(fd_, data, SEEK_HOLE);
  if (hole < 0) return all;
  const uint64_t begin = static_cast<uint64_t>(data) - file_offset_bytes_;
  const uint64_t end = static_cast<uint64_t>(hole) - file_offset_bytes_;
  constexpr uint64_t kMask = kDeviceAlignmentBytes - 1;
  return {std::min(size_bytes, std::max(offset_bytes, begin & ~kMask)),
          std::min(size_bytes, (end + kMask) & ~kMask)};
}

Result<std::optional<std::vector<ByteRange>>> DeviceDataMap::kept_ranges() const {
  std::optional<std::vector<ByteRange>> kept;
  if (fd_ < 0 || !device_.is_block()) return kept;
  const ByteRange device{file_offset_bytes_, file_offset_bytes_ + device_.size_bytes()};
  const auto query = std::make_unique<KeptQuery>();
  query->from_bytes = device.begin_bytes;
  do {
    if (::ioctl(fd_, kKeptQuery, query.get()) != 0) {
      if (!kept && (errno == ENOTTY || errno == EOPNOTSUPP || errno == EINVAL || errno == ENOSYS))
        return kept;
      return Error{ErrorCode::kIoError,
                   fmt::format("the emulated disk behind {} does not answer which blocks it keeps: {}",
                               device_.path(), std::strerror(errno))};
    }
    if (!kept) kept.emplace();
    for (const ByteRange& range : std::span(query->ranges).first(query->ranges_count)) {
      const ByteRange within{range.begin_bytes, std::min(range.end_bytes, device.end_bytes)};
      if (within.begin_bytes >= within.end_bytes) return kept;
      kept->push_back({within.begin_bytes - device.begin_bytes, within.end_bytes - device.begin_bytes});
      query->from_bytes = range.end_bytes;
    }
  } while (query->ranges_count == query->ranges.size());
  return kept;
}

Result<uint64_t> DeviceDataMap::read(uint64_t offset_bytes, std::span<uint8_t> data) const {
  const uint64_t end_bytes = offset_bytes + data.size();
  uint64_t read_bytes = 0;
  uint64_t at = offset_bytes;
  while (at < end_bytes) {
    ByteRange range = next_data(at);
    range.begin_bytes = std::min(range.begin_bytes, end_bytes);
    std::memset(&data[at - offset_bytes], 0, range.begin_bytes - at);
    if (range.begin_bytes == end_bytes) break;
    // Not farther than the read: each query may cost the file system a walk over the whole run.
    while (range.end_bytes < end_bytes) {
      const ByteRange next = next_data(range.end_bytes);
      if (next.begin_bytes >= end_bytes || next.begin_bytes - range.end_bytes >= kWorthSkippingBytes) break;
      range.end_bytes = next.end_bytes;
    }
    range.end_bytes = std::min(range.end_bytes, end_bytes);
    const uint64_t length = range.end_bytes - range.begin_bytes;
    Status status = device_.read(range.begin_bytes, data.subspan(range.begin_bytes - offset_bytes, length));
    if (!status) return status.error();
    read_bytes += length;
    at = range.end_bytes;
  }
  clear_zeroed(offset_bytes, data);
  return read_bytes;
}

void DeviceDataMap::clear_zeroed(uint64_t offset_bytes, std::span<uint8_t> data) const {
  const uint64_t end_bytes = offset_bytes + data.size();
  for (auto range = first_behind(zeroed_, offset_bytes);
       range != zeroed_.end() && range->begin_bytes < end_bytes; ++range) {
    const uint64_t begin = std::max(range->begin_bytes, offset_bytes);
    std::memset(&data[begin - offset_bytes], 0, std::min(range->end_bytes, end_bytes) - begin);
  }
}

}  // namespace patina
