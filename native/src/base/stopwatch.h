// Active time of a run, including the time before a resume, without the pauses.
#pragma once

#include <chrono>

namespace patina {

class Stopwatch {
 public:
  explicit Stopwatch(double already_s = 0) : already_s_(already_s) {}

  double elapsed_s() const {
    return already_s_ + (running_ ? std::chrono::duration<double>(Clock::now() - started_).count() : 0);
  }
  void pause() {
    already_s_ = elapsed_s();
    running_ = false;
  }
  void resume() {
    started_ = Clock::now();
    running_ = true;
  }

 private:
  using Clock = std::chrono::steady_clock;
  double already_s_;
  bool running_ = true;
  Clock::time_point started_ = Clock::now();
};

}  // namespace patina
