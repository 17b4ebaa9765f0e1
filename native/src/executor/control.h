// How a running command is told to stop, pause or go on.
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

// A line that takes more than a switch: what it asks for, or why it was not understood.
struct Wish {
  std::string line;
  Result<ControlLine> asked;
};

// Handed over from the listener to the command, oldest first; of too many the newest are dropped.
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
// and wishes. The end of standard input means nothing. Made before any other thread: it blocks the signals.
// Without standard input to read it needs no thread, which a rollback of a few milliseconds would wait for.
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
