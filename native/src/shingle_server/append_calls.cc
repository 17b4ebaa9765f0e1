// The calls of strict append (Suresh, Gibson and Ganger, CMU-PDL-12-105), and flush.
#include <array>
#include <nlohmann/json.hpp>

#include "shingle_server/interface_calls.h"

namespace patina {
namespace {

using Json = nlohmann::ordered_json;

constexpr uint64_t kMostCursors = 1000;  // of an answer, whose line stays short
enum class BandAction : uint8_t { kGet, kSet, kReset, kResetAll };
constexpr std::array<const char*, 4> kActions = {"get", "set", "reset", "reset_all"};

class AppendCalls final : public InterfaceCalls {
 public:
  explicit AppendCalls(std::unique_ptr<StrictAppendDisk> disk) : disk_(std::move(disk)) {}

  Json modesense() const override {
    const BandGeometry& geometry = disk_->modesense();
    Json fields = done_answer();
    fields.update(Json{{"interface", "strict-append"},
                       {"sector_bytes", BandGeometry::kSectorBytes},
                       {"most_data_bytes", CallReader::kMostDataBytes},
                       {"bands_count", geometry.bands_count},
                       {"band_sectors", geometry.band_sectors},
                       {"gap_sectors", geometry.gap_sectors}});
    return fields;
  }

  Result<CallAnswer> call(CallReader& request) override {
    if (request.type() == "read") return read(request);
    if (request.type() == "write") return write(request);
    if (request.type() == "managebands") return manage(request);
    return unknown_call(request.type(),
                        "create, open, modesense, read, write, flush, managebands: the disk has the "
                        "interface strict-append");
  }

  Status flush() override { return disk_->flush(); }

 private:
  static uint64_t band_of(CallReader& request) { return request.fields().integer("band", 0, UINT64_MAX); }

  Result<CallAnswer> read(CallReader& request) {
    const uint64_t band = band_of(request);
    const uint64_t sector = request.fields().integer("sector", 0, UINT64_MAX);
    CallAnswer answer{done_answer(), buffer_of(request, BandGeometry::kSectorBytes)};
    if (Status status = request.settle(); !status) return status.error();
    if (Status status = disk_->read(band, sector, answer.data); !status) return status.error();
    return answer;
  }

  // No other call writes in between: they come one at a time.
  Result<CallAnswer> write(CallReader& request) {
    const uint64_t band = band_of(request);
    if (Status status = request.settle(/*takes_data=*/true); !status) return status.error();
    const Result<uint64_t> sector = disk_->get(band);
    if (!sector) return sector.error();
    if (Status status = disk_->write(band, request.data()); !status) return status.error();
    Json fields = done_answer();
    fields["sector"] = *sector;
    return CallAnswer{std::move(fields), {}};
  }

  Result<CallAnswer> manage(CallReader& request) {
    const auto action = static_cast<BandAction>(request.fields().choice("action", kActions));
    if (action == BandAction::kGet) return get(request);
    const uint64_t band = action == BandAction::kResetAll ? 0 : band_of(request);
    const uint64_t cursor =
        action == BandAction::kSet ? request.fields().integer("cursor", 0, UINT64_MAX) : 0;
    if (Status status = request.settle(); !status) return status.error();
    const Status done = action == BandAction::kResetAll ? disk_->reset_all() : disk_->set(band, cursor);
    if (!done) return done.error();
    return CallAnswer{done_answer(), {}};
  }

  Result<CallAnswer> get(CallReader& request) {
    const uint64_t band = band_of(request);
    const uint64_t count = request.fields().integer("bands_count", 1, kMostCursors, 1);
    if (Status status = request.settle(); !status) return status.error();
    Json cursors = Json::array();
    for (uint64_t i = 0; i < count; ++i) {
      const Result<uint64_t> cursor = disk_->get(band + i);
      if (!cursor) return cursor.error();
      cursors.push_back(*cursor);
    }
    Json fields = done_answer();
    fields["cursors"] = std::move(cursors);
    return CallAnswer{std::move(fields), {}};
  }

  const std::unique_ptr<StrictAppendDisk> disk_;
};

}  // namespace

std::unique_ptr<InterfaceCalls> calls_of(std::unique_ptr<StrictAppendDisk> disk) {
  return std::make_unique<AppendCalls>(std::move(disk));
}

}  // namespace patina
