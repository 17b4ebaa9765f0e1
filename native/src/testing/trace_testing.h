// Partitions of loop devices, and traces that run beside a test.
#pragma once

#include <linux/blkpg.h>
#include <linux/loop.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <string>
#include <thread>

#include "image/delta.h"
#include "testing/device_testing.h"
#include "testing/test_places.h"
#include "trace/delta_command.h"
#include "trace/trace.h"

namespace patina {

// Enables partitions, which a loop device lacks by default.
inline void allow_partitions(const LoopDevice& disk) {
  const int fd = ::open(disk.path().c_str(), O_RDWR | O_CLOEXEC);
  loop_info64 info = {};
  EXPECT_EQ(::ioctl(fd, LOOP_GET_STATUS64, &info), 0);
  info.lo_flags |= LO_FLAGS_PARTSCAN;
  EXPECT_EQ(::ioctl(fd, LOOP_SET_STATUS64, &info), 0);
  ::close(fd);
}

inline void wait_for_node(const std::string& path) {
  wait_until(path + " appears", [&] { return ::access(path.c_str(), F_OK) == 0; });
}

// The first partition of a loop device, made without a partition table, which not every kernel reads. It ends
// with the device.
class LoopPartition {
 public:
  LoopPartition(const LoopDevice& disk, uint64_t begin_bytes, uint64_t length_bytes)
      : path_(disk.path() + "p1") {
    allow_partitions(disk);
    const int fd = ::open(disk.path().c_str(), O_RDWR | O_CLOEXEC);
    blkpg_partition partition{};
    partition.start = static_cast<long long>(begin_bytes);
    partition.length = static_cast<long long>(length_bytes);
    partition.pno = 1;
    blkpg_ioctl_arg add{
        .op = BLKPG_ADD_PARTITION, .flags = 0, .datalen = sizeof partition, .data = &partition};
    EXPECT_EQ(::ioctl(fd, BLKPG, &add), 0) << "errno " << errno;
    ::close(fd);
    wait_for_node(path_);
  }

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// A trace in a thread of the test, armed once constructed.
class RunningTrace {
 public:
  explicit RunningTrace(const TraceOptions& options,
                        std::vector<TraceSourceKind> kinds = kernel_trace_sources())
      : trace_file_(options.trace_file) {
    sink.on_event = [this](const nlohmann::ordered_json& event) {
      if (event["type"] == "armed") armed_ = true;
      if (event["type"] == "progress") ++progress_count_;
      return is_read.load();
    };
    thread_ = std::thread([this, options, kinds = std::move(kinds)] {
      result_ = run_trace(options, sink, stop_, kinds);
      ended_ = true;
    });
    while (!armed_ && !ended_) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  ~RunningTrace() { end(); }
  RunningTrace(const RunningTrace&) = delete;
  RunningTrace& operator=(const RunningTrace&) = delete;

  bool armed() const { return armed_; }
  void wait_for_progress() const {
    const int before = progress_count_;
    while (progress_count_ == before && !ended_) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  void wait_for_end() {
    if (thread_.joinable()) thread_.join();
  }
  const Status& end() {
    stop_ = true;
    wait_for_end();
    return result_;
  }
  // Ends the trace, and makes its delta.
  Delta delta(uint64_t device_bytes) {
    EXPECT_TRUE(end().ok()) << result_.error().message;
    const std::string file = trace_file_ + ".delta";
    CollectingSink delta_sink;
    const Status made = run_delta(
        {.trace_files = {trace_file_}, .device_bytes = device_bytes, .delta_file = file}, delta_sink);
    EXPECT_TRUE(made.ok()) << made.error().message;
    const Result<Delta> read = read_delta(file);
    return read ? *read : Delta{};
  }

  CollectingSink sink;  // read by tests once it has ended
  std::atomic<bool> is_read{true};

 private:
  std::string trace_file_;
  std::atomic<bool> armed_{false};
  std::atomic<bool> ended_{false};
  std::atomic<bool> stop_{false};
  std::atomic<int> progress_count_{0};
  Status result_ = ok_status();
  std::thread thread_;
};

// The program itself, armed.
class TracingProgram {
 public:
  TracingProgram(const std::string& device, const std::string& trace_file, std::string events_file,
                 const std::vector<std::string>& more = {})
      : events_file_(std::move(events_file)) {
    std::vector<std::string> argv = {kCoreProgram, "trace",    "--device", device,
                                     "--out",      trace_file, "--source", "tracefs"};
    argv.insert(argv.end(), more.begin(), more.end());
    const int output = ::open(events_file_.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    pid_ = spawn_program(argv, output);
    ::close(output);
    wait_for("\"armed\"");
  }
  ~TracingProgram() {
    if (pid_ > 0) end(SIGKILL);
  }
  TracingProgram(const TracingProgram&) = delete;
  TracingProgram& operator=(const TracingProgram&) = delete;

  pid_t pid() const { return pid_; }
  void wait_for(const std::string& text) const {
    wait_until(text + " is reported",
               [&] { return read_whole_file(events_file_).find(text) != std::string::npos; });
  }
  void signal(int number) const { ::kill(pid_, number); }
  // Ends it; returns its exit code; -1 when it was killed.
  int end(int number) {
    signal(number);
    int status = 0;
    EXPECT_EQ(::waitpid(pid_, &status, 0), pid_);
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  std::string events_file_;
  pid_t pid_ = -1;
};

// Makes folders of files and holes, for a trial to remove.
inline void make_tree(const std::string& root) {
  for (int i = 0; i < 8; ++i) {
    const std::string folder = root + "/folder" + std::to_string(i);
    ::mkdir(folder.c_str(), 0700);
    fragment_file_system(folder, 40, true);
  }
}

// Returns the blocks that differ between two files or devices of one size.
inline std::vector<uint64_t> differing_blocks(const std::string& a, const std::string& b) {
  constexpr size_t kStepBytes = size_t{1} << 20U;
  std::ifstream first(a, std::ios::binary);
  std::ifstream second(b, std::ios::binary);
  std::string left(kStepBytes, '\0');
  std::string right(kStepBytes, '\0');
  std::vector<uint64_t> blocks;
  for (uint64_t at = 0;; at += kStepBytes) {
    first.read(left.data(), kStepBytes);
    second.read(right.data(), kStepBytes);
    EXPECT_EQ(first.gcount(), second.gcount());
    const auto length = static_cast<size_t>(first.gcount());
    for (size_t i = 0; i < length; i += kDeltaBlockBytes) {
      if (left.compare(i, kDeltaBlockBytes, right, i, kDeltaBlockBytes) != 0) {
        blocks.push_back((at + i) / kDeltaBlockBytes);
      }
    }
    if (length < kStepBytes) return blocks;
  }
}

inline bool holds_block(const Delta& delta, uint64_t block) {
  const uint64_t at = block * kDeltaBlockBytes;
  return std::any_of(delta.extents.begin(), delta.extents.end(), [at](const ByteRange& extent) {
    return extent.begin_bytes <= at && at < extent.end_bytes;
  });
}

}  // namespace patina
