// Waits for signals and lines in a thread.
#include "executor/control.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdint>
#include <string>

namespace patina {
namespace {

constexpr size_t kMaxLineBytes = 4096;

std::atomic<bool>* stop_switch = nullptr;

void stop_by_signals(std::atomic<bool>& stop) {
  static_assert(std::atomic<bool>::is_always_lock_free);
  stop_switch = &stop;
  struct sigaction action = {};
  action.sa_handler = [](int) { stop_switch->store(true); };
  action.sa_flags = SA_RESTART;
  sigaction(SIGTERM, &action, nullptr);
  sigaction(SIGINT, &action, nullptr);
}

int block_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return signalfd(-1, &signals, SFD_CLOEXEC);
}

void obey(const std::string& line, Switches& switches) {
  if (line.empty()) return;
  Result<ControlLine> asked = parse_control_line(line);
  if (asked && std::holds_alternative<Pause>(*asked)) {
    switches.paused = true;
  } else if (asked && std::holds_alternative<Resume>(*asked)) {
    switches.paused = false;
  } else if (asked && std::holds_alternative<Stop>(*asked)) {
    switches.stop = true;
  } else {
    switches.wishes.add({line, std::move(asked)});
  }
}

// Obeys and removes the complete lines of the text read so far.
void obey_lines(std::string& text, Switches& switches) {
  for (size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n')) {
    obey(text.substr(0, end), switches);
    text.erase(0, end + 1);
  }
  if (text.size() > kMaxLineBytes) text.clear();
}

}  // namespace

void Wishes::add(Wish wish) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (waiting_.size() < kMostWaiting) waiting_.push_back(std::move(wish));
}

std::optional<Wish> Wishes::take() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (waiting_.empty()) return std::nullopt;
  Wish wish = std::move(waiting_.front());
  waiting_.pop_front();
  return wish;
}

ControlListener::ControlListener(Switches& switches, bool read_stdin) : switches_(switches) {
  if (!read_stdin) {
    stop_by_signals(switches.stop);
    return;
  }
  signal_fd_ = block_signals();
  wake_fd_ = eventfd(0, EFD_CLOEXEC);
  thread_ = std::thread([this] { listen(); });
}

ControlListener::~ControlListener() {
  if (!thread_.joinable()) {
    std::signal(SIGTERM, SIG_IGN);
    std::signal(SIGINT, SIG_IGN);
    return;
  }
  const uint64_t one = 1;
  // Cannot fail on a fresh eventfd; otherwise the join below would hang.
  [[maybe_unused]] const ssize_t n = write(wake_fd_, &one, sizeof one);
  thread_.join();
  close(wake_fd_);
  close(signal_fd_);
}

void ControlListener::listen() {
  std::string text;
  std::array<pollfd, 3> sources = {pollfd{wake_fd_, POLLIN, 0}, pollfd{signal_fd_, POLLIN, 0},
                                   pollfd{STDIN_FILENO, POLLIN, 0}};
  for (;;) {
    if (poll(sources.data(), sources.size(), -1) < 0) continue;
    if (sources[0].revents != 0) return;
    if (sources[1].revents != 0) {
      signalfd_siginfo info{};
      if (read(signal_fd_, &info, sizeof info) > 0) switches_.stop = true;
    }
    if (sources[2].revents != 0) {
      std::array<char, 512> buffer{};
      const ssize_t n = read(STDIN_FILENO, buffer.data(), buffer.size());
      if (n > 0) {
        text.append(buffer.data(), static_cast<size_t>(n));
        obey_lines(text, switches_);
      } else {
        sources[2].fd = -1;
      }
    }
  }
}

}  // namespace patina
