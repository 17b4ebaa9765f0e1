// A transfer passes track by track: move, wait for the angle, let the sectors pass.
#include "disk_model/arm.h"

#include <algorithm>
#include <cmath>

namespace patina {

Arm::Arm(const RotatingSpec& spec, uint64_t phase_ns)
    : geometry_(spec),
      seek_(spec.seek),
      revolution_ns_(spec.revolution_ns),
      phase_ns_(phase_ns % spec.revolution_ns),
      head_switch_ns_(spec.head_switch_ns),
      cylinder_switch_ns_(spec.cylinder_switch_ns),
      write_settle_ns_(spec.write_settle_ns) {}

uint64_t Arm::seek_ns(uint32_t cylinders) const {
  if (cylinders == 0) return 0;
  const double us =
      cylinders < seek_.long_from_cylinders
          ? seek_.short_base_us + seek_.short_factor_us * std::sqrt(static_cast<double>(cylinders))
          : seek_.long_base_us + seek_.long_factor_us * cylinders;
  return std::max(static_cast<uint64_t>(us * 1e3), cylinder_switch_ns_);
}

uint64_t Arm::move_to(const SectorPlace& place) {
  uint64_t move_ns = 0;
  if (place.cylinder != cylinder_) {
    move_ns = seek_ns(place.cylinder > cylinder_ ? place.cylinder - cylinder_ : cylinder_ - place.cylinder);
  } else if (place.head != head_) {
    move_ns = head_switch_ns_;
  }
  cylinder_ = place.cylinder;
  head_ = place.head;
  return move_ns;
}

uint64_t Arm::rotation_wait_ns(const SectorPlace& place, uint64_t at_ns) const {
  const uint64_t turned = (at_ns + phase_ns_) % revolution_ns_;
  return place.angle_ns >= turned ? place.angle_ns - turned : place.angle_ns + revolution_ns_ - turned;
}

uint64_t Arm::pass(uint64_t sector, uint64_t count, uint64_t at_ns) {
  while (true) {
    const SectorPlace place = geometry_.place(sector);
    const uint64_t move_ns = move_to(place);
    figures_.seek_ns += move_ns;
    at_ns += move_ns;
    const uint64_t wait_ns = rotation_wait_ns(place, at_ns);
    const uint64_t passing = std::min<uint64_t>(count, place.track_sectors - place.track_sector);
    const uint64_t passing_ns = geometry_.passing_ns(place, passing);
    figures_.rotation_ns += wait_ns;
    figures_.transfer_ns += passing_ns;
    at_ns += wait_ns + passing_ns;
    sector += passing;
    count -= passing;
    if (count == 0) break;
  }
  position_ = sector;
  return at_ns;
}

uint64_t Arm::transfer(uint64_t sector, uint64_t count, uint64_t start_ns) {
  const SectorPlace place = geometry_.place(sector);
  if (place.cylinder != cylinder_) ++figures_.seeks_count;
  return pass(sector, count, start_ns);
}

uint64_t Arm::transfer_written(uint64_t sector, uint64_t count, uint64_t start_ns, uint64_t data_ns) {
  const SectorPlace place = geometry_.place(sector);
  if (place.cylinder != cylinder_) ++figures_.seeks_count;
  uint64_t move_ns = move_to(place);
  if (move_ns > 0) move_ns += write_settle_ns_;
  figures_.seek_ns += move_ns;
  return pass(sector, count, std::max(start_ns + move_ns, data_ns));
}

Arm::Passed Arm::read_on(const Passed& from, uint64_t limit, uint64_t until_ns) {
  Passed now = from;
  while (now.sector < limit && now.at_ns < until_ns) {
    const SectorPlace place = geometry_.place(now.sector);
    const uint32_t cylinder = cylinder_;
    const uint32_t head = head_;
    uint64_t at_ns = now.at_ns + move_to(place);
    at_ns += rotation_wait_ns(place, at_ns);
    if (at_ns >= until_ns) {  // still on the track before
      cylinder_ = cylinder;
      head_ = head;
      break;
    }
    uint64_t passing = std::min<uint64_t>(limit - now.sector, place.track_sectors - place.track_sector);
    if (at_ns + geometry_.passing_ns(place, passing) > until_ns) {
      passing = std::min(passing, (until_ns - at_ns) * place.track_sectors / revolution_ns_);
      while (passing > 0 && at_ns + geometry_.passing_ns(place, passing) > until_ns) --passing;
      now = {now.sector + passing, at_ns + geometry_.passing_ns(place, passing)};
      break;
    }
    now = {now.sector + passing, at_ns + geometry_.passing_ns(place, passing)};
  }
  position_ = now.sector;
  return now;
}

}  // namespace patina
