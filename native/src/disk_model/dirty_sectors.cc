// An ordered map of ranges.
#include "disk_model/dirty_sectors.h"

#include <algorithm>
#include <cassert>
#include <iterator>

namespace patina {

void DirtySectors::add(SectorRange range) {
  auto next = ranges_.upper_bound(range.first);
  if (next != ranges_.begin()) {
    const auto before = std::prev(next);
    if (before->second >= range.first) next = before;
  }
  while (next != ranges_.end() && next->first <= range.end) {
    range = {std::min(range.first, next->first), std::max(range.end, next->second)};
    count_ -= next->second - next->first;
    next = ranges_.erase(next);
  }
  ranges_.emplace_hint(next, range.first, range.end);
  count_ += range.end - range.first;
}

bool DirtySectors::contains(SectorRange range) const {
  const auto next = ranges_.upper_bound(range.first);
  return next != ranges_.begin() && std::prev(next)->second >= range.end;
}

void DirtySectors::remove(SectorRange range) {
  auto next = ranges_.upper_bound(range.first);
  if (next != ranges_.begin() && std::prev(next)->second > range.first) --next;
  while (next != ranges_.end() && next->first < range.end) {
    const SectorRange found = {next->first, next->second};
    next = ranges_.erase(next);
    count_ -= found.end - found.first;
    if (found.first < range.first) add({found.first, range.first});
    if (found.end > range.end) add({range.end, found.end});
  }
}

SectorRange DirtySectors::take_next(uint64_t position, uint64_t most) {
  assert(!ranges_.empty());
  auto next = ranges_.lower_bound(position);
  if (next == ranges_.end()) next = ranges_.begin();
  const SectorRange taken = {next->first, std::min(next->second, next->first + most)};
  const uint64_t end = next->second;
  next = ranges_.erase(next);
  if (taken.end < end) ranges_.emplace_hint(next, taken.end, end);
  count_ -= taken.end - taken.first;
  return taken;
}

}  // namespace patina
