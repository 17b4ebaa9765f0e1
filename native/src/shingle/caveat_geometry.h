// The size of a Caveat-Scriptor disk, and what its writes damage.
#pragma once

#include <cstdint>

namespace patina {

struct CaveatGeometry {
  static constexpr uint64_t kSectorBytes = 4096;

  uint64_t sectors_count = 0;
  uint64_t did_sectors = 0;  // drive isolation distance: no write damages a sector farther behind it
  // Drive no-overlap range, at most DID: nor a sector so near behind its first one.
  uint64_t dnor_sectors = 0;
  uint64_t unshingled_sectors = 0;  // at the begin of the disk: a write there damages nothing
  uint64_t begin_bytes = 0;         // where the disk begins on the device that keeps its data
  bool operator==(const CaveatGeometry&) const = default;
};

// What sectors hold that were never written.
enum class Unwritten : uint8_t {
  kMaybeDamaged,
  kZeroes,  // as if zeroes had been written to all of them in their order when the disk was made
};

}  // namespace patina
