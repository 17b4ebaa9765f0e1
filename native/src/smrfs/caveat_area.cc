// Fences what was released, and what is in front of it.
#include "smrfs/caveat_area.h"

#include <fmt/format.h>

namespace patina {

CaveatArea::CaveatArea(std::unique_ptr<CaveatDisk> disk, const PlacementPolicy& policy)
    : disk_(std::move(disk)),
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
  space_.release(extent);
  if (may_be_durable) fenced_.emplace(extent.first, extent.end());
}

bool CaveatArea::contains_any(const Fence& fence, uint64_t first, uint64_t end) {
  auto found = fence.lower_bound(end);
  return found != fence.begin() && std::prev(found)->second > first;
}

bool CaveatArea::is_fenced(const BlockExtent& extent) const {
  const uint64_t end = extent.end() + disk_->modesense().did_sectors;
  const std::lock_guard lock(mutex_);
  return contains_any(fenced_, extent.first, end) || contains_any(committing_, extent.first, end);
}

void CaveatArea::begin_commit() {
  const std::lock_guard lock(mutex_);
  committing_.merge(fenced_);
}

void CaveatArea::end_commit(bool is_durable) {
  const std::lock_guard lock(mutex_);
  if (is_durable) committing_.clear();
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

uint64_t CaveatArea::free_count() const {
  const std::lock_guard lock(mutex_);
  return space_.free_extents().free_count();
}

AreaSpace CaveatArea::space() const {
  const std::lock_guard lock(mutex_);
  const FreeExtents& free = space_.free_extents();
  return {free.blocks_count(), free.free_count(), space_.unusable_count()};
}

}  // namespace patina
