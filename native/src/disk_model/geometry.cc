// Angles are whole nanoseconds, so that a disk turns the same on every machine.
#include "disk_model/geometry.h"

#include <algorithm>
#include <cassert>

namespace patina {

Geometry::Geometry(const RotatingSpec& spec)
    : revolution_ns_(spec.revolution_ns),
      track_skew_ns_(spec.track_skew_ns),
      cylinder_skew_ns_(spec.cylinder_skew_ns),
      heads_count_(spec.heads_count) {
  for (const ZoneSpec& zone : spec.zones) {
    zones_.push_back({sectors_count_, cylinders_count_, zone.track_sectors});
    sectors_count_ += uint64_t{zone.cylinders_count} * zone.track_sectors * heads_count_;
    cylinders_count_ += zone.cylinders_count;
  }
}

uint64_t Geometry::track_angle_ns(uint32_t cylinder, uint32_t head) const {
  const uint64_t head_switches = uint64_t{cylinder} * (heads_count_ - 1) + head;
  return (head_switches * track_skew_ns_ + cylinder * cylinder_skew_ns_) % revolution_ns_;
}

SectorPlace Geometry::place(uint64_t sector) const {
  assert(sector < sectors_count_);
  const auto after =
      std::upper_bound(zones_.begin(), zones_.end(), sector,
                       [](uint64_t value, const Zone& zone) { return value < zone.first_sector; });
  const Zone& zone = *(after - 1);
  const uint64_t within = sector - zone.first_sector;
  const uint64_t track = within / zone.track_sectors;
  SectorPlace place;
  place.track_sectors = zone.track_sectors;
  place.track_sector = static_cast<uint32_t>(within % zone.track_sectors);
  place.cylinder = zone.first_cylinder + static_cast<uint32_t>(track / heads_count_);
  place.head = static_cast<uint32_t>(track % heads_count_);
  const uint64_t from_track_start = place.track_sector * revolution_ns_ / zone.track_sectors;
  place.angle_ns = from_track_start + track_angle_ns(place.cylinder, place.head);
  if (place.angle_ns >= revolution_ns_) place.angle_ns -= revolution_ns_;
  return place;
}

uint64_t Geometry::sector(uint32_t cylinder, uint32_t head, uint64_t angle_ns) const {
  assert(cylinder < cylinders_count_ && head < heads_count_ && angle_ns < revolution_ns_);
  const auto after =
      std::upper_bound(zones_.begin(), zones_.end(), cylinder,
                       [](uint32_t value, const Zone& zone) { return value < zone.first_cylinder; });
  const Zone& zone = *(after - 1);
  const uint64_t turned = (angle_ns + revolution_ns_ - track_angle_ns(cylinder, head)) % revolution_ns_;
  // place() rounds down, by less than the length of a sector.
  const uint64_t track_sector = (turned * zone.track_sectors + revolution_ns_ - 1) / revolution_ns_;
  const uint64_t track = uint64_t{cylinder - zone.first_cylinder} * heads_count_ + head;
  return zone.first_sector + track * zone.track_sectors + track_sector % zone.track_sectors;
}

uint64_t Geometry::passing_ns(const SectorPlace& place, uint64_t count) const {
  assert(place.track_sector + count <= place.track_sectors);
  return (place.track_sector + count) * revolution_ns_ / place.track_sectors -
         place.track_sector * revolution_ns_ / place.track_sectors;
}

}  // namespace patina
