// One connection at a time. A client that is silent for a second is left.
#include "emulate/control_socket.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

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

sockaddr_un control_address(const Descriptor& folder, const std::string& name) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  const std::string path = fmt::format("/proc/self/fd/{}/{}", folder.get(), name);
  std::memcpy(address.sun_path, path.data(), std::min(path.size(), sizeof address.sun_path - 1));
  return address;
}

Result<std::unique_ptr<ControlSocket>> ControlSocket::listen(const std::string& path) {
  const std::filesystem::path place(path);
  const Descriptor folder(::open(place.parent_path().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  const sockaddr_un address = control_address(folder, place.filename());
  ::unlink(path.c_str());
  Descriptor fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  constexpr int kWaiting = 16;
  const bool listens = fd.valid() &&
                       ::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
                       ::chmod(path.c_str(), S_IRUSR | S_IWUSR) == 0 && ::listen(fd.get(), kWaiting) == 0;
  if (!listens) {
    return Error{ErrorCode::kBackingInvalid,
                 fmt::format("no socket at '{}': {}", path, std::strerror(errno))};
  }
  return std::unique_ptr<ControlSocket>(new ControlSocket(path, std::move(fd)));
}

ControlSocket::~ControlSocket() {
  ::unlink(path_.c_str());
}

void ControlSocket::serve(int timeout_ms, const Answer& answer) {
  pollfd waiting{.fd = fd_.get(), .events = POLLIN, .revents = 0};
  if (::poll(&waiting, 1, timeout_ms) <= 0) return;
  const Descriptor client(::accept4(fd_.get(), nullptr, nullptr, SOCK_CLOEXEC));
  if (!client.valid()) return;
  ::setsockopt(client.get(), SOL_SOCKET, SO_RCVTIMEO, &kPatience, sizeof kPatience);
  ::setsockopt(client.get(), SOL_SOCKET, SO_SNDTIMEO, &kPatience, sizeof kPatience);
  const Json request = Json::parse(read_line(client.get()), nullptr, /*allow_exceptions=*/false);
  const Json reply =
      request.is_object()
          ? answer(request)
          : error_event({ErrorCode::kUsage, "a request must be one line with one JSON object"});
  const std::string line = reply.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  ::send(client.get(), line.data(), line.size(), MSG_NOSIGNAL);
}

}  // namespace patina
