// Gates: points at which a test holds a command. Without PATINA_GATES in the environment there are none.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

namespace patina {

// A gate is a FIFO in a folder, named after its point. A command that comes to the point opens the FIFO for
// reading, and goes on once the FIFO has had a writer and has none any more, or once the command receives a
// stop request. A test that can open the FIFO for writing (O_WRONLY | O_NONBLOCK) knows that the command
// waits there, and releases it by closing the FIFO. Where there is no FIFO of that name, nothing happens.
class Gates {
 public:
  // An empty folder: no gates.
  explicit Gates(std::string folder) : folder_(std::move(folder)) {}
  // Returns the gates of the folder PATINA_GATES.
  static const Gates& of_environment();

  void pass(std::string_view point, const std::atomic<bool>& stop) const {
    if (!folder_.empty()) wait_at(point, stop);
  }
  bool exist() const { return !folder_.empty(); }

 private:
  void wait_at(std::string_view point, const std::atomic<bool>& stop) const;

  std::string folder_;
};

// The gates of a series of steps, which several threads do: <point>-0 before the first, <point>-1 before the
// second. While one thread waits at a gate, none begins a step.
class StepGates {
 public:
  StepGates(const Gates& gates, std::string point, const std::atomic<bool>& stop)
      : gates_(gates), point_(std::move(point)), stop_(stop) {}

  void pass_next() {
    if (gates_.exist()) wait_at_next();
  }

 private:
  void wait_at_next();

  const Gates& gates_;
  const std::string point_;
  const std::atomic<bool>& stop_;
  std::mutex mutex_;
  uint64_t begun_count_ = 0;  // under mutex_
};

}  // namespace patina
