// Where the sectors of a rotating disk are: cylinder, head and angle.
#pragma once

#include <cstdint>
#include <vector>

#include "disk_model/disk_spec.h"

namespace patina {

struct SectorPlace {
  uint32_t cylinder = 0;
  uint32_t head = 0;
  uint32_t track_sector = 0;   // of its track, in the order of numbers
  uint32_t track_sectors = 0;  // of the track
  uint64_t angle_ns = 0;       // of its start, as the time that the disk takes to turn there from angle 0
};

// Sectors are numbered along a track, then by heads, then by cylinders from the outermost. Each track starts
// later than the one before by the skew, so that a transfer across both waits for the switch only.
class Geometry {
 public:
  explicit Geometry(const RotatingSpec& spec);

  uint64_t sectors_count() const { return sectors_count_; }
  uint32_t cylinders_count() const { return cylinders_count_; }
  SectorPlace place(uint64_t sector) const;
  // The inverse of place().
  uint64_t sector(uint32_t cylinder, uint32_t head, uint64_t angle_ns) const;
  // Returns how long `count` sectors of one track take to pass, from `place` on.
  uint64_t passing_ns(const SectorPlace& place, uint64_t count) const;

 private:
  struct Zone {
    uint64_t first_sector;
    uint32_t first_cylinder;
    uint32_t track_sectors;
  };
  uint64_t track_angle_ns(uint32_t cylinder, uint32_t head) const;

  uint64_t revolution_ns_;
  uint64_t track_skew_ns_;
  uint64_t cylinder_skew_ns_;
  uint32_t heads_count_;
  uint32_t cylinders_count_ = 0;
  uint64_t sectors_count_ = 0;
  std::vector<Zone> zones_;
};

}  // namespace patina
