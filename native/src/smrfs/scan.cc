// Walks by fts(3), which has no limit on depth.
#include "smrfs/scan.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fts.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <unordered_set>

#include "smrfs/node.h"

namespace patina {
namespace {

struct CloseFts {
  void operator()(FTS* walk) const { ::fts_close(walk); }
};

// The attribute is stored before the size.
Status set_size(const FTSENT& found, uint64_t size_bytes) {
  const struct stat& file = *found.fts_statp;
  if (static_cast<uint64_t>(file.st_size) == size_bytes) return ok_status();
  const std::array<timespec, 2> times = {file.st_atim, file.st_mtim};
  if (::truncate(found.fts_accpath, static_cast<off_t>(size_bytes)) != 0 ||
      ::utimensat(AT_FDCWD, found.fts_accpath, times.data(), AT_SYMLINK_NOFOLLOW) != 0) {
    return Error{ErrorCode::kIoError,
                 fmt::format("cannot set the size of '{}': {}", found.fts_path, std::strerror(errno))};
  }
  return ok_status();
}

}  // namespace

Status scan_extents(const std::string& folder, SizeRepair repair,
                    const std::function<Status(const ScannedFile&)>& each) {
  std::string root = folder;
  const std::array<char*, 2> roots = {root.data(), nullptr};
  const std::unique_ptr<FTS, CloseFts> walk(::fts_open(roots.data(), FTS_PHYSICAL | FTS_XDEV, nullptr));
  if (!walk) {
    return Error{ErrorCode::kIoError, fmt::format("cannot read '{}': {}", folder, std::strerror(errno))};
  }
  std::unordered_set<ino_t> linked;
  errno = 0;
  while (const FTSENT* found = ::fts_read(walk.get())) {
    if (found->fts_info == FTS_ERR || found->fts_info == FTS_DNR || found->fts_info == FTS_NS) {
      return Error{ErrorCode::kIoError,
                   fmt::format("cannot read '{}': {}", found->fts_path, std::strerror(found->fts_errno))};
    }
    if (found->fts_info != FTS_F || !S_ISREG(found->fts_statp->st_mode)) continue;
    if (found->fts_statp->st_nlink > 1 && !linked.insert(found->fts_statp->st_ino).second) continue;
    Result<FileExtents> extents =
        read_extents(found->fts_accpath, static_cast<uint64_t>(found->fts_statp->st_size));
    if (!extents) {
      return Error{extents.error().code, fmt::format("'{}': {}", found->fts_path, extents.error().message)};
    }
    if (repair == SizeRepair::kAll) {
      if (Status status = set_size(*found, extents->size_bytes); !status) return status;
    }
    Result<FileIdentity> identity = identity_of(found->fts_accpath, found->fts_statp->st_ino);
    if (!identity) return identity.error();
    if (Status status = each({found->fts_path, std::move(*identity), std::move(*extents)}); !status)
      return status;
    errno = 0;
  }
  if (errno == 0) return ok_status();
  return Error{ErrorCode::kIoError, fmt::format("cannot read '{}': {}", folder, std::strerror(errno))};
}

}  // namespace patina
