// Reads free space from the space map, the extents of files by FIEMAP.
#include "image/unused_ranges.h"

#include <algorithm>

#include "layout/unmounted.h"

namespace patina {
namespace {

// The device ranges of files: written data and unwritten extents.
struct FileRanges {
  std::vector<ByteRange> written;
  std::vector<ByteRange> unwritten;
};

FileRanges ranges_of_files(const ExtentWalk& walk, const SpaceMap& map) {
  FileRanges ranges;
  for (const WalkedDirectory& directory : walk.directories) {
    for (const FileExtent& extent : directory.extents) {
      std::vector<ByteRange>& list = extent.unwritten ? ranges.unwritten : ranges.written;
      add_places_on_device({extent.physical_bytes, extent.physical_end_bytes()}, map, list);
    }
  }
  normalize(ranges.written);
  normalize(ranges.unwritten);
  return ranges;
}

}  // namespace

std::vector<ByteRange> subtract(const std::vector<ByteRange>& ranges, const std::vector<ByteRange>& kept) {
  std::vector<ByteRange> rest;
  size_t next = 0;
  for (ByteRange range : ranges) {
    while (next < kept.size() && kept[next].end_bytes <= range.begin_bytes) ++next;
    for (size_t at = next; at < kept.size() && kept[at].begin_bytes < range.end_bytes; ++at) {
      if (range.begin_bytes < kept[at].begin_bytes) {
        rest.push_back({range.begin_bytes, kept[at].begin_bytes});
      }
      range.begin_bytes = std::max(range.begin_bytes, std::min(range.end_bytes, kept[at].end_bytes));
    }
    if (range.begin_bytes < range.end_bytes) rest.push_back(range);
  }
  return rest;
}

Result<std::vector<ByteRange>> unused_ranges(const std::string& device, CaptureMode mode,
                                             const std::atomic<bool>& stop) {
  std::vector<ByteRange> unused;
  if (mode == CaptureMode::kExact) return unused;
  const Result<std::unique_ptr<Unmounted>> files_on = Unmounted::open(device);
  if (!files_on) return files_on.error();
  const Result<SpaceMap> map = (*files_on)->space();
  if (!map) return map.error();
  const Result<ExtentWalk> walk = (*files_on)->walk({}, stop);
  if (!walk) return walk.error();
  const FileRanges files = ranges_of_files(*walk, *map);
  // A range that is written in one file and unwritten in another that shares it is data.
  unused = subtract(files.unwritten, files.written);
  if (mode == CaptureMode::kMetadata) {
    unused.insert(unused.end(), files.written.begin(), files.written.end());
  }
  unused.insert(unused.end(), map->empty_on_device.begin(), map->empty_on_device.end());
  normalize(unused);
  return unused;
}

}  // namespace patina
