// Reads a line and its data, then answers.
#include "shingle_server/connection.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "base/event.h"

namespace patina {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kPollMs = 100;
// A client that takes no answer is left so long after a stop request.
constexpr auto kPatience = std::chrono::seconds(2);

// The bytes behind the line; none: it does not say how many.
std::optional<uint64_t> data_bytes_of(const nlohmann::json& request) {
  const auto found = request.find("data_bytes");
  if (found == request.end()) return 0;
  if (!found->is_number_unsigned() || found->get<uint64_t>() > CallReader::kMostDataBytes)
    return std::nullopt;
  return found->get<uint64_t>();
}

}  // namespace

void Connection::serve() {
  while (serve_one()) {
  }
}

bool Connection::serve_one() {
  const std::optional<std::string_view> line = input_.line(kMostLineBytes);
  if (!line) {
    const size_t rest_bytes = input_.peek(kMostLineBytes + 1).size();
    if (rest_bytes == 0) return false;
    if (rest_bytes > kMostLineBytes) {
      give_up(ErrorCode::kUsage, fmt::format("the line of a request has more than {} bytes", kMostLineBytes));
    } else {
      give_up(stop_ ? ErrorCode::kCanceled : ErrorCode::kUsage,
              fmt::format("the connection ended within a line, after {} bytes", rest_bytes));
    }
    return false;
  }
  const nlohmann::json request = nlohmann::json::parse(*line, nullptr, /*allow_exceptions=*/false);
  if (!request.is_object()) {
    give_up(ErrorCode::kUsage, "a request must be a line with one JSON object");
    return false;
  }
  const std::optional<uint64_t> data_bytes = data_bytes_of(request);
  if (!data_bytes) {
    give_up(ErrorCode::kUsage,
            fmt::format("'data_bytes' must be an integer from 0 to {}: where the data ends is unknown",
                        CallReader::kMostDataBytes));
    return false;
  }
  std::vector<uint8_t> data(*data_bytes);
  if (!receive(data)) return false;
  ++counts_.requests;
  Result<CallAnswer> answer = calls_.answer(request, data);
  if (!answer) return send_error(answer.error());
  if (answer->data.empty()) return send_line(answer->fields);
  answer->fields["data_bytes"] = answer->data.size();
  return send_line(answer->fields) && send(answer->data);
}

bool Connection::receive(std::vector<uint8_t>& data) {
  size_t received_bytes = 0;
  while (received_bytes < data.size()) {
    const size_t most_bytes = std::min(data.size() - received_bytes, BufferedInput::kCapacityBytes);
    const std::span<const uint8_t> part = input_.peek(most_bytes);
    std::copy(part.begin(), part.end(), data.begin() + static_cast<ptrdiff_t>(received_bytes));
    received_bytes += part.size();
    input_.skip(part.size());
    if (part.size() == most_bytes) continue;
    give_up(stop_ ? ErrorCode::kCanceled : ErrorCode::kUsage,
            fmt::format("the connection ended after {} of {} bytes of data: nothing was changed",
                        received_bytes, data.size()));
    return false;
  }
  return true;
}

void Connection::give_up(ErrorCode code, const std::string& why) {
  send_error({code, why});
  ::shutdown(fd_, SHUT_WR);
  // A client that is still sending reads the answer later.
  while (!input_.at_end()) input_.skip(input_.peek(BufferedInput::kCapacityBytes).size());
}

bool Connection::send_error(const Error& error) {
  ++counts_.errors;
  return send_line(error_event(error));
}

bool Connection::send_line(const Json& fields) {
  const std::string line = fields.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  return send({reinterpret_cast<const uint8_t*>(line.data()), line.size()});
}

bool Connection::send(std::span<const uint8_t> bytes) {
  std::optional<std::chrono::steady_clock::time_point> give_up_at;
  while (!bytes.empty()) {
    pollfd ready{.fd = fd_, .events = POLLOUT, .revents = 0};
    if (::poll(&ready, 1, kPollMs) > 0) {
      const ssize_t n = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      if (n < 0 && errno != EINTR && errno != EAGAIN) return false;
      if (n > 0) bytes = bytes.subspan(static_cast<size_t>(n));
    }
    if (!stop_) continue;
    const auto now = std::chrono::steady_clock::now();
    if (!give_up_at) give_up_at = now + kPatience;
    if (now > *give_up_at) return false;
  }
  return true;
}

}  // namespace patina
