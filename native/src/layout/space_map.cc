// Reads ext4 and xfs by FS_IOC_GETFSMAP, and btrfs by its own reader.
#include "layout/space_map.h"

#include <linux/fsmap.h>
#include <linux/magic.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <new>
#include <string>

#include "layout/btrfs_space_map.h"
#include "layout/reported_space.h"

namespace patina {
namespace {

// 256 KiB a call: a 1 GiB file system aged to 70 % answers in one or two calls.
constexpr uint32_t kRecordsPerCall = 4096;

struct FreeHead {
  void operator()(fsmap_head* head) const { ::operator delete(head); }
};
using FsmapHead = std::unique_ptr<fsmap_head, FreeHead>;

FsmapHead whole_file_system_query() {
  const size_t bytes = fsmap_sizeof(kRecordsPerCall);
  auto* head = static_cast<fsmap_head*>(::operator new(bytes));
  std::memset(head, 0, bytes);
  head->fmh_count = kRecordsPerCall;
  fsmap& high = head->fmh_keys[1];
  high.fmr_device = UINT32_MAX;
  high.fmr_flags = UINT32_MAX;
  high.fmr_physical = UINT64_MAX;
  high.fmr_owner = UINT64_MAX;
  high.fmr_offset = UINT64_MAX;
  return FsmapHead(head);
}

// The kernel's own encoding of a device number (new_encode_dev), which is not that of dev_t here.
uint32_t kernel_device_number(dev_t device) {
  return (minor(device) & 0xffU) | (major(device) << 8U) | ((minor(device) & ~0xffU) << 12U);
}

// Excludes a journal on a device of its own: it holds no files.
bool is_on_data_device(const fsmap_head& head, const fsmap& record, dev_t device) {
  constexpr uint32_t kXfsDataDevice = 1;  // how xfs counts its devices when they have no numbers
  const bool has_number = (head.fmh_oflags & FMH_OF_DEV_T) != 0;
  return record.fmr_device == (has_number ? kernel_device_number(device) : kXfsDataDevice);
}

void add_record(const fsmap& record, SpaceMap& map) {
  const ByteRange range{record.fmr_physical, record.fmr_physical + record.fmr_length};
  map.device_bytes = std::max(map.device_bytes, range.end_bytes);
  const bool is_free = (record.fmr_flags & FMR_OF_SPECIAL_OWNER) != 0 && record.fmr_owner == FMR_OWN_FREE;
  if (is_free) map.free_extents.push_back(range);
}

Error getfsmap_error(int error_number) {
  if (error_number == ENOTTY || error_number == EOPNOTSUPP || error_number == EINVAL) {
    return {ErrorCode::kLayoutUnsupported,
            "this file system cannot report its free extents (FS_IOC_GETFSMAP); ext2, ext3, ext4, xfs and "
            "btrfs can theirs"};
  }
  return {ErrorCode::kIoError,
          std::string("reading the free extents of the mounted file system: ") + std::strerror(error_number)};
}

Result<SpaceMap> read_by_getfsmap(int mount_fd, const struct statfs& file_system) {
  struct stat root = {};
  if (::fstat(mount_fd, &root) != 0) return getfsmap_error(errno);
  SpaceMap map;
  map.block_size_bytes = static_cast<uint64_t>(file_system.f_bsize);
  FsmapHead head = whole_file_system_query();
  // A record covers at least one block of the data, log or real-time device: a longer answer is invalid. The
  // slack covers the log's own device.
  const uint64_t max_records = 2 * static_cast<uint64_t>(file_system.f_blocks) + (uint64_t{1} << 20);
  for (uint64_t records = 0; records <= max_records;) {
    if (::ioctl(mount_fd, FS_IOC_GETFSMAP, head.get()) != 0) return getfsmap_error(errno);
    const uint32_t entries = head->fmh_entries;
    for (uint32_t i = 0; i < entries; ++i) {
      const fsmap& record = head->fmh_recs[i];
      if (is_on_data_device(*head, record, root.st_dev)) add_record(record, map);
    }
    if (entries == 0 || (head->fmh_recs[entries - 1].fmr_flags & FMR_OF_LAST) != 0) {
      // ext4 splits them at the borders of block groups, which no allocator observes.
      normalize(map.free_extents);
      map.empty_on_device = map.free_extents;
      return map;
    }
    records += entries;
    fsmap_advance(head.get());
  }
  return Error{ErrorCode::kIoError,
               "the file system reports more extents than it has blocks; run fsck on it"};
}

}  // namespace

void add_places_on_device(const ByteRange& addresses, const SpaceMap& map, std::vector<ByteRange>& places) {
  if (map.mappings.empty()) {
    places.push_back(addresses);
    return;
  }
  auto mapping = std::upper_bound(
      map.mappings.begin(), map.mappings.end(), addresses.begin_bytes,
      [](uint64_t address, const AddressMapping& one) { return address < one.addresses.end_bytes; });
  for (; mapping != map.mappings.end() && mapping->addresses.begin_bytes < addresses.end_bytes; ++mapping) {
    const uint64_t begin = std::max(addresses.begin_bytes, mapping->addresses.begin_bytes);
    const uint64_t end = std::min(addresses.end_bytes, mapping->addresses.end_bytes);
    for (const uint64_t device_begin : mapping->device_begins_bytes) {
      const uint64_t at = device_begin + (begin - mapping->addresses.begin_bytes);
      places.push_back({at, at + (end - begin)});
    }
  }
}

void normalize(std::vector<ByteRange>& ranges) {
  std::sort(ranges.begin(), ranges.end(),
            [](const ByteRange& one, const ByteRange& other) { return one.begin_bytes < other.begin_bytes; });
  size_t kept = 0;
  for (const ByteRange range : ranges) {
    if (kept > 0 && range.begin_bytes <= ranges[kept - 1].end_bytes) {
      ranges[kept - 1].end_bytes = std::max(ranges[kept - 1].end_bytes, range.end_bytes);
    } else {
      ranges[kept++] = range;
    }
  }
  ranges.resize(kept);
}

std::vector<ByteRange> common_of(const std::vector<ByteRange>& one, const std::vector<ByteRange>& other) {
  std::vector<ByteRange> common;
  for (auto each = one.begin(), next = other.begin(); each != one.end() && next != other.end();) {
    const uint64_t begin = std::max(each->begin_bytes, next->begin_bytes);
    const uint64_t end = std::min(each->end_bytes, next->end_bytes);
    if (begin < end) common.push_back({begin, end});
    each->end_bytes < next->end_bytes ? ++each : ++next;
  }
  return common;
}

Result<SpaceMap> read_space_map(int mount_fd) {
  struct statfs file_system = {};
  if (::fstatfs(mount_fd, &file_system) != 0) return getfsmap_error(errno);
  if (file_system.f_type == BTRFS_SUPER_MAGIC) return read_btrfs_space_map(mount_fd);
  if (file_system.f_type == FUSE_SUPER_MAGIC) return read_reported_space(mount_fd);
  return read_by_getfsmap(mount_fd, file_system);
}

}  // namespace patina
