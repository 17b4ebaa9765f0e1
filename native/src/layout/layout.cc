// The `layout` command: walks the files, reads the space map, reports both.
#include "layout/layout.h"

#include <functional>
#include <nlohmann/json.hpp>

#include "base/descriptor.h"
#include "base/stopwatch.h"
#include "layout/block_map.h"
#include "layout/extent_walk.h"
#include "layout/file_layout.h"
#include "layout/layout_digest.h"
#include "layout/settled_mount.h"
#include "layout/space_map.h"
#include "layout/unmounted.h"

namespace patina {
namespace {

using Json = nlohmann::ordered_json;

// Returns the event without its head. The map is read first, so that an unsupported file system is reported
// before its files are walked.
Result<Json> measured(const Result<SpaceMap>& map, const std::function<Result<ExtentWalk>()>& walked,
                      const LayoutOptions& options) {
  if (!map) return map.error();
  const Result<ExtentWalk> walk = walked();
  if (!walk) return walk.error();
  const LayoutDigests digests = digest_layout(*walk, *map);
  Json block_map = nullptr;
  if (options.map_cells_count > 0) {
    block_map = block_map_json(make_block_map(*map, *walk, options.map_cells_count));
  }
  const FileLayout files = file_layout_of(*walk, map->block_size_bytes);
  return Json{{"free_extents", free_extents_json(histogram_of_free_extents(*map))},
              {"files", file_layout_json(files, digests.extents_digest)},
              {"block_map", std::move(block_map)},
              {"layout_digest", digests.layout_digest}};
}

Result<Json> measure_mount(const LayoutOptions& options, const std::atomic<bool>& stop) {
  const Result<Descriptor> root = open_settled_mount(options.mount);
  if (!root) return root.error();
  return measured(
      read_space_map(root->get()),
      [&] { return walk_extents(root->get(), {.threads_count = options.threads_count}, stop); }, options);
}

Result<Json> measure_device(const LayoutOptions& options, const std::atomic<bool>& stop) {
  const Result<std::unique_ptr<Unmounted>> files = Unmounted::open(options.device);
  if (!files) return files.error();
  return measured((*files)->space(),
                  [&] { return (*files)->walk({.threads_count = options.threads_count}, stop); }, options);
}

}  // namespace

Status run_layout(const LayoutOptions& options, EventSink& sink, const std::atomic<bool>& stop) {
  const Stopwatch watch;
  const Error canceled{ErrorCode::kCanceled, "stopped before the layout was measured"};
  if (!sink.emit(hello_event("layout")) || stop.load()) return canceled;
  Result<Json> measured =
      options.device.empty() ? measure_mount(options, stop) : measure_device(options, stop);
  if (!measured) return measured.error();
  Json event = {{"type", "layout"}, {"ops_count", 0}, {"elapsed_s", watch.elapsed_s()}};
  event.update(*measured);
  return sink.emit(event) ? ok_status() : Status(canceled);
}

}  // namespace patina
