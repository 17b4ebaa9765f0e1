// Finds the device's disk in sysfs, and opens the first source that works.
#include "trace/trace_source.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "trace/blktrace_source.h"
#include "trace/tracefs_source.h"

namespace patina {
namespace {

namespace fs = std::filesystem;

// Reads a device's number from sysfs; false: the folder is not a device's.
bool read_number(const fs::path& folder, dev_t& out) {
  std::ifstream in(folder / "dev");
  unsigned int major_number = 0;
  unsigned int minor_number = 0;
  char colon = 0;
  if (!(in >> major_number >> colon >> minor_number) || colon != ':') return false;
  out = makedev(major_number, minor_number);
  return true;
}

// Returns the path of the node as udev and devtmpfs name it.
std::string node_of(const fs::path& disk) {
  std::ifstream in(disk / "uevent");
  constexpr std::string_view kKey = "DEVNAME=";
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with(kKey)) return "/dev/" + line.substr(kKey.size());
  }
  return "";
}

}  // namespace

uint32_t kernel_number(dev_t device) {
  return (major(device) << 20U) | minor(device);
}

Result<TracedDevice> find_traced_device(const std::string& path) {
  const auto unusable = [&path](const char* why) {
    return Error{ErrorCode::kDeviceUnusable, fmt::format("{} cannot be traced: {}", path, why)};
  };
  struct stat node = {};
  if (::stat(path.c_str(), &node) != 0 || !S_ISBLK(node.st_mode)) return unusable("it is no block device");
  std::error_code error;
  const std::string link = fmt::format("/sys/dev/block/{}:{}", major(node.st_rdev), minor(node.st_rdev));
  fs::path disk = fs::canonical(link, error);
  if (error) return unusable("it is not in /sys/dev/block");
  TracedDevice device;
  device.path = path;
  if (fs::exists(disk / "partition", error)) {
    std::ifstream start(disk / "start");
    if (!(start >> device.start_sectors)) return unusable("it is not known where the partition begins");
    disk = disk.parent_path();
  }
  device.disk_name = disk.filename().string();
  device.disk_path = node_of(disk);
  dev_t number = 0;
  if (!read_number(disk, number) || device.disk_path.empty()) return unusable("its disk is not in sysfs");
  device.disk_and_partitions.push_back(number);
  for (const auto& entry : fs::directory_iterator(disk, error)) {
    if (fs::exists(entry.path() / "partition", error) && read_number(entry.path(), number)) {
      device.disk_and_partitions.push_back(number);
    }
  }
  return device;
}

std::vector<TraceSourceKind> kernel_trace_sources() {
  return {{"blktrace", open_blktrace_source}, {"tracefs", open_tracefs_source}};
}

Result<std::unique_ptr<TraceSource>> open_trace_source(const std::vector<TraceSourceKind>& kinds,
                                                       const std::string& wanted, const TracedDevice& device,
                                                       uint64_t buffer_kb,
                                                       std::vector<UnavailableSource>& unavailable) {
  std::string reasons;
  for (const TraceSourceKind& kind : kinds) {
    if (wanted != "auto" && wanted != kind.name) continue;
    Result<std::unique_ptr<TraceSource>> source = kind.open(device, buffer_kb);
    if (source) return source;
    reasons.append(fmt::format("; {}: {}", kind.name, source.error().message));
    unavailable.push_back({kind.name, source.error().message});
  }
  return Error{ErrorCode::kTraceUnavailable, fmt::format("{} cannot be traced here{}", device.path, reasons)};
}

}  // namespace patina
