// Piece k of n begins at unit k * units / n of the small disk, k * spare / n units later on the large one:
// both are exact in integers, and grow with k.
#include "disk_model/stretch.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/in_bytes.h"
#include "disk_model/disk_spec.h"

namespace patina {

Result<Stretch> Stretch::over(uint64_t disk_bytes, uint64_t large_bytes, uint64_t pieces_count) {
  if (large_bytes > kMostBytes) return Error{ErrorCode::kUsage, "the larger disk has more than 1 EiB"};
  Stretch stretch;
  stretch.disk_bytes_ = disk_bytes;
  stretch.disk_units_ = (disk_bytes + kUnitBytes - 1) / kUnitBytes;
  stretch.pieces_count_ = pieces_count;
  const uint64_t large_units = large_bytes / kUnitBytes;
  if (large_units < stretch.disk_units_) {
    return Error{ErrorCode::kUsage, fmt::format("a disk of {} cannot be laid over {}: give at least its size",
                                                exactly_bytes(disk_bytes), exactly_bytes(large_bytes))};
  }
  stretch.spare_units_ = large_units - stretch.disk_units_;
  if (pieces_count == 0 || pieces_count > std::min(kMostPieces, stretch.disk_units_)) {
    return Error{ErrorCode::kUsage,
                 fmt::format("a disk of {} cannot be divided into {} pieces: give 1 to {}",
                             in_bytes(disk_bytes), pieces_count, std::min(kMostPieces, stretch.disk_units_))};
  }
  return stretch;
}

Stretch::Piece Stretch::piece(uint64_t index) const {
  const auto begin_bytes = [this](uint64_t k) {
    return std::min(disk_bytes_, k * disk_units_ / pieces_count_ * kUnitBytes);
  };
  const uint64_t begin = begin_bytes(index);
  return {begin, begin_bytes(index + 1) - begin, begin + (index * spare_units_ / pieces_count_ * kUnitBytes)};
}

Stretch::Piece Stretch::piece_at(uint64_t offset_bytes) const {
  if (pieces_count_ == 0) return {0, disk_bytes_, 0};
  // The largest k with k * units / n <= unit.
  const uint64_t unit = offset_bytes / kUnitBytes;
  return piece(((unit + 1) * pieces_count_ - 1) / disk_units_);
}

std::string device_mapper_table(const Stretch& stretch, const std::string& device) {
  std::string table;
  for (uint64_t i = 0; i < stretch.pieces_count(); ++i) {
    const Stretch::Piece piece = stretch.piece(i);
    fmt::format_to(std::back_inserter(table), "{} {} linear {} {}\n", piece.begin_bytes / kSectorBytes,
                   piece.length_bytes / kSectorBytes, device, piece.place_bytes / kSectorBytes);
  }
  return table;
}

}  // namespace patina
