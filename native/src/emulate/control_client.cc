// One connection for each request, as the socket has it.
#include "emulate/control_client.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/descriptor.h"
#include "base/error_code.h"
#include "emulate/control_socket.h"

namespace patina {
namespace {

using Json = nlohmann::ordered_json;

Error unanswered(const std::string& folder, const char* why) {
  return {ErrorCode::kBackingInvalid,
          fmt::format("the emulator of '{}' does not answer: {}. Start it first", folder, why)};
}

bool send_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::send(fd, text.data(), text.size(), MSG_NOSIGNAL);
    if (n <= 0) return false;
    text.remove_prefix(static_cast<size_t>(n));
  }
  return true;
}

Error error_in(const Json& answer) {
  const auto rows = error_codes();
  const auto row = std::find_if(rows.begin(), rows.end(), [&answer](const ErrorCodeRow& each) {
    return answer.value("code", "") == each.name;
  });
  return {row == rows.end() ? ErrorCode::kInternal : row->code, answer.value("message", "")};
}

}  // namespace

Result<Json> ask_emulator(const std::string& folder, const Json& request) {
  const Descriptor in(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!in.valid()) return unanswered(folder, std::strerror(errno));
  const sockaddr_un address = control_address(in, "control");
  const Descriptor fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const bool is_connected =
      fd.valid() && ::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  if (!is_connected || !send_all(fd.get(), request.dump() + "\n")) {
    return unanswered(folder, std::strerror(errno));
  }
  std::string text;
  constexpr size_t kReceiveBytes = 4096;
  std::array<char, kReceiveBytes> bytes;
  for (ssize_t n = 0; (n = ::recv(fd.get(), bytes.data(), bytes.size(), 0)) > 0;) {
    text.append(bytes.data(), static_cast<size_t>(n));
  }
  const Json answer = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!answer.is_object()) return unanswered(folder, "it closed the connection");
  if (answer.value("type", "") == "error") return error_in(answer);
  return answer;
}

}  // namespace patina
