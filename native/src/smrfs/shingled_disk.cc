// The file of the state shows which interface a disk has.
#include "smrfs/shingled_disk.h"

#include <unistd.h>

#include "shingle/backing_file.h"
#include "smrfs/append_area.h"
#include "smrfs/caveat_area.h"

namespace patina {
namespace {

constexpr uint64_t kBlockBytes = DataArea::kBlockBytes;

Result<std::unique_ptr<DataArea>> caveat_area(Result<std::unique_ptr<CaveatDisk>> disk,
                                              const ShingledDiskOptions& options) {
  if (!disk) return disk.error();
  return std::unique_ptr<DataArea>(std::make_unique<CaveatArea>(std::move(*disk), *options.policy));
}

Result<std::unique_ptr<DataArea>> append_area(Result<std::unique_ptr<StrictAppendDisk>> disk,
                                              const ShingledDiskOptions& options) {
  if (!disk) return disk.error();
  return std::unique_ptr<DataArea>(
      std::make_unique<AppendArea>(std::move(*disk), *options.cleaning, options.clean_below));
}

Result<std::unique_ptr<DataArea>> make_area(const ShingledDiskOptions& options) {
  uint64_t size_bytes = options.size_bytes;
  if (size_bytes == 0) {
    const Result<Descriptor> data = open_backing(options.data, options.begin_bytes + kBlockBytes);
    if (!data) return data.error();
    size_bytes = static_cast<uint64_t>(::lseek(data->get(), 0, SEEK_END)) - options.begin_bytes;
  }
  const uint64_t blocks_count = size_bytes / kBlockBytes;
  if (options.interface == ShingledInterface::kCaveat) {
    return caveat_area(CaveatDisk::create(options.data, options.state,
                                          {.sectors_count = blocks_count,
                                           .did_sectors = options.did_blocks,
                                           .dnor_sectors = options.dnor_blocks,
                                           .begin_bytes = options.begin_bytes}),
                       options);
  }
  // The last band needs no gap.
  const uint64_t band_blocks = options.band_bytes / kBlockBytes;
  const uint64_t bands_count = (blocks_count + options.did_blocks) / (band_blocks + options.did_blocks);
  constexpr uint64_t kLeastBands = 2;
  if (band_blocks == 0 || bands_count < kLeastBands) {
    return Error{ErrorCode::kUsage, "a strict-append disk needs two bands at least: choose smaller bands"};
  }
  return append_area(StrictAppendDisk::create(options.data, options.state,
                                              {.bands_count = bands_count,
                                               .band_sectors = band_blocks,
                                               .gap_sectors = options.did_blocks,
                                               .begin_bytes = options.begin_bytes}),
                     options);
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
