// Agings by the program itself on a fresh file system of any kind, for tests that disturb them.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "age/age.h"
#include "age/plan_course.h"
#include "base/random.h"
#include "executor/posix_file_system.h"
#include "model/file_name.h"
#include "model/plan.h"
#include "testing/device_testing.h"
#include "testing/profile_testing.h"
#include "testing/test_places.h"

namespace patina {

inline Status age_as_forecast(const Forecast& forecast, FileSystem& file_system, const AgeSettings& settings,
                              EventSink& sink, const Switches& switches) {
  PlanCourse course(forecast, settings.resume_from);
  return age_file_system(course, file_system, settings, sink, switches);
}

struct MadeFileSystem {
  const char* type;
  std::vector<std::string> mkfs;
  const char* options = "";  // of the mount
};

inline std::vector<MadeFileSystem> made_file_systems() {
  return {{"ext4", {"mkfs.ext4", "-q", "-b", "4096", "-m", "0"}},
          {"xfs", {"mkfs.xfs", "-q", "-K"}},
          {"btrfs", {"mkfs.btrfs", "-q", "-K"}}};
}

inline std::string name_of_kind(const testing::TestParamInfo<MadeFileSystem>& kind) {
  return kind.param.type;
}

// mkfs.xfs makes none smaller than 300 MiB.
inline constexpr uint64_t kAgedDeviceBytes = 320ULL << 20U;

// A file system on a loop device that a test can mount, unmount and mount again.
class AgedDevice {
 public:
  explicit AgedDevice(MadeFileSystem kind, uint64_t bytes = kAgedDeviceBytes)
      : kind_(std::move(kind)), bytes_(bytes), backing_file_(folder_ / "device.img") {
    attach();
    std::vector<std::string> command = kind_.mkfs;
    command.push_back(loop_->path());
    require_program(command);
    mount();
  }
  ~AgedDevice() { forget(); }
  AgedDevice(const AgedDevice&) = delete;
  AgedDevice& operator=(const AgedDevice&) = delete;

  std::string folder() const { return folder_ / "mount"; }
  std::string scratch(const std::string& name) const { return folder_ / name; }
  const std::string& device() const { return loop_->path(); }
  const std::string& backing_file() const { return backing_file_; }

  void mount() { mount_ = std::make_unique<Mount>(loop_->path(), folder(), kind_.type, kind_.options); }
  void unmount() { mount_.reset(); }
  void forget() {
    mount_.reset();
    loop_.reset();
  }
  // Detaches mount and device while in use: open files stay usable, and no new ones can be opened.
  void vanish() {
    mount_->detach();
    forget();
  }
  void appear() {
    attach();
    mount();
  }

 private:
  void attach() { loop_ = std::make_unique<LoopDevice>(backing_file_, bytes_); }

  ScratchFolder folder_;
  MadeFileSystem kind_;
  uint64_t bytes_;
  std::string backing_file_;
  std::unique_ptr<LoopDevice> loop_;
  std::unique_ptr<Mount> mount_;
};

// A running program, read line by line; killed with the test that started it.
class RunningAge {
 public:
  using Json = nlohmann::ordered_json;

  explicit RunningAge(const std::vector<std::string>& command) {
    std::array<int, 2> ends{};
    EXPECT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
    output_ = Descriptor(ends[0]);
    pid_ = spawn_program(command, ends[1]);
    close(ends[1]);
  }
  ~RunningAge() { kill_and_wait(); }
  RunningAge(const RunningAge&) = delete;
  RunningAge& operator=(const RunningAge&) = delete;

  // Reads until it has a checkpoint and reports the tick as reached. False: it ended before.
  bool reaches(uint64_t tick) {
    const auto has_come = [this, tick](const char* type) {
      const Json* event = last(type);
      return event != nullptr && (*event)["ops_count"] >= tick;
    };
    while (!has_come("checkpoint") && (last("checkpoint") == nullptr || !has_come("sample"))) {
      if (!read_more()) return false;
    }
    return true;
  }
  void signal(int number) const {
    if (pid_ > 0) kill(pid_, number);
  }
  // Waits until it stands at the gate; returns the descriptor that holds it there. None if it ended before.
  Descriptor stands_at(const std::string& gate) {
    Descriptor held;
    wait_until("it stands at " + gate, [&] {
      held = Descriptor(open(gate.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC));
      return held.valid() || (has_output() && !read_more());
    });
    return held;
  }
  void kill_and_wait() {
    if (pid_ <= 0) return;
    signal(SIGKILL);
    wait();
  }
  // Returns the exit code; -1 if a signal ended it. Kills a program that spins, and fails the test.
  int wait_for_exit() {
    while (read_more()) {
    }
    return wait();
  }

  const Json* last(const std::string& type) const {
    const auto found =
        std::find_if(events_.rbegin(), events_.rend(), [&type](const Json& e) { return e["type"] == type; });
    return found == events_.rend() ? nullptr : &*found;
  }
  std::string error_message() const {
    const Json* error = last("error");
    return error == nullptr ? "" : (*error)["message"].get<std::string>();
  }

 private:
  // Far above any real duration: a program that has not ended by then spins or hangs.
  static constexpr std::chrono::seconds kPatience{300};

  bool has_output() const {
    pollfd source{output_.get(), POLLIN, 0};
    return poll(&source, 1, 0) > 0;
  }
  bool read_more() {
    pollfd source{output_.get(), POLLIN, 0};
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(started_ + kPatience -
                                                                            std::chrono::steady_clock::now());
    if (left.count() <= 0 || poll(&source, 1, static_cast<int>(left.count())) <= 0) {
      ADD_FAILURE() << "the program does not end";
      signal(SIGKILL);
      return false;
    }
    std::array<char, 65536> buffer{};
    const ssize_t n = read(output_.get(), buffer.data(), buffer.size());
    if (n <= 0) return false;
    text_.append(buffer.data(), static_cast<size_t>(n));
    for (size_t end = text_.find('\n'); end != std::string::npos; end = text_.find('\n')) {
      // Lines of standard error are included, which are not JSON.
      Json event = Json::parse(text_.substr(0, end), nullptr, /*allow_exceptions=*/false);
      if (event.is_object()) events_.push_back(std::move(event));
      text_.erase(0, end + 1);
    }
    return true;
  }
  int wait() {
    int status = 0;
    EXPECT_EQ(waitpid(pid_, &status, 0), pid_);
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  const std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
  pid_t pid_ = -1;
  Descriptor output_;
  std::string text_;
  std::vector<Json> events_;
};

// Settings of an aging, for the program and for the model.
struct AgingOrder {
  std::string profile = built_in_profile_file("agrawal");
  double fullness = 0.5;
  uint64_t seed = 1;
  uint64_t horizon_ops_count = 0;
  const char* mode = "unbounded";
  const char* data_mode = "fallocate";
  Mix mix;
  int threads_count = 2;

  std::vector<std::string> command(const std::string& mount, const std::string& checkpoint) const {
    return {kCoreProgram,
            "age",
            "--mount",
            mount,
            "--profile",
            profile,
            "--fullness",
            fmt::format("{}", fullness),
            "--seed",
            fmt::format("{}", seed),
            "--horizon",
            fmt::format("{}", horizon_ops_count),
            "--mode",
            mode,
            "--data",
            data_mode,
            "--append",
            fmt::format("{}", mix.append),
            "--overwrite",
            fmt::format("{}", mix.overwrite),
            "--truncate",
            fmt::format("{}", mix.truncate),
            "--rename",
            fmt::format("{}", mix.rename),
            "--punch-hole",
            fmt::format("{}", mix.punch_hole),
            "--threads",
            fmt::format("{}", threads_count),
            "--checkpoint",
            checkpoint,
            "--checkpoint-interval-ms",
            "150",
            "--sample-interval-ms",
            "10"};
  }
  std::vector<std::string> resume_command(const std::string& mount, const std::string& checkpoint) const {
    std::vector<std::string> resumes = command(mount, checkpoint);
    resumes.insert(resumes.end(), {"--resume", checkpoint});
    return resumes;
  }
  // Makes the forecast at the capacity of the file system mounted there.
  Forecast forecast(const std::string& mount) const {
    const auto file_system = PosixFileSystem::open(mount, true);
    EXPECT_TRUE(file_system.ok());
    if (!file_system) return {};
    ForecastRequest request = request_of((*file_system)->capacity_bytes(), fullness, seed);
    request.block_size_bytes = (*file_system)->block_size_bytes();
    request.horizon_ops_count = horizon_ops_count;
    request.mix = mix;
    Result<Profile> loaded = load_profile(profile);
    EXPECT_TRUE(loaded.ok());
    return loaded ? forecast_of(*loaded, request) : Forecast{};
  }
};

inline std::set<std::string> names_and_sizes(const std::string& folder) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    names.insert(entry.path().lexically_relative(folder).string() + " " + std::to_string(entry.file_size()));
  }
  return names;
}

// Result of an undisturbed aging, by the model alone.
struct UndisturbedAging {
  explicit UndisturbedAging(const Forecast& forecast) : planner(forecast) {
    std::vector<Operation> block(4096);
    while (!planner.finished()) planner.next(block);
    for (const Operation& file : planner.live_files()) {
      const std::string path = file.directory == 0 ? "" : planner.tree().path(file.directory) + "/";
      names.insert(path + name_of(file).c_str() + " " + std::to_string(file.bytes));
    }
  }
  Planner planner;
  std::set<std::string> names;  // as names_and_sizes
};

}  // namespace patina
