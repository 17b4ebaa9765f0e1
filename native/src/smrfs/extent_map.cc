// Divides and joins runs; encodes them as differences of variable length.
#include "smrfs/extent_map.h"

#include <algorithm>
#include <utility>

namespace patina {
namespace {

constexpr unsigned kGroupBits = 7;
constexpr uint64_t kGroup = 0x7f;
constexpr uint64_t kMore = 0x80;
constexpr unsigned kMostBits = 64;

void put(std::string& bytes, uint64_t value) {
  for (; value > kGroup; value >>= kGroupBits) bytes.push_back(static_cast<char>((value & kGroup) | kMore));
  bytes.push_back(static_cast<char>(value));
}

// Takes a number from the begin of `bytes`.
std::optional<uint64_t> take(std::string_view& bytes) {
  uint64_t value = 0;
  for (unsigned shift = 0; shift < kMostBits && !bytes.empty(); shift += kGroupBits) {
    const auto byte = static_cast<uint8_t>(bytes.front());
    bytes.remove_prefix(1);
    value |= (byte & kGroup) << shift;
    if ((byte & kMore) == 0) return value;
  }
  return std::nullopt;
}

}  // namespace

ExtentMap::Found ExtentMap::find(uint64_t block) const {
  const auto behind = runs_.upper_bound(block);
  if (behind != runs_.begin()) {
    const auto& [first, place] = *std::prev(behind);
    if (block - first < place.count) {
      return {.place = {place.first + (block - first), place.count - (block - first)}};
    }
  }
  const uint64_t end = behind == runs_.end() ? UINT64_MAX : behind->first;
  return {.is_hole = true, .place = {0, end - block}};
}

void ExtentMap::set(uint64_t block, const BlockExtent& place) {
  erase(block, block + place.count);
  auto run = runs_.emplace(block, place).first;
  if (run != runs_.begin()) {
    const auto before = std::prev(run);
    if (before->first + before->second.count == block && before->second.end() == place.first) {
      before->second.count += place.count;
      runs_.erase(run);
      run = before;
    }
  }
  const auto behind = std::next(run);
  if (behind == runs_.end() || run->first + run->second.count != behind->first) return;
  if (run->second.end() != behind->second.first) return;
  run->second.count += behind->second.count;
  runs_.erase(behind);
}

void ExtentMap::erase(uint64_t block, uint64_t end) {
  auto run = runs_.upper_bound(block);
  if (run != runs_.begin()) --run;
  while (run != runs_.end() && run->first < end) {
    const auto [first, place] = *run;
    const uint64_t run_end = first + place.count;
    if (run_end <= block) {
      ++run;
      continue;
    }
    run = runs_.erase(run);
    if (first < block) runs_.emplace(first, BlockExtent{place.first, block - first});
    if (run_end > end) runs_.emplace(end, BlockExtent{place.first + (end - first), run_end - end});
  }
}

uint64_t ExtentMap::blocks_count() const {
  uint64_t count = 0;
  for (const auto& [first, place] : runs_) count += place.count;
  return count;
}

std::vector<BlockExtent> ExtentMap::places() const {
  std::vector<BlockExtent> found;
  found.reserve(runs_.size());
  for (const auto& [first, place] : runs_) found.push_back(place);
  std::ranges::sort(found, {}, &BlockExtent::first);
  return found;
}

std::vector<BlockExtent> ExtentMap::released_since(const ExtentMap& before) const {
  const std::vector<BlockExtent> kept = places();
  std::vector<BlockExtent> released;
  auto next = kept.begin();
  for (const BlockExtent& old : before.places()) {
    uint64_t from = old.first;
    while (next != kept.end() && next->end() <= from) ++next;
    for (auto part = next; part != kept.end() && part->first < old.end(); ++part) {
      if (part->first > from) released.push_back({from, part->first - from});
      from = std::max(from, part->end());
    }
    if (from < old.end()) released.push_back({from, old.end() - from});
  }
  return released;
}

// Each run: blocks of the hole before it, its length, and the distance of its place from the end of the one
// before, of which the lowest bit is the sign.
std::string ExtentMap::encoded() const {
  std::string bytes;
  uint64_t file_end = 0;
  uint64_t disk_end = 0;
  for (const auto& [first, place] : runs_) {
    put(bytes, first - file_end);
    put(bytes, place.count);
    const bool is_back = place.first < disk_end;
    const uint64_t distance = is_back ? disk_end - place.first : place.first - disk_end;
    put(bytes, (distance << 1U) | (is_back ? 1U : 0U));
    file_end = first + place.count;
    disk_end = place.end();
  }
  return bytes;
}

std::optional<ExtentMap> ExtentMap::decoded(std::string_view bytes) {
  // No file and no disk has more, so that no sum overflows.
  constexpr uint64_t kMostBlocks = uint64_t{1} << 52U;
  ExtentMap map;
  uint64_t file_end = 0;
  uint64_t disk_end = 0;
  while (!bytes.empty()) {
    const std::optional<uint64_t> gap = take(bytes);
    const std::optional<uint64_t> count = take(bytes);
    const std::optional<uint64_t> step = take(bytes);
    if (!gap || !count || !step || *gap > kMostBlocks || *count == 0 || *count > kMostBlocks)
      return std::nullopt;
    const uint64_t distance = *step >> 1U;
    const bool is_back = (*step & 1U) != 0;
    if (distance > (is_back ? disk_end : kMostBlocks)) return std::nullopt;
    const BlockExtent place{is_back ? disk_end - distance : disk_end + distance, *count};
    const uint64_t first = file_end + *gap;
    if (first + *count > kMostBlocks || place.end() > kMostBlocks) return std::nullopt;
    map.runs_.emplace_hint(map.runs_.end(), first, place);
    file_end = first + *count;
    disk_end = place.end();
  }
  return map;
}

}  // namespace patina
