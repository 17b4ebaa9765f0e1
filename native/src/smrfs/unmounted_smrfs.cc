// Adopts what the files have into the area of the disk.
#include "smrfs/unmounted_smrfs.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "smrfs/node.h"
#include "smrfs/scan.h"

namespace patina {

Result<std::unique_ptr<UnmountedSmrFs>> UnmountedSmrFs::open(const std::string& device) {
  SmrPlace place{.device = device, .disk = {}, .metadata = {}};
  Result<std::optional<SmrDevice>> place_on = open_place(place, true);
  if (!place_on) return place_on.error();
  std::optional<SmrDevice>& opened = *place_on;
  if (!opened) return Error{ErrorCode::kInternal, "a device was given, and none was opened"};
  Descriptor files(::open(place.metadata.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!files.valid()) {
    return Error{ErrorCode::kBackingInvalid,
                 fmt::format("cannot open the metadata folder of {}: {}", device, std::strerror(errno))};
  }
  Result<std::unique_ptr<DataArea>> area = open_area(place.disk);
  if (!area) return area.error();
  const Status scanned = scan_extents(place.metadata, SizeRepair::kNone, [&](const ScannedFile& found) {
    for (const BlockExtent& each : found.extents.map.places()) {
      if (Status status = (*area)->adopt(each, found.identity.inode); !status) return status;
    }
    return ok_status();
  });
  if (!scanned) return scanned.error();
  return std::unique_ptr<UnmountedSmrFs>(
      new UnmountedSmrFs(std::move(*opened), std::move(files), std::move(*area)));
}

Result<ExtentMap> UnmountedSmrFs::map_of(int fd) {
  Result<FileExtents> extents = read_extents(fmt::format("/proc/self/fd/{}", fd), 0);
  if (!extents) return extents.error();
  return std::move(extents->map);
}

}  // namespace patina
