// Makes the metadata partition by mke2fs, which leaves the rest of the device alone.
#include "smrfs/smr_device.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/run_tool.h"
#include "device/device.h"
#include "device/file_system_kind.h"

namespace patina {
namespace {

constexpr uint64_t kBlockBytes = DataArea::kBlockBytes;
constexpr uint64_t kPartitionShare = 32;
constexpr uint64_t kLeastPartitionBytes = uint64_t{16} << 20U;
// Of the whole device: as ext4 has on a device of its own.
constexpr uint64_t kBytesPerInode = 16384;
constexpr const char* kMetadataName = "files";
constexpr const char* kStateName = "disk";

struct Place {
  uint64_t device_bytes = 0;
  uint64_t partition_bytes = 0;
};

// Nothing else uses the device: it is open exclusively for the moment.
Result<Place> place_on(const SmrFormatOptions& options) {
  const Result<std::unique_ptr<Device>> device = Device::open_to_write(options.device);
  if (!device) return device.error();
  if (!(*device)->is_block()) {
    return Error{ErrorCode::kDeviceUnusable,
                 fmt::format("{} is not a block device; attach it with losetup", options.device)};
  }
  Place place{.device_bytes = (*device)->size_bytes(), .partition_bytes = options.partition_bytes};
  if (place.partition_bytes == 0) {
    place.partition_bytes = std::max(place.device_bytes / kPartitionShare, kLeastPartitionBytes);
  }
  place.partition_bytes -= place.partition_bytes % kBlockBytes;
  const uint64_t least_bytes = std::max(place.partition_bytes, kLeastPartitionBytes) + kBlockBytes;
  if (place.device_bytes >= least_bytes && place.partition_bytes > 0) return place;
  return Error{ErrorCode::kDeviceTooSmall,
               fmt::format("{} has {} bytes, and SMRfs needs {} with a metadata partition of {}",
                           options.device, place.device_bytes, least_bytes, place.partition_bytes)};
}

// The options of mke2fs that could differ between hosts are given.
Status make_partition(const SmrFormatOptions& options, const Place& place) {
  const std::string features =
      "none,ext_attr,dir_index,filetype,sparse_super,large_file,has_journal,extent,64bit,flex_bg,huge_file,"
      "dir_nlink,extra_isize,metadata_csum";
  std::string extended = "lazy_itable_init=0,lazy_journal_init=0,nodiscard";
  std::vector<std::string> argv = {
      "mke2fs",
      "-q",
      "-F",
      "-t",
      "ext4",
      "-b",
      fmt::to_string(kBlockBytes),
      "-I",
      "256",
      "-m",
      "0",
      "-N",
      fmt::to_string(std::max<uint64_t>(place.device_bytes / kBytesPerInode, 1024)),
      "-L",
      std::string(kSmrFsLabel),
      "-O",
      features};
  if (!options.uuid.empty()) {
    argv.insert(argv.end(), {"-U", options.uuid});
    extended += ",hash_seed=" + options.uuid;
  }
  argv.insert(argv.end(),
              {"-E", extended, options.device, fmt::to_string(place.partition_bytes / kBlockBytes)});
  return run_tool(argv);
}

}  // namespace

Result<SmrDevice> SmrDevice::open(const std::string& device, bool is_read_only) {
  Result<PrivateMount> mount = PrivateMount::open_smrfs(device, is_read_only);
  if (!mount) return mount.error();
  return SmrDevice(std::move(*mount));
}

std::string SmrDevice::metadata() const {
  return fmt::format("/proc/self/fd/{}/{}", mount_.root_fd(), kMetadataName);
}

std::string SmrDevice::state() const {
  return fmt::format("/proc/self/fd/{}/{}", mount_.root_fd(), kStateName);
}

Result<std::optional<SmrDevice>> open_place(SmrPlace& place, bool is_read_only) {
  const bool has_parts = !place.disk.data.empty() && !place.disk.state.empty() && !place.metadata.empty();
  const bool has_any = !place.disk.data.empty() || !place.disk.state.empty() || !place.metadata.empty();
  if (place.device.empty() ? !has_parts : has_any) {
    return Error{ErrorCode::kUsage, "give --device alone, or --data, --state and --metadata"};
  }
  if (place.device.empty()) return std::optional<SmrDevice>();
  Result<SmrDevice> device = SmrDevice::open(place.device, is_read_only);
  if (!device) return device.error();
  place.disk.data = place.device;
  place.disk.state = device->state();
  place.metadata = device->metadata();
  return std::optional<SmrDevice>(std::move(*device));
}

Status run_smr_format(const SmrFormatOptions& options, EventSink& sink) {
  sink.emit(hello_event("shingle format"));
  const Result<Place> place = place_on(options);
  if (!place) return place.error();
  if (Status status = make_partition(options, *place); !status) return status;
  const Result<SmrDevice> device = SmrDevice::open(options.device, false);
  if (!device) return device.error();
  if (::mkdir(device->metadata().c_str(), 0755) != 0) {
    return Error{ErrorCode::kIoError, fmt::format("cannot make the metadata folder of {}: {}", options.device,
                                                  std::strerror(errno))};
  }
  ShingledDiskOptions disk{.data = options.device, .state = device->state(), .made = options.disk};
  disk.made.begin_bytes = place->partition_bytes;
  const Result<std::unique_ptr<DataArea>> area = open_area(disk);
  if (!area) return area.error();
  sink.emit({{"type", "summary"},
             {"command", "shingle format"},
             {"partition_bytes", place->partition_bytes},
             {"total_blocks", (*area)->space().blocks_count}});
  return ok_status();
}

}  // namespace patina
