// Calls that need no disk first, then those of its interface.
#include "shingle_server/disk_calls.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <nlohmann/json.hpp>

namespace patina {
namespace {

// The map and the cursors are in memory too: 512 MiB and 128 MiB.
constexpr uint64_t kMostSectors = uint64_t{1} << 32U;
constexpr uint64_t kMostBands = uint64_t{1} << 24U;

template <typename Disk>
Result<std::unique_ptr<InterfaceCalls>> calls_or_error(Result<std::unique_ptr<Disk>> disk) {
  if (!disk) return disk.error();
  return calls_of(std::move(*disk));
}

}  // namespace

Status DiskCalls::open_made() {
  const std::lock_guard lock(mutex_);
  if (::access(state_.c_str(), F_OK) != 0) return ok_status();
  Result<std::unique_ptr<InterfaceCalls>> disk = StrictAppendDisk::has_state(state_)
                                                     ? calls_or_error(StrictAppendDisk::open(data_, state_))
                                                     : calls_or_error(CaveatDisk::open(data_, state_));
  if (!disk) return disk.error();
  disk_ = std::move(*disk);
  return ok_status();
}

Result<CallAnswer> DiskCalls::answer(const nlohmann::json& request, std::span<const uint8_t> data) {
  for (const auto& [key, value] : request.items()) {
    if (value.is_structured())
      return Error{ErrorCode::kUsage, "the values of a request are numbers and texts"};
  }
  CallReader reader(request, data);
  const std::lock_guard lock(mutex_);
  if (reader.type().empty()) return reader.settle(/*takes_data=*/true).error();
  if (reader.type() == "create") return create(reader);
  if (disk_ == nullptr) {
    return Error{ErrorCode::kBackingInvalid,
                 fmt::format("'{}' does not exist: make the disk first, by \"create\"", state_)};
  }
  if (reader.type() == "modesense" || reader.type() == "open") {
    if (Status status = reader.settle(); !status) return status.error();
    return CallAnswer{disk_->modesense(), {}};
  }
  if (reader.type() == "flush") {
    if (Status status = reader.settle(); !status) return status.error();
    if (Status status = disk_->flush(); !status) return status.error();
    return CallAnswer{done_answer(), {}};
  }
  return disk_->call(reader);
}

Status DiskCalls::flush() {
  const std::lock_guard lock(mutex_);
  return disk_ == nullptr ? ok_status() : disk_->flush();
}

Result<CallAnswer> DiskCalls::create(CallReader& request) {
  constexpr std::array<const char*, 2> kInterfaces = {"caveat", "strict-append"};
  const DiskInterface interface =
      request.fields().has("interface")
          ? static_cast<DiskInterface>(request.fields().choice("interface", kInterfaces))
          : made_.interface;
  Result<std::unique_ptr<InterfaceCalls>> disk =
      interface == DiskInterface::kCaveat ? create_caveat(request) : create_append(request);
  if (!disk) return disk.error();
  disk_ = std::move(*disk);
  return CallAnswer{disk_->modesense(), {}};
}

Result<std::unique_ptr<InterfaceCalls>> DiskCalls::create_caveat(CallReader& request) const {
  const Result<CaveatGeometry> usual = caveat_geometry(made_, data_);
  if (!usual) return usual.error();
  SpecReader& fields = request.fields();
  const CaveatGeometry geometry{
      .sectors_count = fields.integer("sectors_count", 0, kMostSectors, usual->sectors_count),
      .did_sectors = fields.integer("did_sectors", 0, kMostSectors, usual->did_sectors),
      .dnor_sectors = fields.integer("dnor_sectors", 0, kMostSectors, usual->dnor_sectors),
      .unshingled_sectors = fields.integer("unshingled_sectors", 0, kMostSectors, usual->unshingled_sectors)};
  constexpr std::array<const char*, 2> kUnwritten = {"error", "zeroes"};
  const Unwritten unwritten = fields.has("unwritten")
                                  ? static_cast<Unwritten>(fields.choice("unwritten", kUnwritten))
                                  : made_.unwritten;
  if (Status status = request.settle(); !status) return status.error();
  return calls_or_error(CaveatDisk::create(data_, state_, geometry, unwritten));
}

Result<std::unique_ptr<InterfaceCalls>> DiskCalls::create_append(CallReader& request) const {
  SpecReader& fields = request.fields();
  BandGeometry usual;
  // A request that says all of it may have bands that those options do not allow.
  if (!fields.has("bands_count") || !fields.has("band_sectors") || !fields.has("gap_sectors")) {
    const Result<BandGeometry> found = band_geometry(made_, data_);
    if (!found) return found.error();
    usual = *found;
  }
  const BandGeometry geometry{
      .bands_count = fields.integer("bands_count", 0, kMostBands, usual.bands_count),
      .band_sectors = fields.integer("band_sectors", 0, kMostSectors, usual.band_sectors),
      .gap_sectors = fields.integer("gap_sectors", 0, kMostSectors, usual.gap_sectors)};
  if (Status status = request.settle(); !status) return status.error();
  return calls_or_error(StrictAppendDisk::create(data_, state_, geometry));
}

}  // namespace patina
