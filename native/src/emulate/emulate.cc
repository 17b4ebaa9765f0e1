// Opens the folder, serves the disk, answers requests on the socket.
#include "emulate/emulate.h"

#include <fmt/format.h>
#include <malloc.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/descriptor.h"
#include "emulate/backing_folder.h"
#include "emulate/control_socket.h"
#include "emulate/selection_request.h"
#include "fuse/fuse_file.h"

namespace patina {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kPollMs = 100;
constexpr unsigned kMostThreads = 128;

// What a loop device over the file shows of it.
Json file_identity(const std::string& path) {
  struct stat file = {};
  if (::stat(path.c_str(), &file) != 0) return {};
  return {{"device", fmt::format("{}:{}", major(file.st_dev), minor(file.st_dev))}, {"inode", file.st_ino}};
}

Json answer(const Json& request, EmulatedDisk& disk, const Json& file) {
  const std::string type = request.contains("type") && request["type"].is_string() ? request["type"] : "";
  if (type == "fault") {
    const Status made = disk.make_fault(request);
    if (!made) return error_event(made.error());
  } else if (type == "begin_selection" || type == "choose" || type == "end_selection") {
    return answer_selection(request, disk);
  } else if (type != "status") {
    return error_event(
        {ErrorCode::kUsage,
         "'type' must be \"status\", \"fault\", \"begin_selection\", \"choose\" or \"end_selection\""});
  }
  Json status = {{"type", "status"}};
  status.update(disk.report());
  status["file"] = file;
  return status;
}

}  // namespace

Status run_emulate(const EmulatedDiskOptions& options, EventSink& sink, const std::atomic<bool>& stop) {
  sink.emit(hello_event("emulate"));
  // Each thread would keep the buffers of its last compaction, each as large as a segment.
  constexpr int kLeastMappedBytes = 1 << 20U;
  ::mallopt(M_MMAP_THRESHOLD, kLeastMappedBytes);
  ::prctl(PR_SET_TIMERSLACK, 1);  // delays end when they should
  constexpr int kFirst = -20;
  if (options.time == TimeKind::kAccurate) ::setpriority(PRIO_PROCESS, 0, kFirst);
  raise_file_limit();  // each segment of the log is an open file
  // The kernel writes pages back through this process: its memory and its own writes must not wait for that.
  ::prctl(PR_SET_IO_FLUSHER, 1);
  EmulatedDiskOptions absolute = options;
  absolute.folder = std::filesystem::absolute(options.folder);
  Result<BackingFolder> folder = BackingFolder::open(absolute.folder, options.size_bytes);
  if (!folder) return folder.error();
  Result<std::unique_ptr<EmulatedDisk>> disk = EmulatedDisk::open(absolute);
  if (!disk) return disk.error();
  Result<ControlSocket> control = ControlSocket::listen(folder->control_path());
  if (!control) return control.error();
  Result<std::unique_ptr<FuseFile>> file =
      FuseFile::serve(**disk, folder->disk_path(),
                      {.what = "the emulated disk",
                       .mount_options = "fsname=patina-emulated,subtype=patina,default_permissions",
                       .most_threads = kMostThreads});
  if (!file) return file.error();
  const Json identity = file_identity(folder->disk_path());
  sink.emit({{"type", "ready"}, {"path", folder->disk_path()}, {"size_bytes", options.size_bytes}});
  // A disk that cannot be stored any more ends: the next start reads what is there.
  while ((*file)->is_served() && !(*disk)->has_failed() && (!stop || (*file)->is_open())) {
    control->serve(kPollMs, [&](const Json& request) { return answer(request, **disk, identity); });
  }
  file->reset();
  if (Status status = (*disk)->close(); !status) return status;
  Json summary = {{"type", "summary"}, {"command", "emulate"}};
  summary.update((*disk)->report());
  sink.emit(summary);
  return ok_status();
}

}  // namespace patina
