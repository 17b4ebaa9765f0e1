// Disk models for the tests: the built-in ones with other values, and processes that wait for their requests.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "disk_model/builtin.h"
#include "disk_model/disk_spec.h"

namespace patina {

inline nlohmann::json builtin_model(std::string_view name) {
  for (const BuiltinDiskModel& builtin : builtin_disk_models()) {
    if (builtin.name == name) return nlohmann::json::parse(builtin.text);
  }
  ADD_FAILURE() << "no model " << name;
  return {};
}

inline ModelSpec spec_of(const nlohmann::json& document) {
  Result<ModelSpec> spec = parse_model(document.dump());
  EXPECT_TRUE(spec.ok()) << (spec.ok() ? "" : spec.error().message);
  return spec.ok() ? std::move(*spec) : ModelSpec{};
}

inline std::unique_ptr<DiskModel> disk_of(const nlohmann::json& document, uint64_t seed = 1) {
  Result<std::unique_ptr<DiskModel>> disk = make_disk_model(spec_of(document), 4096, seed);
  EXPECT_TRUE(disk.ok()) << (disk.ok() ? "" : disk.error().message);
  return disk.ok() ? std::move(*disk) : nullptr;
}

inline nlohmann::json raid_of(uint32_t level, uint32_t members, const nlohmann::json& member,
                              bool synchronized = true) {
  return {{"name", "raid"},       {"label", "RAID"},          {"description", "of a test"},
          {"source", "the test"}, {"kind", "raid"},           {"level", level},
          {"chunk_bytes", 65536}, {"members_count", members}, {"synchronized_spindles", synchronized},
          {"member", member}};
}

// A small disk whose zones differ: 2 heads, 30 cylinders, 7 to 12 sectors a track.
inline nlohmann::json small_rotating() {
  nlohmann::json model = builtin_model("hitachi-80gb");
  model.erase("capacity_bytes");
  model.erase("queue");
  model["name"] = "small";
  model["heads_count"] = 3;
  model["zones"] = {{{"cylinders_count", 10}, {"track_sectors", 12}},
                    {{"cylinders_count", 5}, {"track_sectors", 9}},
                    {{"cylinders_count", 15}, {"track_sectors", 7}}};
  return model;
}

// 64 MiB, of which every unit is in the sample.
inline nlohmann::json small_flash() {
  nlohmann::json model = builtin_model("flash-sata");
  model["name"] = "small";
  model["capacity_bytes"] = 64 << 20U;
  model["block_pages_count"] = 16;
  return model;
}

struct Load {
  DiskRequest::Kind kind = DiskRequest::Kind::kRead;
  bool is_random = true;
  uint32_t processes_count = 1;
  uint32_t requests_count = 20'000;
  uint64_t request_bytes = 4096;
};

// Processes that each wait for their request before the next. Returns requests a second.
inline double requests_per_s(DiskModel& disk, uint64_t capacity_bytes, const Load& load, uint64_t seed) {
  Random random(seed);
  const uint64_t places = capacity_bytes / load.request_bytes;
  std::vector<uint64_t> free_ns(load.processes_count);
  std::vector<uint64_t> next(load.processes_count);
  for (uint64_t& place : next) place = random.next() % (places / 2);
  uint64_t last_ns = 0;
  for (uint32_t i = 0; i < load.requests_count; ++i) {
    const auto process = std::min_element(free_ns.begin(), free_ns.end());
    uint64_t& place = next[static_cast<size_t>(process - free_ns.begin())];
    place = load.is_random ? random.next() % places : place + 1;
    *process = disk.end_ns({load.kind, place * load.request_bytes, load.request_bytes}, *process);
    last_ns = std::max(last_ns, *process);
  }
  return load.requests_count / (static_cast<double>(last_ns) / 1e9);
}

}  // namespace patina
