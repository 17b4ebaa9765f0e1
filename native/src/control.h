// How a running command is told to stop, pause or go on.
#pragma once

#include <atomic>
#include <thread>

namespace patina {

struct Switches {
  std::atomic<bool> stop{false};
  std::atomic<bool> paused{false};
};

// Turns SIGTERM, SIGINT and, when `read_stdin`, the lines `pause`, `resume` and `stop` on standard input into
// switches. The end of standard input means nothing. Made before any other thread: it blocks the signals.
class ControlListener {
 public:
  ControlListener(Switches& switches, bool read_stdin);
  ~ControlListener();
  ControlListener(const ControlListener&) = delete;
  ControlListener& operator=(const ControlListener&) = delete;

 private:
  void listen(bool read_stdin);

  Switches& switches_;
  int signal_fd_;
  int wake_fd_;
  std::thread thread_;
};

}  // namespace patina
