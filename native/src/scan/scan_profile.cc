// Chooses the bins of a scanned tree's profile.
#include "scan/scan_profile.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <nlohmann/json.hpp>

namespace patina {
namespace {

using Json = nlohmann::ordered_json;

double count_of(uint64_t files) {
  return static_cast<double>(files);
}

void choose_size_bins(const ScanTally& tally, ScannedProfile& out) {
  const size_t largest = size_tally_of(kMaxFileBytes);
  size_t first = kSizeTalliesCount;
  size_t last = 0;
  for (size_t i = 0; i < kSizeTalliesCount; ++i) {
    if (tally.size[i] == 0) continue;
    if (i > 0) first = std::min(first, i);
    last = std::min(i, largest);
    if (i > largest) out.oversized_files_count += tally.size[i];
  }
  first = std::min(first, largest);
  if (tally.size[0] > 0) {
    out.size.push_back({0, count_of(tally.size[0])});
    // Adds an empty bin: without it, sizes drawn from the next bin would reach down to 0.
    if (first > 1 && last > 0) out.size.push_back({size_tally_bytes(first - 1), 0});
  }
  for (size_t i = first; i <= last; ++i) {
    const uint64_t files = tally.size[i] + (i == largest ? out.oversized_files_count : 0);
    out.size.push_back({size_tally_bytes(i), count_of(files)});
  }
}

void choose_depth_bins(const ScanTally& tally, ScannedProfile& out) {
  uint32_t deepest = 0;
  uint64_t directories_count = 0;
  for (uint32_t depth = 0; depth <= kMaxDepth; ++depth) {
    if (tally.files_at_depth[depth] > 0 || tally.directories_at_depth[depth] > 0) deepest = depth;
    if (depth > 0) directories_count += tally.directories_at_depth[depth];
  }
  // Reserves room for the directories that rounding up to one adds.
  const uint64_t limit = kMaxDirectoriesCount - kMaxDepth;
  if (directories_count > limit) out.subdirs_scale = count_of(limit) / count_of(directories_count);
  for (uint32_t depth = 0; depth <= deepest; ++depth) {
    // The root is not a subdirectory.
    const double subdirs = depth == 0 ? 0 : count_of(tally.directories_at_depth[depth]) * out.subdirs_scale;
    const double whole = subdirs > 0 ? std::max(1.0, std::floor(subdirs)) : 0;
    out.depth.push_back({depth, count_of(tally.files_at_depth[depth]), static_cast<uint32_t>(whole)});
  }
}

// Returns the tally that ends nearest to an age.
size_t nearest_tally(uint64_t age_ns) {
  const size_t tally = age_tally_of(age_ns);
  if (tally == 0) return 0;
  const bool below = age_ns - age_tally_ns(tally - 1) < age_tally_ns(tally) - age_ns;
  return below ? tally - 1 : tally;
}

void choose_age_bins(const ScanTally& tally, ScannedProfile& out) {
  const size_t last = age_tally_of(tally.oldest_ns);
  size_t begin = 0;
  for (size_t halvings = kMaxScanAgeBins; halvings-- > 0;) {
    // An edge must be above 0 ns.
    const size_t end = halvings == 0 ? last : std::max<size_t>(nearest_tally(tally.oldest_ns >> halvings), 1);
    if (end < begin || (halvings > 0 && end >= last)) continue;  // the oldest file is only some ns old
    uint64_t files = 0;
    for (size_t i = begin; i <= end; ++i) files += tally.age[i];
    begin = end + 1;
    const uint64_t edge_ns = std::max<uint64_t>(halvings == 0 ? tally.oldest_ns : age_tally_ns(end), 1);
    const AgeBin bin{count_of(edge_ns) / 1e9, count_of(files)};
    // One empty bin suffices for a recent time without new files.
    if (files == 0 && out.age.size() == 1 && out.age.front().fraction == 0) out.age.clear();
    out.age.push_back(bin);
  }
}

}  // namespace

ScannedProfile profile_of(const ScanTally& tally) {
  assert(tally.files_count > 0);
  ScannedProfile profile;
  choose_size_bins(tally, profile);
  choose_depth_bins(tally, profile);
  choose_age_bins(tally, profile);
  return profile;
}

Json profile_json(const ScannedProfile& profile) {
  const auto weight = [](double fraction) { return static_cast<uint64_t>(fraction); };
  Json size = Json::array();
  for (const SizeBin& bin : profile.size) {
    size.push_back({{"bytes", bin.bytes}, {"weight", weight(bin.fraction)}});
  }
  Json depth = Json::array();
  for (const DepthBin& bin : profile.depth) {
    depth.push_back({{"depth", bin.depth}, {"weight", weight(bin.fraction)}, {"subdirs", bin.subdirs_count}});
  }
  Json age = Json::array();
  for (const AgeBin& bin : profile.age) age.push_back({{"age", bin.age}, {"weight", weight(bin.fraction)}});
  return {{"size", std::move(size)}, {"depth", std::move(depth)}, {"age", std::move(age)}};
}

}  // namespace patina
