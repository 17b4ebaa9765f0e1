// Composes the generation from sysfs and stat(2).
#include "device/device_generation.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/loop.h>
#include <linux/magic.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <sys/vfs.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <optional>
#include <utility>
#include <variant>

#include "base/descriptor.h"
#include "device/loop_backing.h"

namespace patina {
namespace {

constexpr timespec kMoment{.tv_sec = 0, .tv_nsec = 2'000'000};
constexpr int kMaxMoments = 500;

// Why the generation is unknown.
struct Unknown {
  std::string reason;
};

template <typename T>
using Known = std::variant<T, Unknown>;

std::string first_line(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

bool is_later(const timespec& a, const timespec& b) {
  return a.tv_sec > b.tv_sec || (a.tv_sec == b.tv_sec && a.tv_nsec > b.tv_nsec);
}

// Whether a change always gets a later time than any earlier stat(2) returned, however soon it follows: these
// file systems do so since Linux 6.13 (Documentation/filesystems/multigrain-ts.rst).
bool has_fine_times(const std::string& path) {
  constexpr std::pair<int, int> kSince{6, 13};
  utsname kernel = {};
  std::pair<int, int> version{0, 0};
  if (::uname(&kernel) != 0 || std::sscanf(kernel.release, "%d.%d", &version.first, &version.second) != 2 ||
      version < kSince) {
    return false;
  }
  struct statfs found = {};
  if (::statfs(path.c_str(), &found) != 0) return false;
  constexpr std::array<unsigned, 4> kFine = {TMPFS_MAGIC, EXT4_SUPER_MAGIC, XFS_SUPER_MAGIC,
                                             BTRFS_SUPER_MAGIC};
  return std::find(kFine.begin(), kFine.end(), static_cast<unsigned>(found.f_type)) != kFine.end();
}

// Returns inode, size and times. Where the times have the granularity of the kernel's tick, waits until any
// later change must show.
Known<std::string> generation_of_file(const std::string& path, dev_t file_system, ino_t inode) {
  const bool fine = has_fine_times(path);
  for (int i = 0; i < kMaxMoments; ++i) {
    timespec now{};
    ::clock_gettime(CLOCK_REALTIME_COARSE, &now);
    struct stat file = {};
    if (::stat(path.c_str(), &file) != 0 || file.st_dev != file_system || file.st_ino != inode) {
      return Unknown{"the file " + path + " cannot be reached by its name"};
    }
    if (fine || is_later(now, file.st_ctim)) {
      return fmt::format("inode={}:{} size={} mtime={}.{:09} ctime={}.{:09}", file.st_dev, file.st_ino,
                         file.st_size, file.st_mtim.tv_sec, file.st_mtim.tv_nsec, file.st_ctim.tv_sec,
                         file.st_ctim.tv_nsec);
    }
    ::nanosleep(&kMoment, nullptr);
  }
  return Unknown{"the file " + path + " keeps changing"};
}

struct WriteCounts {
  // Not of operations: a flush counts as a write, of no sectors.
  uint64_t sectors_written = 0;
  uint64_t sectors_discarded = 0;
  uint64_t in_flight = 0;
};

std::optional<WriteCounts> read_counts(const std::filesystem::path& disk) {
  // Documentation/block/stat.rst; discards since Linux 4.18.
  constexpr size_t kFieldsCount = 15;
  std::ifstream in(disk / "stat");
  std::array<uint64_t, kFieldsCount> fields{};
  for (uint64_t& field : fields) {
    if (!(in >> field)) return std::nullopt;
  }
  return WriteCounts{fields[6], fields[13], fields[8]};
}

// Returns the counts with no request in flight.
Known<WriteCounts> counts_at_rest(const std::filesystem::path& disk) {
  const std::string name = disk.filename().string();
  if (first_line(disk / "queue/iostats") != "1") {
    return Unknown{"the kernel does not count the writes to " + name + " (queue/iostats)"};
  }
  for (int i = 0; i < kMaxMoments; ++i) {
    const std::optional<WriteCounts> counts = read_counts(disk);
    if (!counts) return Unknown{"the counts of " + name + " cannot be read"};
    if (counts->in_flight == 0) return *counts;
    ::nanosleep(&kMoment, nullptr);
  }
  return Unknown{name + " always has requests in flight"};
}

Known<std::string> generation_of_counts(const std::filesystem::path& disk) {
  const std::string diskseq = first_line(disk / "diskseq");
  if (diskseq.empty()) return Unknown{"this kernel does not number its disks (diskseq)"};
  const std::string boot = first_line("/proc/sys/kernel/random/boot_id");
  if (boot.empty()) return Unknown{"the kernel's boot_id cannot be read"};
  const Known<WriteCounts> counts = counts_at_rest(disk);
  if (const auto* unknown = std::get_if<Unknown>(&counts)) return *unknown;
  const auto& [written, discarded, in_flight] = std::get<WriteCounts>(counts);
  return fmt::format("boot={} disk={} sectors_written={} sectors_discarded={}", boot, diskseq, written,
                     discarded);
}

// The disk's folder in sysfs; for a partition that of the whole disk.
std::filesystem::path disk_folder(dev_t device) {
  std::error_code error;
  const std::string link = fmt::format("/sys/dev/block/{}:{}", major(device), minor(device));
  std::filesystem::path folder = std::filesystem::canonical(link, error);
  if (error) return {};
  return std::filesystem::exists(folder / "partition", error) ? folder.parent_path() : folder;
}

// Returns an empty text for a device that is not a loop device.
Known<std::string> generation_of_backing_file(const std::filesystem::path& disk) {
  const std::string shown = first_line(disk / "loop/backing_file");
  if (shown.empty()) return std::string();
  const Descriptor loop(::open(("/dev/" + disk.filename().string()).c_str(), O_RDONLY | O_CLOEXEC));
  loop_info64 info = {};
  if (!loop.valid() || ::ioctl(loop.get(), LOOP_GET_STATUS64, &info) != 0) {
    return Unknown{"the backing file of the loop device cannot be determined"};
  }
  const std::string path = reach_loop_backing(shown, info.lo_device, info.lo_inode);
  Known<std::string> file = generation_of_file(path.empty() ? shown : path, info.lo_device, info.lo_inode);
  if (std::holds_alternative<std::string>(file)) {
    return fmt::format(" offset={} {}", info.lo_offset, std::get<std::string>(file));
  }
  return file;
}

Known<std::string> generation_of_disk(dev_t device) {
  const std::filesystem::path disk = disk_folder(device);
  if (disk.empty()) return Unknown{"the device is not in /sys/dev/block"};
  // The counts last: a write that a loop device passes on meanwhile is then in one of the two.
  Known<std::string> file = generation_of_backing_file(disk);
  if (std::holds_alternative<Unknown>(file)) return file;
  Known<std::string> counts = generation_of_counts(disk);
  if (std::holds_alternative<Unknown>(counts)) return counts;
  return std::get<std::string>(counts) + std::get<std::string>(file);
}

}  // namespace

Result<std::string> device_generation(const std::string& device_path, std::string* reason) {
  struct stat node = {};
  if (::stat(device_path.c_str(), &node) != 0 || (!S_ISBLK(node.st_mode) && !S_ISREG(node.st_mode))) {
    return Error{ErrorCode::kDeviceUnusable,
                 fmt::format("{} is neither a block device nor a regular file", device_path)};
  }
  const Known<std::string> known = S_ISBLK(node.st_mode)
                                       ? generation_of_disk(node.st_rdev)
                                       : generation_of_file(device_path, node.st_dev, node.st_ino);
  if (std::holds_alternative<std::string>(known)) return std::get<std::string>(known);
  if (reason != nullptr) *reason = std::get<Unknown>(known).reason;
  return std::string();
}

std::optional<uint64_t> written_sectors(const std::string& device_path) {
  struct stat node = {};
  if (::stat(device_path.c_str(), &node) != 0 || !S_ISBLK(node.st_mode)) return std::nullopt;
  const std::filesystem::path disk = disk_folder(node.st_rdev);
  if (disk.empty()) return std::nullopt;
  const Known<WriteCounts> counts = counts_at_rest(disk);
  const auto* known = std::get_if<WriteCounts>(&counts);
  return known == nullptr ? std::nullopt : std::optional(known->sectors_written + known->sectors_discarded);
}

}  // namespace patina
