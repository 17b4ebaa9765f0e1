// Mounts what the kernel has a driver for, and reads SMRfs by itself.
#include "layout/unmounted.h"

#include "device/file_system_kind.h"
#include "device/private_mount.h"
#include "layout/reported_space.h"
#include "smrfs/reports.h"
#include "smrfs/unmounted_smrfs.h"

namespace patina {
namespace {

class OfKernel final : public Unmounted {
 public:
  explicit OfKernel(PrivateMount mount) : mount_(std::move(mount)) {}

  Result<SpaceMap> space() const override { return read_space_map(mount_.root_fd()); }
  Result<ExtentWalk> walk(WalkSettings settings, const std::atomic<bool>& stop) const override {
    return walk_extents(mount_.root_fd(), settings, stop);
  }

 private:
  PrivateMount mount_;
};

class OfSmrFs final : public Unmounted {
 public:
  explicit OfSmrFs(std::unique_ptr<UnmountedSmrFs> files) : files_(std::move(files)) {}

  // Files have the space of the shingled disk; what is free in the metadata partition is unused too.
  Result<SpaceMap> space() const override {
    const DataArea& area = files_->area();
    SpaceMap map = space_map_of({DataArea::kBlockBytes, device_bytes_of(area)}, free_from(area, 0, SIZE_MAX),
                                damaged_from(area, 0, SIZE_MAX));
    Result<SpaceMap> partition = read_space_map(files_->partition_fd());
    if (!partition) return partition;
    map.empty_on_device = std::move(partition->empty_on_device);
    map.empty_on_device.insert(map.empty_on_device.end(), map.free_extents.begin(), map.free_extents.end());
    normalize(map.empty_on_device);
    return map;
  }
  Result<ExtentWalk> walk(WalkSettings settings, const std::atomic<bool>& stop) const override {
    settings.reads_extents = [this](int fd, std::vector<FileExtent>& extents) { return read(fd, extents); };
    return walk_extents(files_->files_fd(), settings, stop);
  }

 private:
  Status read(int fd, std::vector<FileExtent>& extents) const {
    const Result<ExtentMap> map = UnmountedSmrFs::map_of(fd);
    if (!map) return map.error();
    for (const ReportedPlace& each : places_from(files_->area(), *map, 0, SIZE_MAX)) {
      extents.push_back({each.logical_bytes, each.physical_bytes, each.length_bytes});
    }
    return ok_status();
  }

  std::unique_ptr<UnmountedSmrFs> files_;
};

}  // namespace

Result<std::unique_ptr<Unmounted>> Unmounted::open(const std::string& device) {
  const Result<const FileSystemKind*> kind = PrivateMount::kind_on(device);
  if (!kind) return kind.error();
  if ((*kind)->has_driver) {
    Result<PrivateMount> mount = PrivateMount::open(device);
    if (!mount) return mount.error();
    return std::unique_ptr<Unmounted>(std::make_unique<OfKernel>(std::move(*mount)));
  }
  Result<std::unique_ptr<UnmountedSmrFs>> files = UnmountedSmrFs::open(device);
  if (!files) return files.error();
  return std::unique_ptr<Unmounted>(std::make_unique<OfSmrFs>(std::move(*files)));
}

}  // namespace patina
