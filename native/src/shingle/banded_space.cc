// The open band first, but not for the cleaner; then the fullest one with room, then an empty one.
#include "shingle/banded_space.h"

#include <algorithm>

namespace patina {

std::vector<BlockExtent> BandedSpace::allocate(uint64_t count, PlacedBy by) {
  std::vector<BlockExtent> taken;
  for (uint64_t left = count; left > 0;) {
    const uint64_t part = std::min(left, band_blocks_);
    const std::optional<uint64_t> band = band_for(part, by);
    if (!band) {
      for (const BlockExtent& each : taken) {
        release(each);
        bands_[band_of(each.first)].cursor = each.first % band_blocks_;
      }
      return {};
    }
    taken.push_back(take(*band, part, by));
    left -= part;
  }
  return taken;
}

std::optional<uint64_t> BandedSpace::band_for(uint64_t count, PlacedBy by) const {
  const auto has_room = [&](uint64_t band) {
    return !bands_[band].is_empty() && band != cleaned_ && room_of(bands_[band]) >= count;
  };
  if (by == PlacedBy::kUser && has_room(open_)) return open_;
  std::optional<uint64_t> fullest;
  std::optional<uint64_t> empty;
  uint64_t empty_count = 0;
  for (uint64_t i = 0; i < bands_.size(); ++i) {
    if (bands_[i].is_empty()) {
      ++empty_count;
      if (!empty) empty = i;
    } else if (has_room(i) && (!fullest || room_of(bands_[i]) < room_of(bands_[*fullest]))) {
      fullest = i;
    }
  }
  if (fullest) return fullest;
  const uint64_t reserved_count = by == PlacedBy::kUser ? 1 : 0;
  return empty_count > reserved_count ? empty : std::nullopt;
}

BlockExtent BandedSpace::take(uint64_t band, uint64_t count, PlacedBy by) {
  Band& each = bands_[band];
  if (each.is_empty()) each.cursor = 0;
  if (cleaned_ == band) cleaned_.reset();
  const BlockExtent taken{band * band_blocks_ + each.cursor, count};
  each.cursor += count;
  each.live_count += count;
  each.placed_at = ++placements_count_;
  live_count_ += count;
  if (by == PlacedBy::kUser) open_ = band;
  return taken;
}

bool BandedSpace::adopt(const BlockExtent& extent) {
  if (extent.count == 0 || extent.end() > blocks_count()) return false;
  if (band_of(extent.first) != band_of(extent.end() - 1)) return false;
  Band& band = bands_[band_of(extent.first)];
  if (extent.count > band_blocks_ - band.live_count) return false;
  band.live_count += extent.count;
  live_count_ += extent.count;
  return true;
}

void BandedSpace::release(const BlockExtent& extent) {
  bands_[band_of(extent.first)].live_count -= extent.count;
  live_count_ -= extent.count;
}

std::optional<uint64_t> BandedSpace::begin_cleaning() {
  cleaned_ = victim();
  if (!cleaned_) cleaned_ = least_filled();
  dead_before_ = dead_count();
  empty_before_ = empty_bands_count();
  return cleaned_;
}

bool BandedSpace::has_gained() const {
  return dead_count() < dead_before_ || empty_bands_count() > empty_before_;
}

// Its blocks then fill what others have left.
std::optional<uint64_t> BandedSpace::least_filled() const {
  std::optional<uint64_t> least;
  uint64_t room = 0;
  for (uint64_t i = 0; i < bands_.size(); ++i) {
    if (bands_[i].is_empty()) continue;
    room += room_of(bands_[i]);
    if (!least || bands_[i].live_count < bands_[*least].live_count) least = i;
  }
  if (!least || room - room_of(bands_[*least]) < bands_[*least].live_count) return std::nullopt;
  return least;
}

std::optional<uint64_t> BandedSpace::victim() const {
  std::optional<uint64_t> best;
  for (uint64_t i = 0; i < bands_.size(); ++i) {
    const Band& band = bands_[i];
    // What is open, empty or without a dead block gives nothing back.
    if (i == open_ || band.is_empty() || band.live_count == band.cursor) continue;
    if (!best || benefit_of(band) > benefit_of(bands_[*best])) best = i;
  }
  if (best) return best;
  const Band& open = bands_[open_];
  return open.is_empty() || open.live_count == open.cursor ? std::nullopt : std::optional(open_);
}

double BandedSpace::benefit_of(const Band& band) const {
  const double live = static_cast<double>(band.live_count) / static_cast<double>(band_blocks_);
  const auto age = static_cast<double>(placements_count_ - band.placed_at + 1);
  switch (policy_.choice) {
    case CleaningChoice::kGreedy:
      return 1 - live;
    case CleaningChoice::kCostBenefit:
      return (1 - live) * age / (1 + live);
    case CleaningChoice::kOldest:
      return age;
  }
  return 0;
}

uint64_t BandedSpace::dead_count() const {
  uint64_t count = 0;
  for (const Band& band : bands_) {
    if (!band.is_empty()) count += band.cursor - band.live_count;
  }
  return count;
}

uint64_t BandedSpace::empty_bands_count() const {
  return static_cast<uint64_t>(std::ranges::count_if(bands_, &Band::is_empty));
}

}  // namespace patina
