// The mechanism of a rotating disk: seeks, head switches, rotation, and transfers to and from the tracks.
#pragma once

#include <cstdint>

#include "disk_model/disk_spec.h"
#include "disk_model/geometry.h"

namespace patina {

struct ArmFigures {
  uint64_t seeks_count = 0;
  uint64_t seek_ns = 0;  // with head switches
  uint64_t rotation_ns = 0;
  uint64_t transfer_ns = 0;
};

class Arm {
 public:
  // `phase_ns`: how far the disk is turned at time 0.
  Arm(const RotatingSpec& spec, uint64_t phase_ns);

  const Geometry& geometry() const { return geometry_; }
  const ArmFigures& figures() const { return figures_; }
  // The first sector that the arm has not passed in its last transfer.
  uint64_t position() const { return position_; }
  // A seek over 0 cylinders takes no time; none over more is shorter than the switch to the next cylinder.
  uint64_t seek_ns(uint32_t cylinders) const;

  // Transfers sectors; the arm is free from `start_ns`. Written data are there from `data_ns` on. Returns
  // when the last sector has passed.
  uint64_t transfer(uint64_t sector, uint64_t count, uint64_t start_ns);
  uint64_t transfer_written(uint64_t sector, uint64_t count, uint64_t start_ns, uint64_t data_ns);

  struct Passed {
    uint64_t sector = 0;  // the first one that has not passed
    uint64_t at_ns = 0;   // when it was reached
  };
  // Reads on from `from` until `until_ns` or sector `limit`. What it passes is not in figures().
  Passed read_on(const Passed& from, uint64_t limit, uint64_t until_ns);

 private:
  uint64_t move_to(const SectorPlace& place);
  uint64_t rotation_wait_ns(const SectorPlace& place, uint64_t at_ns) const;
  uint64_t pass(uint64_t sector, uint64_t count, uint64_t at_ns);

  Geometry geometry_;
  SeekSpec seek_;
  uint64_t revolution_ns_;
  uint64_t phase_ns_;
  uint64_t head_switch_ns_;
  uint64_t cylinder_switch_ns_;
  uint64_t write_settle_ns_;
  uint32_t cylinder_ = 0;
  uint32_t head_ = 0;
  uint64_t position_ = 0;
  ArmFigures figures_;
};

}  // namespace patina
