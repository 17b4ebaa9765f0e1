// Names have the byte from which on to report.
#include "smrfs/reports.h"

#include <algorithm>
#include <charconv>

namespace patina {
namespace {

constexpr uint64_t kBlockBytes = DataArea::kBlockBytes;

template <typename Record>
std::string bytes_of(const std::vector<Record>& records) {
  return {reinterpret_cast<const char*>(records.data()), records.size() * sizeof(Record)};
}

// The number behind `prefix`, if the name begins with that.
std::optional<uint64_t> number_behind(std::string_view prefix, std::string_view name) {
  if (!name.starts_with(prefix)) return std::nullopt;
  name.remove_prefix(prefix.size());
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(name.begin(), name.end(), number);
  return error == std::errc() && end == name.end() ? std::optional(number) : std::nullopt;
}

}  // namespace

uint64_t device_bytes_of(const DataArea& area) {
  return area.place_bytes(area.space().blocks_count - 1) + kBlockBytes;
}

std::vector<ReportedFree> free_from(const DataArea& area, uint64_t from_bytes, size_t most) {
  std::vector<ReportedFree> found;
  for (const FreePart& each : area.free_parts(area.block_at(from_bytes), most)) {
    const uint64_t begin_bytes = area.place_bytes(each.blocks.first);
    found.push_back({begin_bytes, begin_bytes + each.blocks.count * kBlockBytes, each.is_unusable ? 1U : 0U});
  }
  return found;
}

std::vector<ReportedDamaged> damaged_from(const DataArea& area, uint64_t from_bytes, size_t most) {
  std::vector<ReportedDamaged> found;
  for (const BlockExtent& each : area.damaged_extents(area.block_at(from_bytes), most)) {
    const uint64_t begin_bytes = area.place_bytes(each.first);
    found.push_back({begin_bytes, begin_bytes + each.count * kBlockBytes});
  }
  return found;
}

// Extents of a file may go on where bands of the disk do not.
std::vector<ReportedPlace> places_from(const DataArea& area, const ExtentMap& map, uint64_t from_bytes,
                                       size_t most) {
  std::vector<ReportedPlace> found;
  for (const auto& [first, place] : map.runs()) {
    for (uint64_t done = 0; done < place.count && found.size() < most;) {
      const uint64_t count = std::min(place.count - done, area.together_count(place.first + done));
      const uint64_t logical_bytes = (first + done) * kBlockBytes;
      if (logical_bytes >= from_bytes) {
        found.push_back({logical_bytes, area.place_bytes(place.first + done), count * kBlockBytes});
      }
      done += count;
    }
  }
  return found;
}

bool is_own_attribute(std::string_view name) {
  return name.starts_with("trusted.patina.");
}

Result<std::optional<std::string>> report(SmrVolume& volume, const std::shared_ptr<Node>& node,
                                          std::string_view name) {
  const DataArea& area = volume.area();
  const bool is_root = volume.table().number_of(*node) == NodeTable::kRootNumber;
  if (is_root && name == kReportedSpace) {
    return std::optional(bytes_of(std::vector<ReportedSpace>{{kBlockBytes, device_bytes_of(area)}}));
  }
  if (is_root && name == kReportedCleaned) {
    return std::optional(
        bytes_of(std::vector<ReportedCleaned>{{volume.cleanings_count(), volume.moved_blocks_count(),
                                               static_cast<uint64_t>(volume.cleaning_time().count())}}));
  }
  const std::optional<uint64_t> free = number_behind(kReportedFree, name);
  if (is_root && free) return std::optional(bytes_of(free_from(area, *free, kMostReported)));
  const std::optional<uint64_t> damaged = number_behind(kReportedDamaged, name);
  if (is_root && damaged) return std::optional(bytes_of(damaged_from(area, *damaged, kMostReported)));
  const std::optional<uint64_t> places = number_behind(kReportedPlaces, name);
  if (!node->content || !places) return std::optional<std::string>();
  if (Status status = volume.settle(node); !status) return status.error();
  const std::lock_guard lock(node->mutex);
  return std::optional(bytes_of(places_from(area, node->content->settled().map, *places, kMostReported)));
}

}  // namespace patina
