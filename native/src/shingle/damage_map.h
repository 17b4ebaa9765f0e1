// Which sectors of a shingled disk may be damaged: a bit each, in memory and in a file.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/descriptor.h"
#include "base/result.h"
#include "shingle/caveat_geometry.h"

namespace patina {

// The file has a head of 4 KiB, with the geometry of the disk, and a bit for each sector. It is changed with
// each call, so that a kill of the process loses nothing; sync() makes it durable. Not thread safe.
class DamageMap {
 public:
  // Makes the file: all sectors may be damaged, or none. kBackingInvalid, if there is one; kIoError.
  static Result<std::unique_ptr<DamageMap>> create(const std::string& path, const CaveatGeometry& geometry,
                                                   bool is_damaged = true);
  // kBackingInvalid: there is none, or it is damaged. kIoError.
  static Result<std::unique_ptr<DamageMap>> open(const std::string& path);

  const CaveatGeometry& geometry() const { return geometry_; }
  uint64_t damaged_count() const { return damaged_count_; }
  // Returns the first sector from `sector` on, and before `end`, that may be damaged (or that is not).
  std::optional<uint64_t> next_damaged(uint64_t sector, uint64_t end) const;
  std::optional<uint64_t> next_sound(uint64_t sector, uint64_t end) const;

  // Sectors `first` to `end` - 1, all on the disk. kIoError.
  Status damage(uint64_t first, uint64_t end);
  Status repair(uint64_t first, uint64_t end);
  Status sync();

 private:
  DamageMap(std::string path, Descriptor fd) : path_(std::move(path)), fd_(std::move(fd)) {}

  Status read();
  Status set(uint64_t first, uint64_t end, bool is_damaged);
  std::optional<uint64_t> next(uint64_t sector, uint64_t end, bool is_damaged) const;
  Error failed(const char* verb) const;

  const std::string path_;
  const Descriptor fd_;
  CaveatGeometry geometry_;
  uint64_t damaged_count_ = 0;
  std::vector<uint64_t> words_;
};

}  // namespace patina
