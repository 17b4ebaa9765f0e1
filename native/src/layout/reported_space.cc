// Asks for a part after the other.
#include "layout/reported_space.h"

#include <sys/xattr.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace patina {
namespace {

Error failed() {
  if (errno == ENODATA || errno == EOPNOTSUPP) {
    return {
        ErrorCode::kLayoutUnsupported,
        "this file system reports neither its free space nor the extents of files; ext2, ext3, ext4, xfs, "
        "btrfs and SMRfs do"};
  }
  return {ErrorCode::kIoError,
          std::string("cannot read what the file system reports: ") + std::strerror(errno)};
}

// Appends one answer. `next`: where the next one begins.
template <typename Record, typename Next>
Status read_all(int fd, const char* name, std::vector<Record>& records, const Next& next) {
  for (uint64_t from = 0;;) {
    const size_t before = records.size();
    records.resize(before + kMostReported);
    const std::string part = name + std::to_string(from);
    const ssize_t length = ::fgetxattr(fd, part.c_str(), &records[before], kMostReported * sizeof(Record));
    records.resize(before + (length < 0 ? 0 : static_cast<size_t>(length) / sizeof(Record)));
    if (length < 0) return failed();
    if (records.size() == before) return ok_status();
    const uint64_t end = next(records.back());
    if (end <= from) return Error{ErrorCode::kIoError, "what the file system reports is not in order"};
    from = end;
  }
}

}  // namespace

Result<SpaceMap> read_reported_space(int mount_fd) {
  ReportedSpace space;
  if (::fgetxattr(mount_fd, kReportedSpace, &space, sizeof space) != sizeof space) return failed();
  std::vector<ReportedFree> free;
  std::vector<ReportedDamaged> damaged;
  const auto end_of = [](const auto& last) { return last.end_bytes; };
  if (Status status = read_all(mount_fd, kReportedFree, free, end_of); !status) return status.error();
  if (Status status = read_all(mount_fd, kReportedDamaged, damaged, end_of); !status) return status.error();
  return space_map_of(space, free, damaged);
}

SpaceMap space_map_of(const ReportedSpace& space, const std::vector<ReportedFree>& free,
                      const std::vector<ReportedDamaged>& damaged) {
  SpaceMap map;
  map.block_size_bytes = space.block_size_bytes;
  map.device_bytes = space.device_bytes;
  for (const ReportedFree& each : free) {
    map.free_extents.push_back({each.begin_bytes, each.end_bytes});
    if (each.is_unusable != 0) map.unusable.push_back(map.free_extents.back());
  }
  for (const ReportedDamaged& each : damaged) map.damaged.push_back({each.begin_bytes, each.end_bytes});
  normalize(map.free_extents);
  normalize(map.unusable);
  normalize(map.damaged);
  map.empty_on_device = map.free_extents;
  return map;
}

Status read_reported_places(int fd, std::vector<FileExtent>& extents) {
  std::vector<ReportedPlace> places;
  Status status = read_all(fd, kReportedPlaces, places,
                           [](const ReportedPlace& last) { return last.logical_bytes + last.length_bytes; });
  for (const ReportedPlace& each : places) {
    extents.push_back({each.logical_bytes, each.physical_bytes, each.length_bytes});
  }
  return status;
}

}  // namespace patina
