// A Unix socket in the folder of the emulated disk: a request and an answer, a line of JSON each.
#pragma once

#include <sys/un.h>

#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "base/descriptor.h"
#include "base/result.h"

namespace patina {

// Returns the address of the socket in an open folder: its name is short, so the path of the folder may be
// long.
sockaddr_un control_address(const Descriptor& folder, const std::string& name);

class ControlSocket {
 public:
  using Answer = std::function<nlohmann::ordered_json(const nlohmann::ordered_json& request)>;

  // Listens at `path`; an older socket there is replaced. kBackingInvalid.
  static Result<std::unique_ptr<ControlSocket>> listen(const std::string& path);
  ~ControlSocket();
  ControlSocket(const ControlSocket&) = delete;
  ControlSocket& operator=(const ControlSocket&) = delete;

  // Waits up to `timeout_ms` for a connection, and answers one request of it.
  void serve(int timeout_ms, const Answer& answer);

 private:
  ControlSocket(std::string path, Descriptor fd) : path_(std::move(path)), fd_(std::move(fd)) {}

  std::string path_;
  Descriptor fd_;
};

}  // namespace patina
