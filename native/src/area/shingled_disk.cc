// The file of the state shows which interface a disk has.
#include "area/shingled_disk.h"

#include <unistd.h>

#include "area/append_area.h"
#include "area/caveat_area.h"

namespace patina {
namespace {

Result<std::unique_ptr<DataArea>> caveat_area(Result<std::unique_ptr<CaveatDisk>> disk,
                                              const ShingledDiskOptions& options) {
  if (!disk) return disk.error();
  return std::unique_ptr<DataArea>(
      std::make_unique<CaveatArea>(std::move(*disk), *options.policy, options.reuse));
}

Result<std::unique_ptr<DataArea>> append_area(Result<std::unique_ptr<StrictAppendDisk>> disk,
                                              const ShingledDiskOptions& options) {
  if (!disk) return disk.error();
  return std::unique_ptr<DataArea>(
      std::make_unique<AppendArea>(std::move(*disk), *options.cleaning, options.clean_below));
}

Result<std::unique_ptr<DataArea>> make_area(const ShingledDiskOptions& options) {
  if (options.made.interface == DiskInterface::kCaveat) {
    const Result<CaveatGeometry> geometry = caveat_geometry(options.made, options.data);
    if (!geometry) return geometry.error();
    return caveat_area(CaveatDisk::create(options.data, options.state, *geometry), options);
  }
  const Result<BandGeometry> geometry = band_geometry(options.made, options.data);
  if (!geometry) return geometry.error();
  return append_area(StrictAppendDisk::create(options.data, options.state, *geometry), options);
}

}  // namespace

Result<std::unique_ptr<DataArea>> open_area(const ShingledDiskOptions& options) {
  if (::access(options.state.c_str(), F_OK) != 0) return make_area(options);
  if (StrictAppendDisk::has_state(options.state)) {
    return append_area(StrictAppendDisk::open(options.data, options.state), options);
  }
  return caveat_area(CaveatDisk::open(options.data, options.state), options);
}

}  // namespace patina
