// The session with the kernel, and the commits by time.
#include "smrfs/mount.h"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "fuse/fuse_session.h"
#include "smrfs/fuse_reply.h"
#include "smrfs/requests.h"

namespace patina {
namespace {

using Json = nlohmann::ordered_json;

constexpr auto kPoll = std::chrono::milliseconds(50);
// What was closed is durable after this time at most.
constexpr auto kCommitEvery = std::chrono::seconds(5);
constexpr unsigned kMostRequestBytes = 1U << 20U;

void on_init(void* /*volume*/, fuse_conn_info* connection) {
  connection->max_write = kMostRequestBytes;
  // The kernel clears the set-user-ID bit: data is not written through the metadata folder, which would do
  // it.
  connection->want &= ~static_cast<unsigned>(FUSE_CAP_HANDLE_KILLPRIV);
  // An open that the kernel refuses afterwards, of a running program, must not have emptied the file.
  connection->want &= ~static_cast<unsigned>(FUSE_CAP_ATOMIC_O_TRUNC);
}

Result<std::unique_ptr<FuseSession>> mount_volume(SmrVolume& volume, const std::string& folder,
                                                  const std::string& source, const std::string& options) {
  fuse_lowlevel_ops ops = {};
  ops.init = on_init;
  add_name_requests(ops);
  add_directory_requests(ops);
  add_attribute_requests(ops);
  add_data_requests(ops);
  return FuseSession::mount(
      ops, &volume, folder,
      {.what = "SMRfs",
       .mount_options = fmt::format("fsname={},subtype=smrfs,default_permissions,allow_other{}{}", source,
                                    options.empty() ? "" : ",", options)});
}

// Failed commits are printed: fsync(2) returns the errors that matter to a program.
void commit_by_time(SmrVolume& volume) {
  if (volume.publisher().is_waiting()) {
    if (Status status = volume.commit(); !status) errno_of(status.error());
  }
  volume.table().sweep();
}

void clean_by_threshold(const DataArea& area, SmrVolume& volume) {
  if (!area.should_clean()) return;
  const Result<bool> cleaned = volume.clean();
  if (!cleaned) errno_of(cleaned.error());
}

Json summary_of(const DataArea& area, const SmrVolume& volume) {
  const AreaSpace space = area.space();
  return {{"type", "summary"},
          {"command", "shingle mount"},
          {"total_blocks", space.blocks_count},
          {"free_blocks", space.free_count},
          {"unusable_blocks", space.unusable_count},
          {"usable_blocks", space.free_count - space.unusable_count},
          {"allocated_blocks", space.blocks_count - space.free_count},
          {"lost_files_count", volume.lost_files_count()},
          {"cleanings_count", volume.cleanings_count()},
          {"moved_blocks", volume.moved_blocks_count()},
          {"cleaning_s", std::chrono::duration<double>(volume.cleaning_time()).count()}};
}

}  // namespace

Status run_smr_mount(const SmrMountOptions& options, EventSink& sink, const std::atomic<bool>& stop) {
  sink.emit(hello_event("shingle mount"));
  // The others are directories that are read, and the kernel's requests.
  const size_t most_open_files = raise_file_limit() / 2;
  ::umask(0);                     // the kernel applies that of the user
  ::prctl(PR_SET_IO_FLUSHER, 1);  // the kernel writes pages back through this process
  SmrPlace place = options.place;
  const Result<std::optional<SmrDevice>> device = open_place(place, false);
  if (!device) return device.error();
  const Result<std::unique_ptr<DataArea>> opened = open_area(place.disk);
  if (!opened) return opened.error();
  DataArea& area = **opened;
  const Result<std::unique_ptr<SmrVolume>> volume =
      SmrVolume::open(area, place.metadata, options.buffer_bytes, most_open_files);
  if (!volume) return volume.error();
  const std::string folder = std::filesystem::absolute(options.mount_folder);
  const std::string source = place.device.empty() ? "patina-smrfs" : place.device;
  Result<std::unique_ptr<FuseSession>> session =
      mount_volume(**volume, folder, source, options.kernel_options);
  if (!session) return session.error();
  sink.emit({{"type", "ready"}, {"path", folder}, {"total_blocks", area.space().blocks_count}});
  auto committed = std::chrono::steady_clock::now();
  while ((*session)->is_served() && !stop) {
    std::this_thread::sleep_for(kPoll);
    clean_by_threshold(area, **volume);
    if (std::chrono::steady_clock::now() - committed < kCommitEvery) continue;
    commit_by_time(**volume);
    committed = std::chrono::steady_clock::now();
  }
  session->reset();
  if (Status status = (*volume)->settle_all(); !status) return status;
  sink.emit(summary_of(area, **volume));
  return ok_status();
}

}  // namespace patina
