// The calls of Caveat-Scriptor: those of the thesis (Singh, Carnegie Mellon, 2014, section 3.3), and flush.
#include <nlohmann/json.hpp>

#include "shingle_server/interface_calls.h"

namespace patina {
namespace {

using Json = nlohmann::ordered_json;

constexpr uint64_t kMostRuns = 1000;  // of an answer, whose line stays short

class CaveatCalls final : public InterfaceCalls {
 public:
  explicit CaveatCalls(std::unique_ptr<CaveatDisk> disk) : disk_(std::move(disk)) {}

  Json modesense() const override {
    const CaveatGeometry& geometry = disk_->modesense();
    Json fields = done_answer();
    fields.update(Json{{"interface", "caveat"},
                       {"sector_bytes", CaveatGeometry::kSectorBytes},
                       {"most_data_bytes", CallReader::kMostDataBytes},
                       {"sectors_count", geometry.sectors_count},
                       {"did_sectors", geometry.did_sectors},
                       {"dnor_sectors", geometry.dnor_sectors},
                       {"unshingled_sectors", geometry.unshingled_sectors},
                       {"damaged_sectors_count", disk_->damaged_count()}});
    return fields;
  }

  Result<CallAnswer> call(CallReader& request) override {
    if (request.type() == "read") return read(request);
    if (request.type() == "write") return write(request);
    if (request.type() == "dump") return dump(request);
    if (request.type() == "position") return position(request);
    return unknown_call(request.type(),
                        "create, open, modesense, read, write, flush, dump, position: the disk has the "
                        "interface caveat");
  }

  Status flush() override { return disk_->flush(); }

 private:
  Result<CallAnswer> read(CallReader& request) {
    const uint64_t sector = request.fields().integer("sector", 0, UINT64_MAX);
    CallAnswer answer{done_answer(), buffer_of(request, CaveatGeometry::kSectorBytes)};
    if (Status status = request.settle(); !status) return status.error();
    if (Status status = disk_->read(sector, answer.data); !status) return status.error();
    return answer;
  }

  Result<CallAnswer> write(CallReader& request) {
    const uint64_t sector = request.fields().integer("sector", 0, UINT64_MAX);
    if (Status status = request.settle(/*takes_data=*/true); !status) return status.error();
    if (Status status = disk_->write(sector, request.data()); !status) return status.error();
    return CallAnswer{done_answer(), {}};
  }

  Result<CallAnswer> dump(CallReader& request) {
    const uint64_t sector = request.fields().integer("sector", 0, UINT64_MAX, 0);
    const uint64_t most = request.fields().integer("runs_count", 1, kMostRuns, kMostRuns);
    if (Status status = request.settle(); !status) return status.error();
    Json runs = Json::array();
    for (const BlockExtent& run : disk_->dump(sector, most)) runs.push_back({run.first, run.count});
    Json fields = done_answer();
    fields["runs"] = std::move(runs);
    return CallAnswer{std::move(fields), {}};
  }

  Result<CallAnswer> position(CallReader& request) {
    if (Status status = request.settle(); !status) return status.error();
    Json fields = done_answer();
    fields["sector"] = disk_->position();
    return CallAnswer{std::move(fields), {}};
  }

  const std::unique_ptr<CaveatDisk> disk_;
};

}  // namespace

std::unique_ptr<InterfaceCalls> calls_of(std::unique_ptr<CaveatDisk> disk) {
  return std::make_unique<CaveatCalls>(std::move(disk));
}

}  // namespace patina
