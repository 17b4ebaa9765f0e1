// Unix sockets at paths of any length, for programs of the same account.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/descriptor.h"
#include "base/result.h"

namespace patina {

class UnixListener {
 public:
  // Listens at `path`, which is there once clients may connect; only its owner may. A socket at which no
  // process listens any more is replaced. kBackingInvalid: one does, or no socket can be made there.
  static Result<std::unique_ptr<UnixListener>> listen(const std::string& path);
  // Removes the socket, unless another one has taken its place.
  ~UnixListener();
  UnixListener(const UnixListener&) = delete;
  UnixListener& operator=(const UnixListener&) = delete;

  // Waits up to `timeout_ms` for a client. Without one the descriptor is not valid.
  Descriptor accept(int timeout_ms) const;

 private:
  UnixListener(std::string path, Descriptor fd) : path_(std::move(path)), fd_(std::move(fd)) {}

  const std::string path_;
  const Descriptor fd_;
  dev_t device_ = 0;  // of the socket's file
  ino_t inode_ = 0;
};

// Connects to the socket. Not valid, with errno set: no process listens at it.
Descriptor connect_unix(const std::string& path);

// Sends all bytes. False with errno set: the other end is closed, or takes none within the socket's time.
bool send_whole(int fd, std::span<const uint8_t> bytes);
bool send_whole(int fd, std::string_view text);

}  // namespace patina
