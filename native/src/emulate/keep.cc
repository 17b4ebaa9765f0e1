// A sync, a walk, and a selection on the control socket.
#include "emulate/keep.h"

#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "emulate/control_client.h"
#include "emulate/loop_under_mount.h"
#include "layout/extent_walk.h"
#include "layout/path_globs.h"
#include "layout/settled_mount.h"
#include "layout/space_map.h"

namespace patina {
namespace {

using Json = nlohmann::ordered_json;

// A request has at most 64 KiB, a range at most 43 bytes of it.
constexpr size_t kRangesPerRequest = 1000;
// The most that btrfs compresses together, whose length on the device FIEMAP does not show.
constexpr uint64_t kMostCompressedBytes = uint64_t{128} << 10U;

struct ChosenFiles {
  uint64_t files_count = 0;
  uint64_t unreadable_count = 0;
  std::vector<ByteRange> ranges;     // of the device, ascending
  std::vector<ByteRange> unwritten;  // a write to them may have reached the device, and not its file
};

Error canceled() {
  return {ErrorCode::kCanceled, "stopped before it was decided which data is kept"};
}

Status check_is_on_disk(int root_fd, const KeepOptions& options) {
  const Result<Json> status = ask_emulator(options.folder, {{"type", "status"}});
  if (!status) return status.error();
  const Result<LoopFile> under = loop_file_under(root_fd);
  if (!under) return Error{under.error().code, fmt::format("'{}': {}", options.mount, under.error().message)};
  const Json& file = (*status)["file"];
  if (*under == LoopFile{file["device"], file["inode"]}) return ok_status();
  return Error{ErrorCode::kMountUnusable, fmt::format("'{}' is on another disk than the emulated one in '{}'",
                                                      options.mount, options.folder)};
}

bool is_btrfs(int root_fd) {
  struct statfs file_system = {};
  return ::fstatfs(root_fd, &file_system) == 0 && file_system.f_type == BTRFS_SUPER_MAGIC;
}

Result<ChosenFiles> find_chosen(int root_fd, const PathGlobs& globs, const std::atomic<bool>& stop) {
  WalkSettings settings;
  // A write that reached the device before the selection may still be waiting to be put into its file.
  settings.syncs_files = true;
  settings.takes_file = [&globs](const std::string& path) { return globs.matches(path); };
  settings.takes_directory = [&globs](const std::string& path) { return globs.may_match_below(path); };
  const Result<ExtentWalk> walk = walk_extents(root_fd, settings, stop);
  if (!walk) return walk.error();
  // The addresses of other file systems are the device's.
  const Result<SpaceMap> map = is_btrfs(root_fd) ? read_space_map(root_fd) : SpaceMap{};
  if (!map) return map.error();
  ChosenFiles chosen;
  chosen.unreadable_count = walk->unreadable_count;
  for (const WalkedDirectory& directory : walk->directories) {
    chosen.files_count += directory.files.size();
    for (const FileExtent& extent : directory.extents) {
      const uint64_t length =
          extent.compressed ? std::max(extent.length_bytes, kMostCompressedBytes) : extent.length_bytes;
      std::vector<ByteRange>& places = extent.unwritten ? chosen.unwritten : chosen.ranges;
      add_places_on_device({extent.physical_bytes, extent.physical_bytes + length}, *map, places);
    }
  }
  normalize(chosen.ranges);
  normalize(chosen.unwritten);
  return chosen;
}

// Returns the bytes that are dropped already.
Result<uint64_t> name_ranges(const std::string& folder, const Json& selection,
                             const std::vector<ByteRange>& ranges, const std::atomic<bool>& stop) {
  uint64_t missing_bytes = 0;
  for (size_t begin = 0; begin < ranges.size(); begin += kRangesPerRequest) {
    if (stop.load()) return canceled();
    Json portion = Json::array();
    for (size_t i = begin; i < std::min(ranges.size(), begin + kRangesPerRequest); ++i) {
      portion.push_back(Json::array({ranges[i].begin_bytes, ranges[i].length_bytes()}));
    }
    const Result<Json> answer =
        ask_emulator(folder, {{"type", "choose"}, {"selection", selection}, {"ranges", std::move(portion)}});
    if (!answer) return answer.error();
    missing_bytes += (*answer)["missing_bytes"].get<uint64_t>();
  }
  return missing_bytes;
}

// Returns the last record.
Result<Json> summary_of(const std::string& folder, const ChosenFiles& chosen, uint64_t missing_bytes) {
  const Result<Json> status = ask_emulator(folder, {{"type", "status"}});
  if (!status) return status.error();
  Json summary = {{"type", "summary"},
                  {"command", "keep"},
                  {"files_count", chosen.files_count},
                  {"ranges_count", chosen.ranges.size()},
                  {"missing_bytes", missing_bytes}};
  for (const char* figure : {"held_bytes", "chosen_bytes", "lost_held_bytes"})
    summary[figure] = (*status)[figure];
  return summary;
}

}  // namespace

Status run_keep(const KeepOptions& options, EventSink& sink, const std::atomic<bool>& stop) {
  if (!sink.emit(hello_event("keep")) || stop.load()) return canceled();
  const Result<PathGlobs> globs = PathGlobs::parse(options.paths);
  if (!globs) return globs.error();
  // Before the selection begins: what is written later stays held until the next one.
  const Result<Descriptor> root = open_settled_mount(options.mount);
  if (!root) return root.error();
  if (Status status = check_is_on_disk(root->get(), options); !status) return status;
  const Result<Json> begun = ask_emulator(options.folder, {{"type", "begin_selection"}});
  if (!begun) return begun.error();
  const Json& selection = (*begun)["selection"];
  // Direct writes that were on their way when it began have reached their files after another sync.
  if (::syncfs(root->get()) != 0) {
    return Error{ErrorCode::kIoError,
                 fmt::format("cannot sync '{}': {}", options.mount, std::strerror(errno))};
  }
  const Result<ChosenFiles> chosen = find_chosen(root->get(), *globs, stop);
  if (!chosen) return chosen.error();
  if (chosen->unreadable_count > 0) {
    return Error{ErrorCode::kIoError,
                 fmt::format("{} files or directories in '{}' cannot be opened; run as root",
                             chosen->unreadable_count, options.mount)};
  }
  const Result<uint64_t> missing_bytes = name_ranges(options.folder, selection, chosen->ranges, stop);
  if (!missing_bytes) return missing_bytes.error();
  const Result<uint64_t> without_data = name_ranges(options.folder, selection, chosen->unwritten, stop);
  if (!without_data) return without_data.error();
  const Result<Json> ended =
      ask_emulator(options.folder, {{"type", "end_selection"}, {"selection", selection}});
  if (!ended) return ended.error();
  const Result<Json> summary = summary_of(options.folder, *chosen, *missing_bytes);
  if (!summary) return summary.error();
  return sink.emit(*summary) ? ok_status() : Status(canceled());
}

}  // namespace patina
