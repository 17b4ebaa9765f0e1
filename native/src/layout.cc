// Free-space fragmentation of a mounted file system, from FS_IOC_GETFSMAP.
#include "layout.h"

#include <fcntl.h>
#include <linux/fsmap.h>
#include <linux/magic.h>
#include <sys/ioctl.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>

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

// Joins free records that touch: ext4 splits them at block-group boundaries, which no allocator minds.
class FreeExtentCollector {
 public:
  explicit FreeExtentCollector(uint64_t block_size_bytes) {
    free_extents_.block_size_bytes = block_size_bytes;
    free_extents_.bins.push_back({.min_blocks = 1});
  }

  void add(const fsmap& record) {
    const bool is_free = (record.fmr_flags & FMR_OF_SPECIAL_OWNER) != 0 && record.fmr_owner == FMR_OWN_FREE;
    if (!is_free) return;
    if (length_bytes_ > 0 && record.fmr_device == device_ && record.fmr_physical == end_byte_) {
      length_bytes_ += record.fmr_length;
    } else {
      close_extent();
      device_ = record.fmr_device;
      length_bytes_ = record.fmr_length;
    }
    end_byte_ = record.fmr_physical + record.fmr_length;
  }

  FreeExtents finish() {
    close_extent();
    return std::move(free_extents_);
  }

 private:
  void close_extent() {
    const uint64_t blocks = length_bytes_ / free_extents_.block_size_bytes;
    if (blocks > 0) {
      const auto bin = static_cast<size_t>(std::bit_width(blocks) - 1);
      while (free_extents_.bins.size() <= bin) {
        free_extents_.bins.push_back({.min_blocks = uint64_t{1} << free_extents_.bins.size()});
      }
      free_extents_.bins[bin].extents_count += 1;
      free_extents_.bins[bin].blocks_count += blocks;
      free_extents_.extents_count += 1;
      free_extents_.free_blocks_count += blocks;
      free_extents_.max_extent_bytes = std::max(free_extents_.max_extent_bytes, length_bytes_);
    }
    length_bytes_ = 0;
  }

  FreeExtents free_extents_;
  uint32_t device_ = 0;
  uint64_t end_byte_ = 0;
  uint64_t length_bytes_ = 0;  // 0: no extent is open
};

Error getfsmap_error(int error_number) {
  if (error_number == ENOTTY || error_number == EOPNOTSUPP || error_number == EINVAL) {
    return {ErrorCode::kLayoutUnsupported,
            "this file system cannot report its free extents (FS_IOC_GETFSMAP); ext4 and xfs can"};
  }
  return {ErrorCode::kIoError,
          std::string("reading the free extents of the mounted file system: ") + std::strerror(error_number)};
}

}  // namespace

Result<FreeExtents> measure_free_extents(int mount_fd) {
  struct statfs file_system = {};
  if (::fstatfs(mount_fd, &file_system) != 0) return getfsmap_error(errno);
  if (file_system.f_type == BTRFS_SUPER_MAGIC) {
    return Error{ErrorCode::kLayoutUnsupported,
                 "the layout of btrfs cannot be measured yet; ext4 and xfs can be"};
  }
  FsmapHead head = whole_file_system_query();
  FreeExtentCollector collector(static_cast<uint64_t>(file_system.f_bsize));
  // A record covers at least one block of the data, log or real-time device: an answer longer than that is
  // not an answer. The slack covers the log's own device.
  const uint64_t max_records = 2 * static_cast<uint64_t>(file_system.f_blocks) + (uint64_t{1} << 20);
  for (uint64_t records = 0; records <= max_records;) {
    if (::ioctl(mount_fd, FS_IOC_GETFSMAP, head.get()) != 0) return getfsmap_error(errno);
    const uint32_t entries = head->fmh_entries;
    for (uint32_t i = 0; i < entries; ++i) collector.add(head->fmh_recs[i]);
    if (entries == 0 || (head->fmh_recs[entries - 1].fmr_flags & FMR_OF_LAST) != 0) return collector.finish();
    records += entries;
    fsmap_advance(head.get());
  }
  return Error{ErrorCode::kIoError,
               "the file system reports more extents than it has blocks; run fsck on it"};
}

nlohmann::ordered_json free_extents_json(const FreeExtents& free_extents) {
  nlohmann::ordered_json bins = nlohmann::ordered_json::array();
  for (const FreeExtentBin& bin : free_extents.bins) {
    bins.push_back({{"min_blocks", bin.min_blocks},
                    {"extents_count", bin.extents_count},
                    {"blocks_count", bin.blocks_count}});
  }
  const double free_bytes = static_cast<double>(free_extents.free_blocks_count) *
                            static_cast<double>(free_extents.block_size_bytes);
  const double mean_extent_bytes =
      free_extents.extents_count == 0 ? 0.0 : free_bytes / static_cast<double>(free_extents.extents_count);
  return {{"block_size_bytes", free_extents.block_size_bytes},
          {"free_blocks_count", free_extents.free_blocks_count},
          {"extents_count", free_extents.extents_count},
          {"mean_extent_bytes", mean_extent_bytes},
          {"max_extent_bytes", free_extents.max_extent_bytes},
          {"bins", std::move(bins)}};
}

Status run_layout(const LayoutOptions& options, EventSink& sink, const std::atomic<bool>& stop) {
  const auto started = std::chrono::steady_clock::now();
  const Error canceled{ErrorCode::kCanceled, "stopped before the layout was measured"};
  if (!sink.emit(hello_event("layout")) || stop.load()) return canceled;
  const int mount_fd = ::open(options.mount.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (mount_fd < 0) {
    return Error{ErrorCode::kMountUnusable, "cannot open " + options.mount + ": " + std::strerror(errno)};
  }
  const Result<FreeExtents> free_extents = measure_free_extents(mount_fd);
  ::close(mount_fd);
  if (!free_extents) return free_extents.error();
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - started;
  const bool read = sink.emit({{"type", "layout"},
                               {"ops_count", 0},
                               {"elapsed_s", elapsed.count()},
                               {"free_extents", free_extents_json(*free_extents)}});
  if (!read) return canceled;
  return ok_status();
}

}  // namespace patina
