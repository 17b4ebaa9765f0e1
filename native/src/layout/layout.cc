// The `layout` command: walks the files, reads the space map, reports both.
#include "layout/layout.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/descriptor.h"
#include "base/stopwatch.h"
#include "device/private_mount.h"
#include "layout/block_map.h"
#include "layout/extent_walk.h"
#include "layout/file_layout.h"
#include "layout/layout_digest.h"
#include "layout/space_map.h"

namespace patina {
namespace {

using Json = nlohmann::ordered_json;

Error unusable(const std::string& mount, const std::string& why) {
  return {ErrorCode::kMountUnusable, fmt::format("'{}' {}", mount, why)};
}

// Opens the root of a mount: a part of a file system would be measured against the whole device.
Result<Descriptor> open_mount(const std::string& mount) {
  Descriptor root(::open(mount.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!root.valid()) return unusable(mount, fmt::format("cannot be opened: {}", std::strerror(errno)));
  struct statx found = {};
  if (::statx(root.get(), "", AT_EMPTY_PATH, STATX_TYPE, &found) != 0) {
    return unusable(mount, fmt::format("cannot be examined: {}", std::strerror(errno)));
  }
  if ((found.stx_attributes & STATX_ATTR_MOUNT_ROOT) == 0) {
    return unusable(mount, "is not the root of a mounted file system");
  }
  return root;
}

// From linux/fs/xfs/libxfs/xfs_fs.h, which is not among the kernel's own headers here.
struct XfsEofBlocks {
  uint32_t version = 1;
  uint32_t flags = 0;
  std::array<uint32_t, 4> ids{};
  uint64_t min_file_bytes = 0;
  std::array<uint64_t, 12> padding{};
};
constexpr unsigned long kXfsFreeEofBlocks = _IOR('X', 58, XfsEofBlocks);
constexpr uint32_t kXfsMinFileSize = 1U << 4U;

// xfs frees the blocks of deleted files in the background. A request to trim blocks behind the ends of files
// of at least the largest size trims nothing and waits for that; where it is refused, there is nothing to
// wait for (read-only) or no privilege (CAP_SYS_ADMIN).
void wait_for_deletes(int mount_fd) {
  struct statfs file_system = {};
  if (::fstatfs(mount_fd, &file_system) != 0 || file_system.f_type != XFS_SUPER_MAGIC) return;
  XfsEofBlocks request;
  request.flags = kXfsMinFileSize;
  request.min_file_bytes = UINT64_MAX;
  ::ioctl(mount_fd, kXfsFreeEofBlocks, &request);
}

Status settle(int mount_fd) {
  wait_for_deletes(mount_fd);
  if (::syncfs(mount_fd) == 0) return ok_status();
  return Error{ErrorCode::kIoError, fmt::format("cannot sync the mount: {}", std::strerror(errno))};
}

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
  const Result<Descriptor> root = open_mount(options.mount);
  if (!root) return root.error();
  if (Status settled = settle(root->get()); !settled) return settled.error();
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
