// Adopts what the files have into an empty area, as a mount does.
#include "smrfs/check.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/run_tool.h"
#include "smrfs/scan.h"

namespace patina {
namespace {

class Check {
 public:
  Check(DataArea& area, size_t prefix_length, EventSink& sink)
      : area_(area), prefix_length_(prefix_length), sink_(sink) {}

  void file(const ScannedFile& found) {
    ++files_count_;
    for (const BlockExtent& each : found.extents.map.places()) {
      ++extents_count_;
      Status status = area_.adopt(each, found.identity.inode);
      if (status) status = area_.check_sound(each);
      if (status) continue;
      ++problems_count_;
      sink_.emit({{"type", "problem"},
                  {"path", found.path.substr(prefix_length_)},
                  {"message", status.error().message}});
      return;
    }
  }

  Status end() const {
    const AreaSpace space = area_.space();
    sink_.emit({{"type", "summary"},
                {"command", "shingle check"},
                {"files_count", files_count_},
                {"extents_count", extents_count_},
                {"problems_count", problems_count_},
                {"total_blocks", space.blocks_count},
                {"free_blocks", space.free_count},
                {"unusable_blocks", space.unusable_count},
                {"allocated_blocks", space.blocks_count - space.free_count}});
    if (problems_count_ == 0) return ok_status();
    return Error{ErrorCode::kBackingInvalid,
                 fmt::format("{} of {} files cannot be read as they are: restore them from a copy",
                             problems_count_, files_count_)};
  }

 private:
  DataArea& area_;
  const size_t prefix_length_;
  EventSink& sink_;
  uint64_t files_count_ = 0;
  uint64_t extents_count_ = 0;
  uint64_t problems_count_ = 0;
};

}  // namespace

Status run_smr_check(const SmrCheckOptions& options, EventSink& sink, const std::atomic<bool>& stop) {
  sink.emit(hello_event("shingle check"));
  SmrPlace place = options.place;
  const Result<std::optional<SmrDevice>> device = open_place(place, true);
  if (!device) return device.error();
  if (!place.device.empty()) {
    // With -n it changes nothing, and the mount is read-only.
    if (Status status = run_tool({"e2fsck", "-fn", place.device}); !status) return status;
  }
  const Result<std::unique_ptr<DataArea>> area = open_area(place.disk);
  if (!area) return area.error();
  Check check(**area, place.metadata.size() + 1, sink);
  const Status scanned = scan_extents(place.metadata, SizeRepair::kNone, [&](const ScannedFile& found) {
    if (stop) return Status(Error{ErrorCode::kCanceled, "stopped before all files were checked"});
    check.file(found);
    return ok_status();
  });
  return scanned ? check.end() : scanned;
}

}  // namespace patina
