// Writes events as JSON lines.
#include "base/event.h"

#include <unistd.h>

#include <cerrno>
#include <mutex>
#include <nlohmann/json.hpp>

namespace patina {
namespace {

// One line at a time, whichever thread reports. A pipe write above PIPE_BUF is not atomic by itself.
std::mutex& stdout_mutex() {
  static std::mutex mutex;
  return mutex;
}

}  // namespace

bool StdoutEventSink::emit(const nlohmann::ordered_json& event) {
  std::string line = event.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  line.push_back('\n');
  const std::lock_guard<std::mutex> lock(stdout_mutex());
  size_t written = 0;
  while (written < line.size()) {
    const ssize_t n = ::write(STDOUT_FILENO, line.data() + written, line.size() - written);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    written += static_cast<size_t>(n);
  }
  return true;
}

nlohmann::ordered_json hello_event(std::string_view command) {
  return {{"type", "hello"},
          {"schema_version", kEventSchemaVersion},
          {"program", "patina-core"},
          {"program_version", PATINA_VERSION},
          {"command", std::string(command)}};
}

nlohmann::ordered_json error_event(const Error& error) {
  return {{"type", "error"}, {"code", error_code_name(error.code)}, {"message", error.message}};
}

}  // namespace patina
