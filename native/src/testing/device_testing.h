// Real loop devices, mounts and programs for tests; each cleans up after itself.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <spawn.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/event.h"
#include "testing/test_places.h"

namespace patina {

// PATINA_TEST_DEVICES=0 skips tests that make devices, also for root.
inline bool may_make_devices() {
  const char* wanted = std::getenv("PATINA_TEST_DEVICES");  // NOLINT(concurrency-mt-unsafe)
  return ::geteuid() == 0 && (wanted == nullptr || std::strcmp(wanted, "0") != 0);
}

// Skips a test without root: loop devices and mounts are the system under test.
#define PATINA_REQUIRE_ROOT() \
  if (!patina::may_make_devices()) GTEST_SKIP() << "needs root: loop devices and mounts"

struct ProgramResult {
  int exit_code = -1;
  std::string output;  // stdout and stderr
};

inline pid_t spawn_program(const std::vector<std::string>& argv, int output_fd) {
  std::vector<char*> arguments;
  arguments.reserve(argv.size() + 1);
  for (const std::string& argument : argv) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output_fd, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output_fd, STDERR_FILENO);
  pid_t pid = -1;
  const int error = posix_spawnp(&pid, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  EXPECT_EQ(error, 0) << argv[0] << " cannot be started";
  return error == 0 ? pid : -1;
}

// Runs a program without a shell.
inline ProgramResult run_program(const std::vector<std::string>& argv) {
  std::array<int, 2> ends{};
  EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  const pid_t pid = spawn_program(argv, ends[1]);
  ::close(ends[1]);
  ProgramResult result;
  std::array<char, 4096> buffer{};
  for (ssize_t n = 0; (n = ::read(ends[0], buffer.data(), buffer.size())) > 0;) {
    result.output.append(buffer.data(), static_cast<size_t>(n));
  }
  ::close(ends[0]);
  int status = 0;
  if (pid > 0 && ::waitpid(pid, &status, 0) == pid && WIFEXITED(status)) {
    result.exit_code = WEXITSTATUS(status);
  }
  return result;
}

inline std::string require_program(const std::vector<std::string>& argv) {
  const ProgramResult result = run_program(argv);
  EXPECT_EQ(result.exit_code, 0) << argv[0] << ": " << result.output;
  return result.output;
}

// Waits for another process or the kernel; tests wait in no other way. The limit ends a test whose condition
// never holds; it is far above the need of a busy machine.
template <typename Condition>
bool wait_until(const std::string& what, Condition is_so) {
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(300);
  while (!is_so()) {
    if (std::chrono::steady_clock::now() > limit) {
      ADD_FAILURE() << "not within 300 s: " << what;
      return false;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

// A folder in memory, removed with its test: below PATINA_TEST_MEMORY, which the suite removes after a killed
// test.
class ScratchFolder {
 public:
  ScratchFolder() {
    const char* memory = std::getenv("PATINA_TEST_MEMORY");  // NOLINT(concurrency-mt-unsafe)
    std::string pattern = std::string(memory == nullptr ? "/dev/shm" : memory) + "/patina-test-XXXXXX";
    if (::mkdtemp(pattern.data()) == nullptr) ADD_FAILURE() << "mkdtemp " << pattern;
    path_ = pattern;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// Makes this process's mounts private: no clone of the namespace keeps one alive after its unmount, and none
// outlives the process.
inline void keep_mounts_private() {
  static const bool kept =
      ::unshare(CLONE_NEWNS) == 0 && ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
  EXPECT_TRUE(kept) << "errno " << errno;
}

// A sparse backing file and the loop device over it.
class LoopDevice {
 public:
  LoopDevice(std::string backing_file, uint64_t size_bytes, uint64_t offset_bytes = 0)
      : backing_file_(std::move(backing_file)) {
    keep_mounts_private();
    const int fd = ::open(backing_file_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    EXPECT_EQ(::ftruncate(fd, static_cast<off_t>(size_bytes + offset_bytes)), 0);
    ::close(fd);
    path_ = require_program(
        {"losetup", "--find", "--show", "--offset", std::to_string(offset_bytes), backing_file_});
    while (!path_.empty() && path_.back() == '\n') path_.pop_back();
  }
  ~LoopDevice() {
    if (!path_.empty()) require_program({"losetup", "--detach", path_});
  }
  LoopDevice(const LoopDevice&) = delete;
  LoopDevice& operator=(const LoopDevice&) = delete;

  const std::string& path() const { return path_; }
  const std::string& backing_file() const { return backing_file_; }

 private:
  std::string backing_file_;
  std::string path_;
};

class Mount {
 public:
  Mount(const std::string& source, std::string folder, const char* type, const char* options = "")
      : folder_(std::move(folder)) {
    ::mkdir(folder_.c_str(), 0700);
    mounted_ = ::mount(source.c_str(), folder_.c_str(), type, MS_NOATIME, options) == 0;
    EXPECT_TRUE(mounted_) << type << " on " << folder_ << ": errno " << errno;
  }
  ~Mount() { leave(0); }
  Mount(const Mount&) = delete;
  Mount& operator=(const Mount&) = delete;

  // Removes it from the tree at once, also while it is in use.
  void detach() { leave(MNT_DETACH); }

  const std::string& folder() const { return folder_; }

 private:
  void leave(int flags) {
    if (std::exchange(mounted_, false)) {
      EXPECT_EQ(::umount2(folder_.c_str(), flags), 0) << folder_ << ": errno " << errno;
    }
  }

  std::string folder_;
  bool mounted_ = false;
};

// Fragments the free space: makes files of many sizes, and deletes every second one. A file system that
// cannot allocate without writing (ext2, ext3) gets data.
inline void fragment_file_system(const std::string& folder, int files_count, bool with_data) {
  std::mt19937 generator(7);
  const std::string data(size_t{96} << 10, 'p');
  const auto name_of = [&folder](int i) { return folder + "/f" + std::to_string(i); };
  for (int i = 0; i < files_count; ++i) {
    const int fd = ::open(name_of(i).c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    const auto size = static_cast<off_t>(4096 + generator() % 90000);
    const bool is_allocated = !with_data && ::fallocate(fd, 0, 0, size) == 0;
    if (!is_allocated) {
      EXPECT_TRUE(with_data || errno == EOPNOTSUPP) << errno;
      EXPECT_EQ(::write(fd, data.data(), static_cast<size_t>(size)), size);
    }
    ::close(fd);
  }
  for (int i = 0; i < files_count; i += 2) ::unlink(name_of(i).c_str());
}

inline std::string read_whole_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

inline void write_at(const std::string& path, uint64_t offset, const std::string& bytes) {
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  EXPECT_EQ(::pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset)),
            static_cast<ssize_t>(bytes.size()));
  EXPECT_EQ(::fsync(fd), 0);
  ::close(fd);
}

inline std::string random_bytes(size_t count, uint32_t seed) {
  std::mt19937_64 generator(seed);
  std::string bytes(count, '\0');
  for (size_t at = 0; at < count; at += sizeof(uint64_t)) {
    const uint64_t word = generator();
    std::memcpy(&bytes[at], &word, std::min(sizeof word, count - at));
  }
  return bytes;
}

// Collects a command's events; `on_event` may interfere, or return false as a closed stdout does.
class CollectingSink final : public EventSink {
 public:
  bool emit(const nlohmann::ordered_json& event) override {
    events.push_back(event);
    return on_event ? on_event(event) : true;
  }
  const nlohmann::ordered_json& last() const { return events.back(); }

  std::vector<nlohmann::ordered_json> events;
  std::function<bool(const nlohmann::ordered_json&)> on_event;
};

// Compares types and keys with the golden records of native/contract, which the tests of the other languages
// read.
inline void expect_shaped_like_golden(const CollectingSink& sink, const std::string& command) {
  std::ifstream golden(std::string(kCheckoutFolder) + "/native/contract/" + command + ".jsonl");
  std::map<std::string, nlohmann::ordered_json> by_type;
  for (std::string line; std::getline(golden, line);) {
    const auto record = nlohmann::ordered_json::parse(line);
    by_type[record["type"]] = record;
  }
  for (const nlohmann::ordered_json& event : sink.events) {
    ASSERT_TRUE(by_type.contains(event["type"])) << event;
    const nlohmann::ordered_json& record = by_type[event["type"]];
    ASSERT_EQ(event.size(), record.size()) << event;
    for (auto mine = event.begin(), its = record.begin(); mine != event.end(); ++mine, ++its) {
      EXPECT_EQ(mine.key(), its.key());
      EXPECT_STREQ(mine->type_name(), its->type_name()) << mine.key();
    }
  }
}

}  // namespace patina
