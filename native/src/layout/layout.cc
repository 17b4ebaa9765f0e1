// The `layout` command: walks the files, reads the space map, reports both.
#include "layout/layout.h"

#include <nlohmann/json.hpp>

#include "base/descriptor.h"
#include "base/stopwatch.h"
#include "device/private_mount.h"
#include "layout/block_map.h"
#include "layout/extent_walk.h"
#include "layout/file_layout.h"
#include "layout/layout_digest.h"
#include "layout/settled_mount.h"
#include "layout/space_map.h"

namespace patina {
namespace {

using Json = nlohmann::ordered_json;

// Returns the event without its head.
Result<Json> measure(int root_fd, const LayoutOptions& options, const std::atomic<bool>& stop) {
  // First, so that an unsupported file system is reported before its files are walked.
  const Result<SpaceMap> map = read_space_map(root_fd);
  if (!map) return map.error();
  const Result<ExtentWalk> walk = walk_extents(root_fd, {.threads_count = options.threads_count}, stop);
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
  return measure(root->get(), options, stop);
}

Result<Json> measure_device(const LayoutOptions& options, const std::atomic<bool>& stop) {
  const Result<PrivateMount> mount = PrivateMount::open(options.device);
  if (!mount) return mount.error();
  return measure(mount->root_fd(), options, stop);
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
