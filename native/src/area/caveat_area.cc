// Fences what was released, and what is in front of it.
#include "area/caveat_area.h"

#include <fmt/format.h>

#include <algorithm>

namespace patina {

CaveatArea::CaveatArea(std::unique_ptr<CaveatDisk> disk, const PlacementPolicy& policy, Reuse reuse)
    : disk_(std::move(disk)),
      reuse_(reuse),
      space_(disk_->modesense().sectors_count,
             {.did = disk_->modesense().did_sectors, .dnor = disk_->modesense().dnor_sectors}, policy) {}

Status CaveatArea::adopt(const BlockExtent& extent, uint64_t /*inode*/) {
  const std::lock_guard lock(mutex_);
  if (space_.adopt(extent)) return ok_status();
  return Error{ErrorCode::kBackingInvalid,
               fmt::format("blocks {} to {} are not on the shingled disk, or belong to another file",
                           extent.first, extent.end() - 1)};
}

std::vector<BlockExtent> CaveatArea::allocate(uint64_t count, PlacedBy /*by*/) {
  const std::lock_guard lock(mutex_);
  return space_.allocate(count);
}

void CaveatArea::release(const BlockExtent& extent, bool may_be_durable) {
  const std::lock_guard lock(mutex_);
  if (may_be_durable) fenced_.emplace(extent.first, extent.end());
  if (!may_be_durable || reuse_ == Reuse::kAtOnce) space_.release(extent);
}

bool CaveatArea::contains_any(const Fence& fence, uint64_t first, uint64_t end) {
  auto found = fence.lower_bound(end);
  return found != fence.begin() && std::prev(found)->second > first;
}

bool CaveatArea::is_fenced(const BlockExtent& extent) const {
  const uint64_t end = extent.end() + disk_->modesense().did_sectors;
  const std::lock_guard lock(mutex_);
  if (reuse_ == Reuse::kAfterCommit) return false;  // it is not free, and nothing damages it
  return contains_any(fenced_, extent.first, end) || contains_any(committing_, extent.first, end);
}

uint64_t CaveatArea::count_of(const Fence& fence) {
  uint64_t count = 0;
  for (const auto& [first, end] : fence) count += end - first;
  return count;
}

uint64_t CaveatArea::waiting_count() const {
  return reuse_ == Reuse::kAfterCommit ? count_of(fenced_) + count_of(committing_) : 0;
}

bool CaveatArea::has_waiting() const {
  const std::lock_guard lock(mutex_);
  return reuse_ == Reuse::kAfterCommit && (!fenced_.empty() || !committing_.empty());
}

void CaveatArea::begin_commit() {
  const std::lock_guard lock(mutex_);
  committing_.merge(fenced_);
}

void CaveatArea::end_commit(bool is_durable) {
  const std::lock_guard lock(mutex_);
  if (!is_durable) return;
  if (reuse_ == Reuse::kAfterCommit) {
    for (const auto& [first, end] : committing_) space_.release({first, end - first});
  }
  committing_.clear();
}

uint64_t CaveatArea::place_bytes(uint64_t block) const {
  return disk_->modesense().begin_bytes + block * kBlockBytes;
}

uint64_t CaveatArea::block_at(uint64_t place_bytes) const {
  const uint64_t begin_bytes = disk_->modesense().begin_bytes;
  return (std::max(place_bytes, begin_bytes) - begin_bytes + kBlockBytes - 1) / kBlockBytes;
}

// Extents that have not coalesced yet are one.
std::vector<FreePart> CaveatArea::free_parts(uint64_t block, size_t most) const {
  const std::lock_guard lock(mutex_);
  std::vector<FreePart> found;
  while (const std::optional<BlockExtent> next = space_.free_extents().next(block, 1)) {
    block = next->end();
    if (!found.empty() && found.back().blocks.end() == next->first) {
      found.back().blocks.count += next->count;
    } else if (found.size() == most) {
      break;
    } else {
      found.push_back({*next});
    }
  }
  for (FreePart& each : found) each.is_unusable = each.blocks.count <= disk_->modesense().did_sectors;
  return found;
}

std::vector<BlockExtent> CaveatArea::damaged_extents(uint64_t block, size_t most) const {
  return disk_->dump(block, most);
}

uint64_t CaveatArea::together_count(uint64_t block) const {
  return disk_->modesense().sectors_count - block;
}

Status CaveatArea::write(uint64_t first, std::span<const uint8_t> data) {
  return disk_->write(first, data);
}

Status CaveatArea::read(uint64_t first, std::span<uint8_t> data) {
  if (Status status = disk_->read(first, data); !status) return status;
  const std::lock_guard lock(mutex_);
  space_.accessed(first + data.size() / kBlockBytes);
  return ok_status();
}

Status CaveatArea::flush() {
  return disk_->flush();
}

Status CaveatArea::check_sound(const BlockExtent& extent) const {
  const std::vector<BlockExtent> damaged = disk_->dump(extent.first, 1);
  if (damaged.empty() || damaged[0].first >= extent.end()) return ok_status();
  return Error{ErrorCode::kMaybeDamaged, fmt::format("block {} may be damaged", damaged[0].first)};
}

uint64_t CaveatArea::free_count() const {
  const std::lock_guard lock(mutex_);
  return space_.free_extents().free_count() + waiting_count();
}

AreaSpace CaveatArea::space() const {
  const std::lock_guard lock(mutex_);
  const FreeExtents& free = space_.free_extents();
  const uint64_t unusable_count = space_.unusable_count();
  return {.blocks_count = free.blocks_count(),
          .free_count = free.free_count() + waiting_count(),
          .unusable_count = unusable_count,
          .unavailable_count = unusable_count};
}

}  // namespace patina
