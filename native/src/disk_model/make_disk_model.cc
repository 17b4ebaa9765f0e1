// Makes the disk that a model describes.
#include <fmt/format.h>

#include <utility>

#include "base/in_bytes.h"
#include "base/random.h"
#include "disk_model/disk_model.h"
#include "disk_model/disk_spec.h"
#include "disk_model/flash_disk.h"
#include "disk_model/raid.h"
#include "disk_model/rotating_disk.h"

namespace patina {
namespace {

// `disks_count`: how many share the memory of one.
std::unique_ptr<DiskModel> make_disk(const ModelSpec& spec, uint64_t phase, uint64_t seed,
                                     uint32_t disks_count) {
  if (const auto* rotating = std::get_if<RotatingSpec>(&spec.disk)) {
    return std::make_unique<RotatingDisk>(*rotating, phase % rotating->revolution_ns);
  }
  if (const auto* flash = std::get_if<FlashSpec>(&spec.disk)) {
    return std::make_unique<FlashDisk>(*flash, spec.capacity_bytes, seed, kMaxSampledUnits / disks_count);
  }
  const auto& raid = std::get<RaidSpec>(spec.disk);
  Random random(seed);
  std::vector<std::unique_ptr<DiskModel>> members;
  for (uint32_t i = 0; i < raid.members_count; ++i) {
    const uint64_t member_phase = raid.synchronized_spindles ? phase : random.next();
    members.push_back(make_disk(*raid.member, member_phase, random.next(), raid.members_count));
  }
  return std::make_unique<Raid>(raid, std::move(members));
}

}  // namespace

Result<std::unique_ptr<DiskModel>> make_disk_model(const ModelSpec& spec, uint64_t size_bytes,
                                                   uint64_t seed) {
  if (size_bytes > spec.capacity_bytes) {
    return Error{
        ErrorCode::kModelInvalid,
        fmt::format("the emulated disk of {} is larger than the modelled disk {}, which has {}. Choose a "
                    "smaller size or another model",
                    exactly_bytes(size_bytes), spec.name, exactly_bytes(spec.capacity_bytes))};
  }
  return make_disk(spec, Random(seed).next(), seed, /*disks_count=*/1);
}

}  // namespace patina
