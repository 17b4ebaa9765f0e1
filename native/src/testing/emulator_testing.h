// Emulated disks served by the program itself, with a loop device over each, for tests that disturb them.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <csignal>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "testing/device_testing.h"

namespace patina {

class Emulator {
 public:
  using Json = nlohmann::ordered_json;

  // Starts `patina-core emulate`, and waits until it is ready or has ended. `folder`: of the disk.
  Emulator(std::string folder, uint64_t size_bytes, std::vector<std::string> options = {})
      : folder_(std::move(folder)), output_(folder_ + ".output") {
    keep_mounts_private();
    std::vector<std::string> argv = {kCoreProgram, "emulate", "--backing",
                                     folder_,      "--size",  std::to_string(size_bytes)};
    argv.insert(argv.end(), options.begin(), options.end());
    const int fd = open(output_.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    pid_ = spawn_program(argv, fd);
    close(fd);
    wait_until("the emulator is ready", [this] { return !record("ready").is_null() || has_ended(); });
  }
  ~Emulator() {
    detach();
    if (pid_ > 0) kill_and_wait(SIGTERM);
    const std::string disk = folder_ + "/disk";
    while (umount2(disk.c_str(), MNT_DETACH) == 0) {
    }
  }
  Emulator(const Emulator&) = delete;
  Emulator& operator=(const Emulator&) = delete;

  // Attaches a loop device with direct I/O.
  const std::string& attach() {
    loop_ = require_program({"losetup", "--find", "--show", "--direct-io=on", folder_ + "/disk"});
    while (!loop_.empty() && loop_.back() == '\n') loop_.pop_back();
    return loop_;
  }
  void detach() {
    if (!loop_.empty()) require_program({"losetup", "--detach", loop_});
    loop_.clear();
  }
  const std::string& path() const { return loop_; }
  pid_t pid() const { return pid_; }
  std::string file() const { return folder_ + "/disk"; }

  // Detaches and ends it; returns the summary.
  Json stop() {
    detach();
    EXPECT_EQ(kill_and_wait(SIGTERM), 0) << read_whole_file(output_);
    return record("summary");
  }
  // Returns its exit code, or -1 after a signal.
  int kill_and_wait(int signal) {
    this->signal(signal);
    return wait();
  }
  void signal(int signal) const {
    if (pid_ > 0) ::kill(pid_, signal);
  }
  int wait() {
    if (pid_ <= 0) return -1;  // it has been waited for
    int status = 0;
    EXPECT_EQ(::waitpid(pid_, &status, 0), pid_);
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  // Sends a request to its control socket.
  Json ask(const Json& request) const {
    const std::string name = folder_ + "/control";
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, name.data(), std::min(name.size(), sizeof address.sun_path - 1));
    const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    EXPECT_GE(fd, 0);
    if (fd < 0) return {};
    EXPECT_EQ(::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0) << errno;
    const std::string line = request.dump() + "\n";
    EXPECT_EQ(::send(fd, line.data(), line.size(), MSG_NOSIGNAL), static_cast<ssize_t>(line.size()));
    std::string answer;
    std::array<char, 4096> bytes{};
    for (ssize_t n = 0; (n = ::recv(fd, bytes.data(), bytes.size(), 0)) > 0;) {
      answer.append(bytes.data(), static_cast<size_t>(n));
    }
    ::close(fd);
    return Json::parse(answer, nullptr, /*allow_exceptions=*/false);
  }
  Json status() const { return ask({{"type", "status"}}); }
  Json make_fault(Json request) const {
    request["type"] = "fault";
    return ask(request);
  }

  // Returns its last record of this type, or null.
  Json record(const std::string& type) const {
    Json found;
    std::istringstream in(read_whole_file(output_));
    for (std::string line; std::getline(in, line) && !in.eof();) {
      const Json event = Json::parse(line, nullptr, /*allow_exceptions=*/false);
      if (event.is_object() && event.value("type", "") == type) found = event;
    }
    return found;
  }

 private:
  // Leaves the process to be waited for.
  bool has_ended() const {
    siginfo_t info = {};
    return ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid == pid_;
  }

  std::string folder_;
  std::string output_;
  std::string loop_;
  pid_t pid_ = -1;
};

}  // namespace patina
