// Fences bands: a reset changes all that is in one.
#include "area/append_area.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace patina {

AppendArea::AppendArea(std::unique_ptr<StrictAppendDisk> disk, const CleaningPolicy& policy,
                       uint64_t clean_below)
    : disk_(std::move(disk)),
      clean_below_(clean_below),
      space_(disk_->modesense().bands_count, disk_->modesense().band_sectors, policy),
      fenced_(space_.bands_count()),
      committing_(space_.bands_count()) {
  for (uint64_t band = 0; band < space_.bands_count(); ++band) placing_.push_back(band);
  read_cursors();
}

void AppendArea::read_cursors() {
  for (const uint64_t band : placing_) {
    if (const Result<uint64_t> cursor = disk_->get(band)) space_.set_cursor(band, *cursor);
  }
  placing_.clear();
}

std::vector<BlockExtent> AppendArea::in_bands(const BlockExtent& extent) const {
  std::vector<BlockExtent> parts;
  for (uint64_t first = extent.first; first < extent.end();) {
    const uint64_t end = std::min(extent.end(), (space_.band_of(first) + 1) * space_.band_blocks());
    parts.push_back({first, end - first});
    first = end;
  }
  return parts;
}

Status AppendArea::adopt(const BlockExtent& extent, uint64_t inode) {
  const std::lock_guard lock(mutex_);
  const bool is_on_disk = extent.end() <= space_.blocks_count();
  for (const BlockExtent& each : is_on_disk ? in_bands(extent) : std::vector{extent}) {
    if (is_on_disk && adopt_in_band(each, inode)) continue;
    return Error{ErrorCode::kBackingInvalid,
                 fmt::format("blocks {} to {} are not on the shingled disk, are not written, or belong to "
                             "another file",
                             extent.first, extent.end() - 1)};
  }
  return ok_status();
}

bool AppendArea::adopt_in_band(const BlockExtent& extent, uint64_t inode) {
  const auto behind = owned_.lower_bound(extent.first);
  if (behind != owned_.end() && behind->first < extent.end()) return false;
  if (behind != owned_.begin()) {
    const auto& [first, before] = *std::prev(behind);
    if (first + before.count > extent.first) return false;
  }
  const Result<uint64_t> cursor = disk_->get(space_.band_of(extent.first));
  if (!cursor || (extent.end() - 1) % space_.band_blocks() >= *cursor || !space_.adopt(extent)) return false;
  owned_[extent.first] = {extent.count, inode};
  return true;
}

std::vector<BlockExtent> AppendArea::allocate(uint64_t count, PlacedBy by) {
  const std::lock_guard lock(mutex_);
  read_cursors();
  std::vector<BlockExtent> places = space_.allocate(count, by);
  for (const BlockExtent& each : places) placing_.push_back(space_.band_of(each.first));
  return places;
}

void AppendArea::placed(const std::vector<BlockExtent>& extents, uint64_t inode) {
  const std::lock_guard lock(mutex_);
  for (const BlockExtent& each : extents) owned_[each.first] = {each.count, inode};
}

// A part of what a file has, or several parts of it that were one.
void AppendArea::disown(const BlockExtent& extent) {
  auto found = owned_.upper_bound(extent.first);
  if (found != owned_.begin()) --found;
  while (found != owned_.end() && found->first < extent.end()) {
    const auto [first, owned] = *found;
    const uint64_t end = first + owned.count;
    if (end <= extent.first) {
      ++found;
      continue;
    }
    found = owned_.erase(found);
    if (first < extent.first) owned_[first] = {extent.first - first, owned.inode};
    if (end > extent.end()) owned_[extent.end()] = {end - extent.end(), owned.inode};
  }
}

void AppendArea::release(const BlockExtent& extent, bool may_be_durable) {
  const std::lock_guard lock(mutex_);
  disown(extent);
  for (const BlockExtent& each : in_bands(extent)) {
    space_.release(each);
    if (may_be_durable) fenced_[space_.band_of(each.first)] = true;
  }
}

bool AppendArea::is_fenced(const BlockExtent& extent) const {
  const std::lock_guard lock(mutex_);
  const uint64_t band = space_.band_of(extent.first);
  const bool is_reset = extent.first % space_.band_blocks() == 0;
  return is_reset && (fenced_[band] || committing_[band]);
}

void AppendArea::begin_commit() {
  const std::lock_guard lock(mutex_);
  for (size_t i = 0; i < fenced_.size(); ++i) committing_[i] = committing_[i] || fenced_[i];
  fenced_.assign(fenced_.size(), false);
}

void AppendArea::end_commit(bool is_durable) {
  const std::lock_guard lock(mutex_);
  if (is_durable) committing_.assign(committing_.size(), false);
}

uint64_t AppendArea::place_bytes(uint64_t block) const {
  return disk_->place_bytes(block / space_.band_blocks(), block % space_.band_blocks());
}

uint64_t AppendArea::block_at(uint64_t place_bytes) const {
  const BandGeometry& geometry = disk_->modesense();
  const uint64_t offset_bytes = std::max(place_bytes, geometry.begin_bytes) - geometry.begin_bytes;
  const uint64_t sector = (offset_bytes + kBlockBytes - 1) / kBlockBytes;
  const uint64_t step = geometry.band_sectors + geometry.gap_sectors;
  return sector / step * geometry.band_sectors + std::min(sector % step, geometry.band_sectors);
}

// Dead blocks too: they are free once their band is cleaned.
std::vector<FreePart> AppendArea::free_parts(uint64_t block, size_t most) const {
  const std::lock_guard lock(mutex_);
  std::vector<FreePart> found;
  const auto add = [&](uint64_t first, uint64_t end, bool is_unusable) {
    if (first < end && found.size() < most) found.push_back({{first, end - first}, is_unusable});
  };
  auto next = owned_.upper_bound(block);
  if (next != owned_.begin()) --next;
  while (block < space_.blocks_count() && found.size() < most) {
    while (next != owned_.end() && next->first + next->second.count <= block) ++next;
    const uint64_t end = next == owned_.end() ? space_.blocks_count() : std::max(next->first, block);
    for (const BlockExtent& each : in_bands({block, end - block})) {
      // A band without live blocks is reset when it is used next: it has no dead ones.
      const uint64_t band = space_.band_of(each.first);
      const bool has_live = space_.live_count_of(band) > 0;
      const uint64_t dead_end = has_live ? std::clamp(written_end(band), each.first, each.end()) : each.first;
      add(each.first, dead_end, true);
      add(dead_end, each.end(), false);
    }
    block = next == owned_.end() ? end : next->first + next->second.count;
  }
  return found;
}

uint64_t AppendArea::written_end(uint64_t band) const {
  const Result<uint64_t> cursor = disk_->get(band);
  return band * space_.band_blocks() + (cursor ? *cursor : 0);
}

// What is behind the cursor of its band.
std::vector<BlockExtent> AppendArea::damaged_extents(uint64_t block, size_t most) const {
  const std::lock_guard lock(mutex_);
  std::vector<BlockExtent> found;
  for (uint64_t band = space_.band_of(block); band < space_.bands_count() && found.size() < most; ++band) {
    const uint64_t first = std::max(block, written_end(band));
    const uint64_t end = (band + 1) * space_.band_blocks();
    if (first < end) found.push_back({first, end - first});
  }
  return found;
}

uint64_t AppendArea::together_count(uint64_t block) const {
  return space_.band_blocks() - block % space_.band_blocks();
}

Status AppendArea::write(uint64_t first, std::span<const uint8_t> data) {
  const uint64_t band = first / space_.band_blocks();
  const uint64_t sector = first % space_.band_blocks();
  if (sector == 0) {
    if (Status status = disk_->reset(band); !status) return status;
  }
  const Result<uint64_t> cursor = disk_->get(band);
  if (!cursor) return cursor.error();
  if (*cursor != sector) {
    return Error{ErrorCode::kInternal,
                 fmt::format("a write to sector {} of band {}, whose cursor is {}", sector, band, *cursor)};
  }
  return disk_->write(band, data);
}

Status AppendArea::read(uint64_t first, std::span<uint8_t> data) {
  const BlockExtent all{first, data.size() / kBlockBytes};
  for (const BlockExtent& each : in_bands(all)) {
    const std::span<uint8_t> part =
        data.subspan((each.first - first) * kBlockBytes, each.count * kBlockBytes);
    const uint64_t sector = each.first % space_.band_blocks();
    if (Status status = disk_->read(space_.band_of(each.first), sector, part); !status) return status;
  }
  return ok_status();
}

Status AppendArea::flush() {
  return disk_->flush();
}

// What is not written cannot be adopted.
Status AppendArea::check_sound(const BlockExtent& /*extent*/) const {
  return ok_status();
}

std::optional<DataArea::Cleaning> AppendArea::begin_cleaning() {
  const std::lock_guard lock(mutex_);
  const std::optional<uint64_t> band = space_.begin_cleaning();
  if (!band) return std::nullopt;
  Cleaning found{.part = {*band * space_.band_blocks(), space_.band_blocks()}, .inodes = {}};
  std::set<uint64_t> seen;
  auto each = owned_.upper_bound(found.part.first);
  if (each != owned_.begin()) --each;
  for (; each != owned_.end() && each->first < found.part.end(); ++each) {
    if (each->first + each->second.count <= found.part.first) continue;
    if (seen.insert(each->second.inode).second) found.inodes.push_back(each->second.inode);
  }
  return found;
}

bool AppendArea::has_gained() const {
  const std::lock_guard lock(mutex_);
  return space_.has_gained();
}

bool AppendArea::should_clean() const {
  const std::lock_guard lock(mutex_);
  return space_.empty_bands_count() < clean_below_ && space_.has_dead();
}

uint64_t AppendArea::free_count() const {
  const std::lock_guard lock(mutex_);
  const uint64_t most = space_.blocks_count() - space_.band_blocks();  // a band is the cleaner's
  return most - std::min(most, space_.live_count());
}

AreaSpace AppendArea::space() const {
  const std::lock_guard lock(mutex_);
  const uint64_t free_count = space_.blocks_count() - space_.live_count();
  return {.blocks_count = space_.blocks_count(),
          .free_count = free_count,
          .unusable_count = space_.dead_count(),
          .unavailable_count = std::min(free_count, space_.band_blocks())};
}

}  // namespace patina
