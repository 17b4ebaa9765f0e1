// A Caveat-Scriptor disk (Singh, Carnegie Mellon, 2014, chapter 3): writes go anywhere, and damage what is
// behind them.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "base/descriptor.h"
#include "base/result.h"
#include "shingle/caveat_geometry.h"
#include "shingle/damage_map.h"
#include "shingle/free_extents.h"

namespace patina {

// A write of sectors i to j makes sectors max(i + 1 + DNOR, j + 1) to j + DID maybe damaged; reading one of
// these fails until it is written. Of a write that begins in the unshingled part, i is the first sector
// behind that part. At first all sectors are maybe damaged, or all are sound and zero. Thread safe.
class CaveatDisk {
 public:
  // Makes a disk on a file or block device of the size at least, which keeps its data, and a map at
  // `map_path`. kBackingInvalid; kDeviceTooSmall; kUsage: the geometry; kIoError.
  static Result<std::unique_ptr<CaveatDisk>> create(const std::string& data_path, const std::string& map_path,
                                                    const CaveatGeometry& geometry,
                                                    Unwritten unwritten = Unwritten::kMaybeDamaged);
  // Opens the disk again, with the geometry that it was made with. Errors as above.
  static Result<std::unique_ptr<CaveatDisk>> open(const std::string& data_path, const std::string& map_path);

  const CaveatGeometry& modesense() const { return geometry_; }
  // Whole sectors on the disk, from `first` on. kUsage; kIoError.
  Status write(uint64_t first, std::span<const uint8_t> data);
  // kMaybeDamaged, which names the first such sector: nothing is read. kUsage; kIoError.
  Status read(uint64_t first, std::span<uint8_t> data);
  // What was written is durable, and what it damaged is recorded. kIoError.
  Status flush();
  // Returns the runs of sectors that may be damaged, from `from` on, at most `most` of them.
  std::vector<BlockExtent> dump(uint64_t from, size_t most) const;
  uint64_t damaged_count() const;
  // Returns the sector behind the last one that was read or written.
  uint64_t position() const;

 private:
  CaveatDisk(std::string data_path, Descriptor data, std::unique_ptr<DamageMap> map,
             const CaveatGeometry& geometry)
      : data_path_(std::move(data_path)), data_(std::move(data)), map_(std::move(map)), geometry_(geometry) {}

  static Result<Descriptor> open_data(const std::string& path, const CaveatGeometry& geometry);
  Status check_range(uint64_t first, uint64_t bytes_count) const;
  Error failed(const char* verb) const;

  const std::string data_path_;
  const Descriptor data_;
  const std::unique_ptr<DamageMap> map_;
  const CaveatGeometry geometry_;
  mutable std::mutex mutex_;
  uint64_t position_ = 0;
};

}  // namespace patina
