// A Unix socket in the folder of the emulated disk: a request and an answer, a line of JSON each.
#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "base/result.h"
#include "base/unix_socket.h"

namespace patina {

class ControlSocket {
 public:
  using Answer = std::function<nlohmann::ordered_json(const nlohmann::ordered_json& request)>;

  // Listens at `path`. kBackingInvalid.
  static Result<ControlSocket> listen(const std::string& path);

  // Waits up to `timeout_ms` for a connection, and answers one request of it.
  void serve(int timeout_ms, const Answer& answer);

 private:
  explicit ControlSocket(std::unique_ptr<UnixListener> listener) : listener_(std::move(listener)) {}

  std::unique_ptr<UnixListener> listener_;
};

}  // namespace patina
