// Fuzzes the control lines of standard input, through the listener that reads them.
#include "executor/control.h"

#include <fcntl.h>

#include <array>
#include <chrono>

#include "fuzzing.h"

namespace {

// Less than a pipe holds, so that nothing blocks before the listener runs.
constexpr size_t kMaxInputBytes = 16384;
constexpr std::chrono::seconds kPatience{5};

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size > kMaxInputBytes) return 0;
  std::array<int, 2> ends{};
  patina::require(pipe2(ends.data(), O_CLOEXEC) == 0, "a pipe");
  patina::require(dup2(ends[0], STDIN_FILENO) == STDIN_FILENO, "a standard input");
  const std::string input = std::string(patina::text_of(data, size)) + "\nstop\n";
  patina::require(write(ends[1], input.data(), input.size()) == static_cast<ssize_t>(input.size()),
                  "a write");
  {
    patina::Switches switches;
    const patina::ControlListener listener(switches, true);
    // A stop on a line of its own is obeyed after any input.
    const auto give_up = std::chrono::steady_clock::now() + kPatience;
    while (!switches.stop) {
      patina::require(std::chrono::steady_clock::now() < give_up, "a stop that is obeyed");
      std::this_thread::yield();
    }
  }
  close(ends[0]);
  close(ends[1]);
  return 0;
}
