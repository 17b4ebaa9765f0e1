// The raw limit: the system calls of a plan, computed beforehand, without any other work.
// Usage: bare-loop MOUNT PROFILE FULLNESS THREADS HORIZON [SYNC_OPS]. Prints one JSON line. With SYNC_OPS
// files are written, not allocated, and the file system is synced after each so many operations of each
// thread.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "executor/execute.h"
#include "executor/posix_file_system.h"
#include "model/file_name.h"
#include "model/plan.h"
#include "model/profile.h"

namespace patina {
namespace {

struct BareOp {
  int directory_fd;
  bool is_delete;
  uint64_t bytes;
  FileName name;
};

[[noreturn]] void die(const std::string& message) {
  fmt::print(stderr, "bare-loop: {}\n", message);
  std::exit(EXIT_FAILURE);
}

std::vector<std::vector<BareOp>> compute(const Forecast& forecast, const std::vector<int>& handles,
                                         int threads) {
  Planner planner(forecast);
  const std::vector<uint16_t> lane_of_directory = spread_directories(forecast, planner.tree(), threads);
  std::vector<std::vector<BareOp>> lanes(static_cast<size_t>(threads));
  std::vector<Operation> block(4096);
  while (!planner.finished()) {
    const size_t planned = planner.next(block);
    for (const Operation& op : std::span(block).first(planned)) {
      lanes[lane_of_directory[op.directory]].push_back(
          {handles[op.directory], op.is_delete(), op.bytes, FileName('f', op.file)});
    }
  }
  return lanes;
}

bool write_zeroes(int fd, uint64_t bytes) {
  static constexpr std::array<char, 128 << 10> kZeroes{};
  while (bytes > 0) {
    const ssize_t written = write(fd, kZeroes.data(), std::min<uint64_t>(bytes, kZeroes.size()));
    if (written <= 0) return false;
    bytes -= static_cast<uint64_t>(written);
  }
  return true;
}

bool fill(int fd, uint64_t bytes, bool writes) {
  if (writes) return write_zeroes(fd, bytes);
  return bytes == 0 || fallocate(fd, 0, 0, static_cast<off_t>(bytes)) == 0;
}

// `sync_ops` 0: files are allocated, and nothing is synced.
void replay(const std::vector<BareOp>& ops, int mount_fd, uint64_t sync_ops,
            std::atomic<uint64_t>& failures) {
  uint64_t done_count = 0;
  for (const BareOp& op : ops) {
    if (sync_ops > 0 && done_count++ % sync_ops == 0 && syncfs(mount_fd) != 0) ++failures;
    if (op.is_delete) {
      if (unlinkat(op.directory_fd, op.name.c_str(), 0) != 0) ++failures;
      continue;
    }
    const int fd =
        openat(op.directory_fd, op.name.c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (fd < 0 || !fill(fd, op.bytes, sync_ops > 0)) ++failures;
    if (fd >= 0) close(fd);
  }
}

int measure(const std::string& mount, const std::string& profile_file, double fullness, int threads,
            uint64_t horizon_ops_count, uint64_t sync_ops) {
  Result<Profile> profile = load_profile(profile_file);
  if (!profile) die(profile.error().message);
  auto file_system = PosixFileSystem::open(mount, /*may_hold_files=*/false);
  if (!file_system) die(file_system.error().message);
  ForecastRequest request;
  request.capacity_bytes = (*file_system)->capacity_bytes();
  request.block_size_bytes = (*file_system)->block_size_bytes();
  request.fullness = fullness;
  request.horizon_ops_count = horizon_ops_count;
  Result<Forecast> forecast = make_forecast(*profile, request);
  if (!forecast) die(forecast.error().message);

  const DirectoryTree tree(forecast->subdirs_count);
  if (Status made = (*file_system)->make_directories(tree); !made) die(made.error().message);
  std::vector<int> handles;
  for (uint32_t i = 0; i < tree.count(); ++i) {
    handles.push_back(open((mount + "/" + tree.path(i)).c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (handles.back() < 0) die("cannot open directory " + tree.path(i));
  }
  const std::vector<std::vector<BareOp>> lanes = compute(*forecast, handles, threads);

  const int mount_fd = open(mount.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (mount_fd < 0) die("cannot open " + mount);
  std::atomic<uint64_t> failures{0};
  const auto started = std::chrono::steady_clock::now();
  {
    std::vector<std::jthread> running;
    running.reserve(lanes.size());
    for (const std::vector<BareOp>& ops : lanes) {
      running.emplace_back([&, mount_fd, sync_ops] { replay(ops, mount_fd, sync_ops, failures); });
    }
  }
  const double elapsed_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  fmt::print(
      "{{\"type\":\"bare_loop\",\"ops_count\":{},\"failures_count\":{},\"threads_count\":{},\"elapsed_s\":{},"
      "\"ops_per_s\":{}}}\n",
      forecast->horizon_ops_count, failures.load(), threads, elapsed_s,
      static_cast<double>(forecast->horizon_ops_count) / elapsed_s);
  return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace
}  // namespace patina

int main(int argc, char** argv) {
  if (argc != 6 && argc != 7)
    patina::die("usage: bare-loop MOUNT PROFILE FULLNESS THREADS HORIZON [SYNC_OPS]");
  return patina::measure(argv[1], argv[2], std::strtod(argv[3], nullptr), std::atoi(argv[4]),
                         std::strtoull(argv[5], nullptr, 10),
                         argc == 7 ? std::strtoull(argv[6], nullptr, 10) : 0);
}
