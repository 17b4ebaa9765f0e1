// poll(2) reports a hang-up on a FIFO without a writer only once it has had one.
#include "base/gate.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>

#include <cstdlib>

#include "base/descriptor.h"

namespace patina {
namespace {

// Interval at which a held command checks for a stop request.
constexpr int kStopPollMs = 20;

}  // namespace

const Gates& Gates::of_environment() {
  static const Gates gates = [] {
    const char* folder = std::getenv("PATINA_GATES");  // NOLINT(concurrency-mt-unsafe): nothing here sets it
    return Gates(folder == nullptr ? "" : folder);
  }();
  return gates;
}

void Gates::wait_at(std::string_view point, const std::atomic<bool>& stop) const {
  const std::string path = fmt::format("{}/{}", folder_, point);
  const Descriptor fifo(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  struct stat found{};
  if (!fifo.valid() || ::fstat(fifo.get(), &found) != 0 || !S_ISFIFO(found.st_mode)) return;
  pollfd writer{fifo.get(), POLLIN, 0};
  while (!stop && (writer.revents & POLLHUP) == 0) ::poll(&writer, 1, kStopPollMs);
}

void StepGates::wait_at_next() {
  const std::lock_guard<std::mutex> lock(mutex_);
  gates_.pass(fmt::format("{}-{}", point_, begun_count_++), stop_);
}

}  // namespace patina
