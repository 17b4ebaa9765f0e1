// One thread takes the requests, so that the disk has them in the order of the kernel.
#include "shingle_server/expose.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "fuse/fuse_file.h"
#include "shingle/backing_file.h"
#include "shingle/caveat_disk.h"
#include "shingle_server/sector_file.h"

namespace patina {
namespace {

using Json = nlohmann::ordered_json;

constexpr auto kPoll = std::chrono::milliseconds(50);

Result<std::unique_ptr<CaveatDisk>> opened_disk(const ExposeOptions& options) {
  if (StrictAppendDisk::has_state(options.state)) {
    return Error{ErrorCode::kBackingInvalid,
                 fmt::format("'{}' is of a strict-append disk, which has no writes in place: only a "
                             "Caveat-Scriptor disk can be exposed",
                             options.state)};
  }
  if (::access(options.state.c_str(), F_OK) == 0) return CaveatDisk::open(options.data, options.state);
  const Result<CaveatGeometry> geometry = caveat_geometry(options.disk, options.data);
  if (!geometry) return geometry.error();
  return CaveatDisk::create(options.data, options.state, *geometry, options.disk.unwritten);
}

Status make_file(const std::string& path) {
  // The mount of a killed process fails every request.
  struct stat ignored = {};
  while (::stat(path.c_str(), &ignored) != 0 && errno == ENOTCONN) {
    if (::umount2(path.c_str(), MNT_DETACH | UMOUNT_NOFOLLOW) != 0) break;
  }
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, S_IRUSR | S_IWUSR));
  struct stat found = {};
  if (file.valid() && ::fstat(file.get(), &found) == 0 && S_ISREG(found.st_mode)) return ok_status();
  return Error{ErrorCode::kBackingInvalid,
               fmt::format("'{}' cannot be the file of the disk: {}", path,
                           file.valid() ? "it is no file" : std::strerror(errno))};
}

}  // namespace

Status run_expose(const ExposeOptions& options, EventSink& sink, const std::atomic<bool>& stop) {
  sink.emit(hello_event("shingle expose"));
  ::prctl(PR_SET_IO_FLUSHER, 1);  // the kernel writes pages back through this process
  const Result<Descriptor> lock = lock_backing(options.data);
  if (!lock) return lock.error();
  const Result<std::unique_ptr<CaveatDisk>> disk = opened_disk(options);
  if (!disk) return disk.error();
  const std::string path = std::filesystem::absolute(options.path);
  if (Status status = make_file(path); !status) return status;
  SectorFile content(**disk);
  Result<std::unique_ptr<FuseFile>> file =
      FuseFile::serve(content, path,
                      {.what = "the shingled disk",
                       .mount_options = "fsname=patina-shingled,subtype=patina,default_permissions",
                       .most_threads = 1,
                       .idle_threads = 1});
  if (!file) return file.error();
  sink.emit({{"type", "ready"}, {"path", path}, {"size_bytes", content.size_bytes()}});
  while ((*file)->is_served() && (!stop || (*file)->is_open())) std::this_thread::sleep_for(kPoll);
  file->reset();
  if (Status status = (*disk)->flush(); !status) return status;
  Json summary = {{"type", "summary"}, {"command", "shingle expose"}};
  summary.update(content.report());
  sink.emit(summary);
  return ok_status();
}

}  // namespace patina
