// What a model file describes: docs/disk-models.md has each value with its unit and range.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "disk_model/disk_model.h"

namespace patina {

inline constexpr uint64_t kSectorBytes = 512;

struct ZoneSpec {
  uint32_t cylinders_count = 0;
  uint32_t track_sectors = 0;
};

// Ruemmler and Wilkes, "An introduction to disk drive modeling", IEEE Computer 27(3), 1994: a seek over d
// cylinders takes short_base + short_factor * sqrt(d), from long_from on long_base + long_factor * d.
struct SeekSpec {
  double short_base_us = 0;
  double short_factor_us = 0;
  double long_base_us = 0;
  double long_factor_us = 0;
  uint32_t long_from_cylinders = 0;
};

struct ReadCacheSpec {
  uint32_t segments_count = 0;  // 0: no cache
  uint64_t segment_sectors = 0;
  bool read_ahead = false;
};

struct WriteCacheSpec {
  uint64_t sectors = 0;  // 0: written through
  uint64_t idle_before_drain_ns = 0;
};

// The request queue of the operating system, of David (Agrawal et al., ACM TOS 7(4), 2012).
struct QueueSpec {
  uint32_t entries_count = 0;
  uint32_t resume_count = 0;     // a full queue takes requests again when so many are left
  uint64_t max_merge_bytes = 0;  // of a merged request; 0: requests are not merged
  uint64_t unplug_ns = 0;
};

struct RotatingSpec {
  uint64_t revolution_ns = 0;
  uint32_t heads_count = 0;
  std::vector<ZoneSpec> zones;  // from the outermost
  SeekSpec seek;
  uint64_t head_switch_ns = 0;
  uint64_t cylinder_switch_ns = 0;
  uint64_t track_skew_ns = 0;
  uint64_t cylinder_skew_ns = 0;
  uint64_t write_settle_ns = 0;
  uint64_t controller_overhead_ns = 0;
  uint64_t bus_bytes_per_s = 0;
  ReadCacheSpec read_cache;
  WriteCacheSpec write_cache;
  std::optional<QueueSpec> queue;
};

struct FlashSpec {
  uint32_t channels_count = 0;
  uint32_t channel_dies_count = 0;
  uint64_t page_bytes = 0;
  uint64_t mapping_unit_bytes = 0;
  uint32_t block_pages_count = 0;
  double over_provisioning_fraction = 0;
  uint64_t page_read_ns = 0;
  uint64_t page_program_ns = 0;
  uint64_t block_erase_ns = 0;
  uint64_t channel_bytes_per_s = 0;
  uint64_t bus_bytes_per_s = 0;
  uint64_t controller_overhead_ns = 0;  // of each request; one request at a time
  uint64_t latency_ns = 0;              // of each request; requests overlap
  uint64_t write_buffer_bytes = 0;      // 0: a write ends when its pages are programmed
  bool power_loss_protection = false;   // a flush does not wait for the write buffer
};

struct ModelSpec;

struct RaidSpec {
  uint32_t level = 0;  // 0, 1 or 5
  uint32_t members_count = 0;
  uint64_t chunk_bytes = 0;
  bool synchronized_spindles = false;
  std::unique_ptr<ModelSpec> member;
};

struct ModelSpec {
  std::string name;
  std::string label;
  std::string description;
  std::string source;
  const char* kind = "";
  uint64_t capacity_bytes = 0;
  std::variant<RotatingSpec, FlashSpec, RaidSpec> disk;
};

inline constexpr size_t kMaxModelFileBytes = size_t{1} << 20U;

// Error: kModelInvalid, naming the value and its range.
Result<ModelSpec> parse_model(std::string_view text);
// `size_bytes`: of the emulated disk. Equal seeds give equal times. Error: kModelInvalid, when the emulated
// disk is larger than the modelled one.
Result<std::unique_ptr<DiskModel>> make_disk_model(const ModelSpec& spec, uint64_t size_bytes, uint64_t seed);
// Returns the RAID of `disks_count` equal disks, whose spindles turn together. Error: kModelInvalid, for a
// level or a number that is none, or a member that is a RAID.
Result<ModelSpec> raid_of_equals(ModelSpec member, uint32_t level, uint32_t disks_count);
// `model`: the name of a built-in model, or a path. Error: kModelInvalid, naming the file too.
Result<ModelSpec> read_model(const std::string& model);

}  // namespace patina
