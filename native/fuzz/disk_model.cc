// Fuzzes disk models in JSON: one that is accepted makes a disk that ends every request after its arrival.
#include <array>
#include <variant>

#include "base/random.h"
#include "disk_model/disk_spec.h"
#include "fuzzing.h"

namespace {

using patina::DiskRequest;

// Makes a disk that takes little memory and time: a fuzzer makes many.
bool is_small(const patina::ModelSpec& spec) {
  if (const auto* raid = std::get_if<patina::RaidSpec>(&spec.disk)) {
    return raid->members_count <= 8 && is_small(*raid->member);
  }
  if (const auto* disk = std::get_if<patina::RotatingSpec>(&spec.disk)) {
    return disk->read_cache.segment_sectors <= 4096;
  }
  const auto* flash = std::get_if<patina::FlashSpec>(&spec.disk);
  return flash == nullptr || spec.capacity_bytes / flash->mapping_unit_bytes <= 1U << 16U;
}

void use(const patina::ModelSpec& spec, patina::DiskModel& disk) {
  constexpr std::array kKinds = {DiskRequest::Kind::kRead, DiskRequest::Kind::kWrite,
                                 DiskRequest::Kind::kFlush, DiskRequest::Kind::kDiscard};
  patina::Random random(1);
  uint64_t arrival_ns = 0;
  for (int i = 0; i < 60; ++i) {
    DiskRequest request;
    request.kind = kKinds[random.below(kKinds.size())];
    request.offset_bytes = random.next() % spec.capacity_bytes / 512 * 512;
    request.length_bytes =
        std::min<uint64_t>(512ULL * (1 + random.below(64)), spec.capacity_bytes - request.offset_bytes);
    const uint64_t end_ns = disk.end_ns(request, arrival_ns);
    patina::require(end_ns >= arrival_ns, "a request ends after its arrival");
    if (random.coin()) arrival_ns = end_ns;
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const patina::Result<patina::ModelSpec> spec = patina::parse_model(patina::text_of(data, size));
  if (!spec) {
    patina::require(spec.error().code == patina::ErrorCode::kModelInvalid, "the code of a refused model");
    patina::require(!spec.error().message.empty(), "a refused model has a reason");
    return 0;
  }
  patina::require(spec->capacity_bytes > 0, "a model has a capacity");
  if (!is_small(*spec)) return 0;
  const auto disk = patina::make_disk_model(*spec, spec->capacity_bytes, 1);
  patina::require(disk.ok(), "a disk of the whole capacity is made");
  use(*spec, **disk);
  return 0;
}
