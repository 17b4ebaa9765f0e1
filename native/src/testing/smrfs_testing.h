// SMRfs, served by the program itself, for tests that use it through the kernel.
#pragma once

#include <gtest/gtest.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "testing/device_testing.h"

namespace patina {

// The files of one file system, in a folder: its disk, its map of damage, its names and its mount.
class SmrFs {
 public:
  using Json = nlohmann::ordered_json;

  // `folder`: with the disk `data`, if there is one; `options`: of the command.
  // `prefix`: a program that executes the command.
  SmrFs(std::string folder, std::vector<std::string> options, std::vector<std::string> prefix = {})
      : folder_(std::move(folder)), options_(std::move(options)), prefix_(std::move(prefix)) {
    ::mkdir(metadata().c_str(), 0755);
    options_.insert(options_.begin(), {"--data", data(), "--state", state(), "--metadata", metadata()});
    start();
  }
  // On a device that was formatted.
  explicit SmrFs(const LoopDevice& device) : options_({"--device", device.path()}) { start(); }
  ~SmrFs() {
    end(SIGTERM);
    leave_mount();
  }
  SmrFs(const SmrFs&) = delete;
  SmrFs& operator=(const SmrFs&) = delete;

  std::string operator/(const std::string& name) const { return mount_ / name; }
  const std::string& path() const { return mount_.path(); }
  std::string metadata() const { return folder_ + "/files"; }
  std::string state() const { return folder_ + "/state"; }
  std::string data() const { return folder_ + "/data"; }

  void start() {
    keep_mounts_private();
    leave_mount();
    std::vector<std::string> argv = prefix_;
    argv.insert(argv.end(), {kCoreProgram, "shingle", "mount", "--mount", mount_.path()});
    argv.insert(argv.end(), options_.begin(), options_.end());
    const int fd = ::open(output().c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    pid_ = spawn_program(argv, fd);
    ::close(fd);
    wait_until("the file system is ready", [this] { return !record("ready").is_null() || has_ended(); });
  }
  // Unmounts and ends it; returns the summary.
  Json stop() {
    EXPECT_EQ(end(SIGTERM), 0) << read_whole_file(output());
    return record("summary");
  }
  void restart() {
    stop();
    start();
  }
  // The mount stays, and every use of it fails, until start().
  void kill() { end(SIGKILL); }
  // The last record of this type, or null.
  Json record(const std::string& type) const {
    Json found;
    std::istringstream in(read_whole_file(output()));
    for (std::string line; std::getline(in, line) && !in.eof();) {
      const Json event = Json::parse(line, nullptr, /*allow_exceptions=*/false);
      if (event.is_object() && event.value("type", "") == type) found = event;
    }
    return found;
  }
  // Its exit code, or -1 after a signal.
  int wait() {
    if (pid_ <= 0) return -1;
    int status = 0;
    EXPECT_EQ(::waitpid(pid_, &status, 0), pid_);
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  // A file that has its records and the messages of failed operations.
  std::string output() const { return output_ / "output"; }

 private:
  int end(int signal) {
    if (pid_ > 0) ::kill(pid_, signal);
    return wait();
  }
  void leave_mount() const {
    while (::umount2(mount_.path().c_str(), MNT_DETACH | UMOUNT_NOFOLLOW) == 0) {
    }
  }
  bool has_ended() const {
    siginfo_t info = {};
    return ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid == pid_;
  }

  const std::string folder_;
  std::vector<std::string> options_;
  const std::vector<std::string> prefix_;
  const ScratchFolder output_;
  const ScratchFolder mount_;
  pid_t pid_ = -1;
};

// Makes the disk of an SmrFs: a sparse file.
inline void make_data_file(const std::string& folder, uint64_t size_bytes) {
  const std::string path = folder + "/data";
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  EXPECT_EQ(::ftruncate(fd, static_cast<off_t>(size_bytes)), 0);
  ::close(fd);
}

}  // namespace patina
