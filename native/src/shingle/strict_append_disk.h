// A strict-append disk (Suresh, Gibson and Ganger, CMU-PDL-12-105): bands that are written from their begin
// to their end only.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "base/descriptor.h"
#include "base/result.h"

namespace patina {

struct BandGeometry {
  static constexpr uint64_t kSectorBytes = 4096;

  uint64_t bands_count = 0;
  uint64_t band_sectors = 0;
  uint64_t gap_sectors = 0;  // behind each band, so that its writes do not damage the next one: at least DID
  uint64_t begin_bytes = 0;  // where the disk begins on the device that keeps its data
  bool operator==(const BandGeometry&) const = default;
};

// In the terms of zoned block devices a band is a zone that must be written in sequence, its cursor the write
// pointer, and get, reset and reset_all are "report zones", "reset zone" and "reset all zones". Thread safe.
class StrictAppendDisk {
 public:
  // Makes a disk on a file or block device, which keeps its data, and a file of cursors at `cursors_path`.
  // All bands are empty. kBackingInvalid; kDeviceTooSmall; kUsage: the geometry; kIoError.
  static Result<std::unique_ptr<StrictAppendDisk>> create(const std::string& data_path,
                                                          const std::string& cursors_path,
                                                          const BandGeometry& geometry);
  // Opens the disk again, with the geometry that it was made with. Errors as above.
  static Result<std::unique_ptr<StrictAppendDisk>> open(const std::string& data_path,
                                                        const std::string& cursors_path);

  // Whether a file has the cursors of such a disk.
  static bool has_state(const std::string& cursors_path);

  const BandGeometry& modesense() const { return geometry_; }

  // The managebands call. The cursor of a band is the number of its written sectors. It can be set back only:
  // what is behind it is lost. kUsage; kIoError.
  Result<uint64_t> get(uint64_t band) const;
  Status set(uint64_t band, uint64_t cursor);
  Status reset(uint64_t band) { return set(band, 0); }
  Status reset_all();

  // Appends whole sectors to the band. kNoSpace: they do not fit into it, and nothing is written. kUsage;
  // kIoError.
  Status write(uint64_t band, std::span<const uint8_t> data);
  // Reads written sectors. kMaybeDamaged: one of them is behind the cursor. kUsage; kIoError.
  Status read(uint64_t band, uint64_t sector, std::span<uint8_t> data) const;
  // What was written is durable. kIoError.
  Status flush();
  // Returns where a sector is on the device that keeps the data.
  uint64_t place_bytes(uint64_t band, uint64_t sector) const;

 private:
  StrictAppendDisk(std::string data_path, Descriptor data, std::string cursors_path, Descriptor cursors_file,
                   const BandGeometry& geometry);

  static Result<Descriptor> open_data(const std::string& path, const BandGeometry& geometry);
  Status read_cursors();
  Status check_band(uint64_t band) const;
  Status store(uint64_t band, uint64_t cursor);

  const std::string data_path_;
  const Descriptor data_;
  const std::string cursors_path_;
  const Descriptor cursors_file_;
  const BandGeometry geometry_;
  mutable std::mutex mutex_;
  std::vector<uint64_t> cursors_;
};

}  // namespace patina
