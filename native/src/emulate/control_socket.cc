// One connection at a time. A client that is silent for a second is left.
#include "emulate/control_socket.h"

#include <sys/socket.h>
#include <sys/time.h>

#include <array>
#include <nlohmann/json.hpp>

#include "base/descriptor.h"
#include "base/event.h"

namespace patina {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMostRequestBytes = 65'536;
constexpr size_t kReceiveBytes = 4096;
constexpr timeval kPatience{.tv_sec = 1, .tv_usec = 0};

std::string read_line(int fd) {
  std::string line;
  std::array<char, kReceiveBytes> bytes;
  while (line.size() < kMostRequestBytes && line.find('\n') == std::string::npos) {
    const ssize_t n = ::recv(fd, bytes.data(), bytes.size(), 0);
    if (n <= 0) break;
    line.append(bytes.data(), static_cast<size_t>(n));
  }
  return line;
}

}  // namespace

Result<ControlSocket> ControlSocket::listen(const std::string& path) {
  Result<std::unique_ptr<UnixListener>> listener = UnixListener::listen(path);
  if (!listener) return listener.error();
  return ControlSocket(std::move(*listener));
}

void ControlSocket::serve(int timeout_ms, const Answer& answer) {
  const Descriptor client = listener_->accept(timeout_ms);
  if (!client.valid()) return;
  ::setsockopt(client.get(), SOL_SOCKET, SO_RCVTIMEO, &kPatience, sizeof kPatience);
  ::setsockopt(client.get(), SOL_SOCKET, SO_SNDTIMEO, &kPatience, sizeof kPatience);
  const Json request = Json::parse(read_line(client.get()), nullptr, /*allow_exceptions=*/false);
  const Json reply =
      request.is_object()
          ? answer(request)
          : error_event({ErrorCode::kUsage, "a request must be one line with one JSON object"});
  send_whole(client.get(), reply.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
}

}  // namespace patina
