// Control of a running command: stop, pause, resume, and control lines.
#pragma once

#include <atomic>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "base/result.h"
#include "executor/control_line.h"

namespace patina {

// A control line beyond stop, pause and resume: its request, or the parse error.
struct Wish {
  std::string line;
  Result<ControlLine> asked;
};

// Queue of control lines from the listener to the command, oldest first; when full, it drops the newest.
class Wishes {
 public:
  void add(Wish wish);
  std::optional<Wish> take();

 private:
  static constexpr size_t kMostWaiting = 64;

  std::mutex mutex_;
  std::deque<Wish> waiting_;
};

struct Switches {
  std::atomic<bool> stop{false};
  std::atomic<bool> paused{false};
  mutable Wishes wishes;
};

// Turns SIGTERM, SIGINT and, when `read_stdin`, the lines on standard input (control_line.h) into switches
// and requests. Ignores the end of standard input. Must be made before any other thread: it blocks the
// signals. Starts a thread only to read standard input, since a rollback of a few milliseconds would wait for
// it.
class ControlListener {
 public:
  ControlListener(Switches& switches, bool read_stdin);
  ~ControlListener();
  ControlListener(const ControlListener&) = delete;
  ControlListener& operator=(const ControlListener&) = delete;

 private:
  void listen();

  Switches& switches_;
  int signal_fd_ = -1;
  int wake_fd_ = -1;
  std::thread thread_;
};

}  // namespace patina
