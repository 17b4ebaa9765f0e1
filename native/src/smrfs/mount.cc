// The session with the kernel, and the commits by time.
#include "smrfs/mount.h"

#include <fmt/format.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "smrfs/fuse_reply.h"
#include "smrfs/requests.h"

namespace patina {
namespace {

using Json = nlohmann::ordered_json;

constexpr auto kPoll = std::chrono::milliseconds(50);
// What was closed is durable after this time at most.
constexpr auto kCommitEvery = std::chrono::seconds(5);
constexpr unsigned kMostRequestBytes = 1U << 20U;
constexpr unsigned kMostThreads = 64;
constexpr unsigned kIdleThreads = 8;

void on_init(void* /*volume*/, fuse_conn_info* connection) {
  connection->max_write = kMostRequestBytes;
  // The kernel clears the set-user-ID bit: data is not written through the metadata folder, which would do
  // it.
  connection->want &= ~static_cast<unsigned>(FUSE_CAP_HANDLE_KILLPRIV);
  // An open that the kernel refuses afterwards, of a running program, must not have emptied the file.
  connection->want &= ~static_cast<unsigned>(FUSE_CAP_ATOMIC_O_TRUNC);
}

class Session {
 public:
  static Result<std::unique_ptr<Session>> mount(SmrVolume& volume, const std::string& folder,
                                                const std::string& source, const std::string& options) {
    std::unique_ptr<Session> session(new Session(folder));
    std::array<std::string, 3> words = {
        "patina-core", "-o",
        fmt::format("fsname={},subtype=smrfs,default_permissions,allow_other{}{}", source,
                    options.empty() ? "" : ",", options)};
    std::array<char*, 3> argv = {words[0].data(), words[1].data(), words[2].data()};
    fuse_args arguments = FUSE_ARGS_INIT(static_cast<int>(argv.size()), argv.data());
    fuse_lowlevel_ops ops = {};
    ops.init = on_init;
    add_name_requests(ops);
    add_directory_requests(ops);
    add_attribute_requests(ops);
    add_data_requests(ops);
    session->session_ = fuse_session_new(&arguments, &ops, sizeof ops, &volume);
    fuse_opt_free_args(&arguments);
    if (session->session_ == nullptr || fuse_session_mount(session->session_, folder.c_str()) != 0) {
      return Error{
          ErrorCode::kFuseUnavailable,
          fmt::format("SMRfs cannot be mounted at '{}': a folder, FUSE and root are needed", folder)};
    }
    session->is_served_ = true;
    session->thread_ = std::thread([served = session.get()] {
      fuse_loop_config* config = fuse_loop_cfg_create();
      fuse_loop_cfg_set_clone_fd(config, 1);
      fuse_loop_cfg_set_max_threads(config, kMostThreads);
      fuse_loop_cfg_set_idle_threads(config, kIdleThreads);
      fuse_session_loop_mt(served->session_, config);
      fuse_loop_cfg_destroy(config);
      served->is_served_ = false;
    });
    return session;
  }

  ~Session() {
    if (thread_.joinable()) {
      fuse_session_exit(session_);
      ::umount2(folder_.c_str(), MNT_FORCE | MNT_DETACH | UMOUNT_NOFOLLOW);
      fuse_session_unmount(session_);
      thread_.join();
    }
    if (session_ != nullptr) fuse_session_destroy(session_);
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  bool is_served() const { return is_served_; }

 private:
  explicit Session(std::string folder) : folder_(std::move(folder)) {}

  const std::string folder_;
  fuse_session* session_ = nullptr;
  std::thread thread_;
  std::atomic<bool> is_served_ = false;
};

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
          {"moved_blocks", volume.moved_blocks_count()}};
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
  Result<std::unique_ptr<Session>> session = Session::mount(**volume, folder, source, options.kernel_options);
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
