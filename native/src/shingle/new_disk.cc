// Counts the sectors and the bands that fit.
#include "shingle/new_disk.h"

#include "shingle/backing_file.h"

namespace patina {
namespace {

constexpr uint64_t kSectorBytes = CaveatGeometry::kSectorBytes;

Result<uint64_t> sectors_of(const NewDisk& disk, const std::string& data) {
  if (disk.size_bytes != 0) return disk.size_bytes / kSectorBytes;
  const Result<uint64_t> size_bytes = backing_bytes(data, disk.begin_bytes);
  if (!size_bytes) return size_bytes.error();
  return (*size_bytes - disk.begin_bytes) / kSectorBytes;
}

}  // namespace

Result<CaveatGeometry> caveat_geometry(const NewDisk& disk, const std::string& data) {
  const Result<uint64_t> sectors = sectors_of(disk, data);
  if (!sectors) return sectors.error();
  const bool is_rounded_up = disk.unshingled_bytes % kSectorBytes != 0;
  return CaveatGeometry{
      .sectors_count = *sectors,
      .did_sectors = disk.did_blocks,
      .dnor_sectors = disk.dnor_blocks,
      .unshingled_sectors = disk.unshingled_bytes / kSectorBytes + static_cast<uint64_t>(is_rounded_up),
      .begin_bytes = disk.begin_bytes};
}

Result<BandGeometry> band_geometry(const NewDisk& disk, const std::string& data) {
  const Result<uint64_t> sectors = sectors_of(disk, data);
  if (!sectors) return sectors.error();
  // The last band needs no gap.
  const uint64_t band_sectors = disk.band_bytes / kSectorBytes;
  const uint64_t bands_count =
      band_sectors == 0 ? 0 : (*sectors + disk.did_blocks) / (band_sectors + disk.did_blocks);
  constexpr uint64_t kLeastBands = 2;
  if (bands_count < kLeastBands) {
    return Error{ErrorCode::kUsage, "a strict-append disk needs two bands at least: choose smaller bands"};
  }
  return BandGeometry{.bands_count = bands_count,
                      .band_sectors = band_sectors,
                      .gap_sectors = disk.did_blocks,
                      .begin_bytes = disk.begin_bytes};
}

}  // namespace patina
