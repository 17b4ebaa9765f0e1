// One connection for each request, as the socket has it.
#include "emulate/control_client.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/descriptor.h"
#include "base/error_code.h"
#include "base/unix_socket.h"

namespace patina {
namespace {

using Json = nlohmann::ordered_json;

Error unanswered(const std::string& folder, const char* why) {
  return {ErrorCode::kBackingInvalid,
          fmt::format("the emulator of '{}' does not answer: {}. Start it first", folder, why)};
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
  const Descriptor fd = connect_unix(folder + "/control");
  if (!fd.valid() || !send_whole(fd.get(), request.dump() + "\n")) {
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
