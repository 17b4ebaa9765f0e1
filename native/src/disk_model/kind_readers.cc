// The ranges of all values: wide enough for any disk that was built, narrow enough that no sum overflows.
#include "disk_model/kind_readers.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace patina {
namespace {

constexpr double kNsOfUs = 1e3;
constexpr double kNsOfMs = 1e6;
constexpr uint64_t kMiB = 1ULL << 20U;
constexpr uint64_t kMaxCapacityBytes = 1ULL << 50U;
constexpr uint64_t kLeastRate = 100'000;
constexpr uint64_t kMostRate = 1'000'000'000'000;

uint32_t narrow(uint64_t checked) {
  return static_cast<uint32_t>(checked);
}

SeekSpec read_seek(SpecReader reader) {
  SeekSpec seek;
  seek.short_base_us = reader.number("short_base_us", 0, 1e5);
  seek.short_factor_us = reader.number("short_factor_us", 0, 1e4);
  seek.long_base_us = reader.number("long_base_us", 0, 1e5);
  seek.long_factor_us = reader.number("long_factor_us", 0, 1e3);
  seek.long_from_cylinders = narrow(reader.integer("long_from_cylinders", 1, 10'000'000));
  reader.refuse_others();
  return seek;
}

ReadCacheSpec read_read_cache(SpecReader reader) {
  ReadCacheSpec cache;
  cache.segments_count = narrow(reader.integer("segments_count", 1, 1024));
  cache.segment_sectors = reader.integer("segment_bytes", 4096, 64 * kMiB) / kSectorBytes;
  cache.read_ahead = reader.flag("read_ahead", true);
  reader.refuse_others();
  return cache;
}

WriteCacheSpec read_write_cache(SpecReader reader) {
  WriteCacheSpec cache;
  cache.sectors = reader.integer("bytes", 4096, 1024 * kMiB) / kSectorBytes;
  cache.idle_before_drain_ns = reader.time_ns("idle_before_drain_ms", 0, 1e4, kNsOfMs, 20);
  reader.refuse_others();
  return cache;
}

QueueSpec read_queue(SpecReader reader) {
  QueueSpec queue;
  queue.entries_count = narrow(reader.integer("entries_count", 1, 65'536, 160));
  queue.resume_count =
      narrow(reader.integer("resume_count", 0, 65'535, std::min(128U, queue.entries_count - 1)));
  queue.max_merge_bytes = reader.integer("max_merge_bytes", 0, 1024 * kMiB, kMiB / 2);
  queue.unplug_ns = reader.time_ns("unplug_ms", 0, 1e3, kNsOfMs, 3);
  if (queue.resume_count >= queue.entries_count) {
    reader.refuse("resume_count", fmt::format("is {}; it must be less than entries_count, which is {}",
                                              queue.resume_count, queue.entries_count));
  }
  reader.refuse_others();
  return queue;
}

// Returns the capacity of the zones.
uint64_t read_zones(SpecReader& reader, RotatingSpec& disk) {
  constexpr size_t kMaxZones = 1024;
  uint64_t cylinders = 0;
  uint64_t sectors = 0;
  for (SpecReader& zone : reader.list("zones", 1, kMaxZones)) {
    ZoneSpec spec;
    spec.cylinders_count = narrow(zone.integer("cylinders_count", 1, 10'000'000));
    spec.track_sectors = narrow(zone.integer("track_sectors", 1, 65'536));
    zone.refuse_others();
    cylinders += spec.cylinders_count;
    sectors += uint64_t{spec.cylinders_count} * spec.track_sectors * disk.heads_count;
    disk.zones.push_back(spec);
  }
  if (cylinders > 10'000'000) reader.refuse("zones", "have more than 10000000 cylinders together");
  if (sectors > kMaxCapacityBytes / kSectorBytes) reader.refuse("zones", "hold more than 1 PiB");
  return sectors * kSectorBytes;
}

}  // namespace

RotatingSpec read_rotating(SpecReader& reader, uint64_t& capacity_bytes) {
  RotatingSpec disk;
  constexpr uint64_t kMinuteNs = 60'000'000'000;
  disk.revolution_ns = kMinuteNs / reader.integer("rpm", 60, 100'000);
  disk.heads_count = narrow(reader.integer("heads_count", 1, 64));
  const uint64_t zones_bytes = read_zones(reader, disk);
  capacity_bytes = reader.integer("capacity_bytes", kSectorBytes, kMaxCapacityBytes, zones_bytes);
  if (capacity_bytes > zones_bytes) {
    reader.refuse("capacity_bytes", fmt::format("is {}; the zones hold {}", capacity_bytes, zones_bytes));
  }
  capacity_bytes -= capacity_bytes % kSectorBytes;
  disk.seek = read_seek(reader.object("seek"));
  const double head_switch_ms = reader.number("head_switch_ms", 0, 1e3);
  const double cylinder_switch_ms = reader.number("cylinder_switch_ms", 0, 1e3);
  disk.head_switch_ns = reader.time_ns("head_switch_ms", 0, 1e3, kNsOfMs);
  disk.cylinder_switch_ns = reader.time_ns("cylinder_switch_ms", 0, 1e3, kNsOfMs);
  disk.track_skew_ns = reader.time_ns("track_skew_ms", 0, 1e3, kNsOfMs, head_switch_ms) % disk.revolution_ns;
  disk.cylinder_skew_ns =
      reader.time_ns("cylinder_skew_ms", 0, 1e3, kNsOfMs, cylinder_switch_ms) % disk.revolution_ns;
  disk.write_settle_ns = reader.time_ns("write_settle_ms", 0, 1e3, kNsOfMs, 0);
  disk.controller_overhead_ns = reader.time_ns("controller_overhead_us", 0, 1e6, kNsOfUs);
  disk.bus_bytes_per_s = reader.integer("bus_bytes_per_s", kLeastRate, kMostRate);
  if (reader.has("read_cache")) disk.read_cache = read_read_cache(reader.object("read_cache"));
  if (reader.has("write_cache")) disk.write_cache = read_write_cache(reader.object("write_cache"));
  if (reader.has("queue")) disk.queue = read_queue(reader.object("queue"));
  return disk;
}

FlashSpec read_flash(SpecReader& reader, uint64_t& capacity_bytes) {
  FlashSpec disk;
  capacity_bytes = reader.integer("capacity_bytes", kMiB, kMaxCapacityBytes);
  disk.channels_count = narrow(reader.integer("channels_count", 1, 64));
  disk.channel_dies_count = narrow(reader.integer("channel_dies_count", 1, 64));
  disk.page_bytes = reader.integer("page_bytes", 512, kMiB);
  disk.mapping_unit_bytes =
      reader.integer("mapping_unit_bytes", 512, kMiB, std::min<uint64_t>(disk.page_bytes, 4096));
  disk.block_pages_count = narrow(reader.integer("block_pages_count", 1, 65'536));
  disk.over_provisioning_fraction = reader.number("over_provisioning_fraction", 0.01, 4);
  disk.page_read_ns = reader.time_ns("page_read_us", 0, 1e6, kNsOfUs);
  disk.page_program_ns = reader.time_ns("page_program_us", 0, 1e6, kNsOfUs);
  disk.block_erase_ns = reader.time_ns("block_erase_ms", 0, 1e3, kNsOfMs);
  disk.channel_bytes_per_s = reader.integer("channel_bytes_per_s", kLeastRate, kMostRate);
  disk.bus_bytes_per_s = reader.integer("bus_bytes_per_s", kLeastRate, kMostRate);
  disk.controller_overhead_ns = reader.time_ns("controller_overhead_us", 0, 1e6, kNsOfUs, 0);
  disk.latency_ns = reader.time_ns("latency_us", 0, 1e6, kNsOfUs, 0);
  disk.write_buffer_bytes = reader.integer("write_buffer_bytes", 0, 1024 * kMiB, 0);
  disk.power_loss_protection = reader.flag("power_loss_protection", false);
  if (disk.page_bytes % disk.mapping_unit_bytes != 0) {
    reader.refuse("mapping_unit_bytes", fmt::format("is {}; it must divide page_bytes, which is {}",
                                                    disk.mapping_unit_bytes, disk.page_bytes));
  }
  if (!std::has_single_bit(disk.mapping_unit_bytes)) {
    reader.refuse("mapping_unit_bytes",
                  fmt::format("is {}; it must be a power of two", disk.mapping_unit_bytes));
  }
  capacity_bytes -= capacity_bytes % disk.mapping_unit_bytes;
  return disk;
}

RaidSpec read_raid(SpecReader& reader) {
  RaidSpec raid;
  raid.level = narrow(reader.integer("level", 0, 5));
  if (raid.level != 0 && raid.level != 1 && raid.level != 5) {
    reader.refuse("level", fmt::format("is {}; it must be 0, 1 or 5", raid.level));
  }
  raid.members_count = narrow(reader.integer("members_count", raid.level == 5 ? 3 : 1, 64));
  raid.chunk_bytes = reader.integer("chunk_bytes", 4096, 64 * kMiB, kMiB / 2);
  if (!std::has_single_bit(raid.chunk_bytes)) {
    reader.refuse("chunk_bytes", fmt::format("is {}; it must be a power of two", raid.chunk_bytes));
  }
  raid.synchronized_spindles = reader.flag("synchronized_spindles", false);
  return raid;
}

uint64_t raid_capacity_bytes(const RaidSpec& raid, uint64_t member_capacity_bytes) {
  const uint64_t chunks = member_capacity_bytes / raid.chunk_bytes;
  if (raid.level == 0) return chunks * raid.chunk_bytes * raid.members_count;
  if (raid.level == 5) return chunks * raid.chunk_bytes * (raid.members_count - 1);
  return member_capacity_bytes;
}

}  // namespace patina
