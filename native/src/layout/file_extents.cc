// Reads a file's extents by FS_IOC_FIEMAP, or as its file system reports them.
#include "layout/file_extents.h"

#include <linux/fiemap.h>
#include <linux/fs.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

#include "layout/reported_space.h"

namespace patina {
namespace {

// 28 KiB: nearly every file in one call.
constexpr uint32_t kExtentsPerCall = 512;

Error fiemap_error(int error_number) {
  if (error_number == EOPNOTSUPP || error_number == ENOTTY) {
    return {ErrorCode::kLayoutUnsupported, "this file system cannot report file extents (FIEMAP)"};
  }
  return {ErrorCode::kIoError, std::string("cannot read its extents: ") + std::strerror(error_number)};
}

// Data inside the inode has no block.
bool lies_in_blocks(const fiemap_extent& extent) {
  return (extent.fe_flags & (FIEMAP_EXTENT_UNKNOWN | FIEMAP_EXTENT_DATA_INLINE)) == 0;
}

// Encrypted data is encoded too, but keeps its length.
bool is_compressed(const fiemap_extent& extent) {
  return (extent.fe_flags & FIEMAP_EXTENT_ENCODED) != 0 &&
         (extent.fe_flags & FIEMAP_EXTENT_DATA_ENCRYPTED) == 0;
}

}  // namespace

FileExtentReader::FileExtentReader(uint64_t max_extents, bool syncs)
    : max_extents_(max_extents),
      syncs_(syncs),
      buffer_((sizeof(fiemap) + kExtentsPerCall * sizeof(fiemap_extent)) / sizeof(uint64_t)) {}

Status FileExtentReader::read(int fd, std::vector<FileExtent>& extents) {
  const size_t before = extents.size();
  Result<Found> found = read_all(fd, syncs_ ? FIEMAP_FLAG_SYNC : 0, extents);
  if (!found && found.error().code == ErrorCode::kLayoutUnsupported) return read_reported_places(fd, extents);
  if (found.ok() && *found == Found::kWithoutPlace) {
    extents.resize(before);
    found = read_all(fd, FIEMAP_FLAG_SYNC, extents);
  }
  if (!found) return found.error();
  return ok_status();
}

Result<FileExtentReader::Found> FileExtentReader::read_all(int fd, uint32_t flags,
                                                           std::vector<FileExtent>& extents) {
  auto* request = reinterpret_cast<fiemap*>(buffer_.data());
  const auto* answer = reinterpret_cast<const fiemap_extent*>(request + 1);
  Found found = Found::kAll;
  uint64_t from = 0;
  for (uint64_t count = 0; count <= max_extents_;) {
    *request = {};
    request->fm_start = from;
    request->fm_length = FIEMAP_MAX_OFFSET - from;
    request->fm_flags = flags;
    request->fm_extent_count = kExtentsPerCall;
    if (::ioctl(fd, FS_IOC_FIEMAP, request) != 0) return fiemap_error(errno);
    const uint32_t entries = std::min(request->fm_mapped_extents, kExtentsPerCall);
    for (uint32_t i = 0; i < entries; ++i) {
      const fiemap_extent& extent = answer[i];
      if ((extent.fe_flags & FIEMAP_EXTENT_DELALLOC) != 0) found = Found::kWithoutPlace;
      if (!lies_in_blocks(extent)) continue;
      extents.push_back({extent.fe_logical, extent.fe_physical, extent.fe_length,
                         (extent.fe_flags & FIEMAP_EXTENT_UNWRITTEN) != 0, is_compressed(extent)});
    }
    if (entries == 0 || (answer[entries - 1].fe_flags & FIEMAP_EXTENT_LAST) != 0) return found;
    from = answer[entries - 1].fe_logical + answer[entries - 1].fe_length;
    count += entries;
  }
  return Error{ErrorCode::kIoError, "it has more extents than a file can have; run fsck"};
}

}  // namespace patina
