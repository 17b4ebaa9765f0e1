// Lays a small disk over a larger one in pieces of nearly equal size with equal gaps behind them, so that
// seeks are as long as on the large disk (Kadekodi, Nagarajan, Ganger, Gibson: "Geriatrix: aging what you see
// and what you don't see", USENIX ATC 2018, section 9.3).
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace patina {

class Stretch {
 public:
  // Pieces and gaps are whole multiples of it, but for the end of the last piece.
  static constexpr uint64_t kUnitBytes = 4096;
  static constexpr uint64_t kMostPieces = 16'384;
  static constexpr uint64_t kMostBytes = uint64_t{1} << 60U;  // of the large disk

  // A part of the small disk that is contiguous on the large one.
  struct Piece {
    uint64_t begin_bytes = 0;  // on the small disk
    uint64_t length_bytes = 0;
    uint64_t place_bytes = 0;  // on the large disk
  };

  // No stretch: each byte is at its own place.
  Stretch() = default;
  // Error: kUsage, if the large disk has no room for the small one, or a piece would be empty.
  static Result<Stretch> over(uint64_t disk_bytes, uint64_t large_bytes, uint64_t pieces_count);

  uint64_t pieces_count() const { return pieces_count_; }
  // Of the small disk; `index` is less than pieces_count().
  Piece piece(uint64_t index) const;
  // Returns the piece that has a byte of the small disk. Without a stretch it is all of the disk.
  Piece piece_at(uint64_t offset_bytes) const;

 private:
  uint64_t disk_bytes_ = UINT64_MAX;
  uint64_t disk_units_ = 0;
  uint64_t spare_units_ = 0;   // of the large disk, divided into the gaps
  uint64_t pieces_count_ = 0;  // 0: no stretch
};

// Returns the table for dmsetup(8): a line for each piece, with targets of the kind `linear` over `device`.
std::string device_mapper_table(const Stretch& stretch, const std::string& device);

}  // namespace patina
