// SHA-256 over every file's path and places, then over the free space.
#include "layout/layout_digest.h"

#include <endian.h>

#include <span>

#include "base/digest.h"

namespace patina {
namespace {

void put(uint64_t number, std::string& out) {
  const uint64_t bytes = htole64(number);
  out.append(reinterpret_cast<const char*>(&bytes), sizeof bytes);
}

void put_file(const std::string& path, std::span<const FileExtent> extents, std::string& out) {
  std::vector<FileExtent> runs;
  for (const FileExtent& extent : extents) {
    if (!runs.empty() && extent.continues(runs.back())) {
      runs.back().length_bytes += extent.length_bytes;
    } else {
      runs.push_back(extent);
    }
  }
  put(path.size(), out);
  out += path;
  put(runs.size(), out);
  for (const FileExtent& run : runs) {
    put(run.logical_bytes, out);
    put(run.physical_bytes, out);
    put(run.length_bytes, out);
  }
}

std::string bytes_of(const std::vector<ByteRange>& ranges) {
  std::string out;
  put(ranges.size(), out);
  for (const ByteRange& range : ranges) {
    put(range.begin_bytes, out);
    put(range.length_bytes(), out);
  }
  return out;
}

}  // namespace

LayoutDigests digest_layout(const ExtentWalk& walk, const SpaceMap& map) {
  Sha256 digest;
  digest.update("patina layout 1\n");
  for (const WalkedDirectory& directory : walk.directories) {
    std::string out;
    for (const WalkedFile& file : directory.files) {
      const std::string path = directory.path.empty() ? file.name : directory.path + "/" + file.name;
      put_file(path, std::span(directory.extents).subspan(file.first_extent, file.extents_count), out);
    }
    digest.update(out);
  }
  LayoutDigests digests;
  digests.extents_digest = digest.hex();
  digest.update(bytes_of(map.free_extents));
  digest.update(bytes_of(map.unallocated));
  digests.layout_digest = digest.hex();
  return digests;
}

}  // namespace patina
