// An address holds a short path only: it names the open folder of the socket.
#include "base/unix_socket.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

namespace patina {
namespace {

Error refused(const std::string& path, const char* why) {
  return {ErrorCode::kBackingInvalid, fmt::format("no socket at '{}': {}", path, why)};
}

// The folder of the path, and the address in it, which is good while the folder is open.
struct Place {
  Descriptor folder;
  sockaddr_un address = {};
};

// Not valid, with errno set: there is no such folder, or the name is too long.
Place place_of(const std::string& path) {
  const std::filesystem::path whole(path);
  const std::filesystem::path parent = whole.has_parent_path() ? whole.parent_path() : ".";
  Place place{.folder = Descriptor(::open(parent.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC))};
  const std::string name = fmt::format("/proc/self/fd/{}/{}", place.folder.get(), whole.filename().string());
  place.address.sun_family = AF_UNIX;
  if (name.size() >= sizeof place.address.sun_path) {
    errno = ENAMETOOLONG;
    place.folder = Descriptor();
    return place;
  }
  std::memcpy(place.address.sun_path, name.data(), name.size());
  return place;
}

Descriptor connect_by(const std::string& path, int flags) {
  const Place place = place_of(path);
  if (!place.folder.valid()) return Descriptor();
  Descriptor fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | flags, 0));
  const auto* const address = reinterpret_cast<const sockaddr*>(&place.address);
  if (fd.valid() && ::connect(fd.get(), address, sizeof place.address) != 0) {
    const int error = errno;
    fd = Descriptor();
    errno = error;
  }
  return fd;
}

// EAGAIN: many clients wait for it.
bool is_listened_at(const std::string& path) {
  return connect_by(path, SOCK_NONBLOCK).valid() || errno == EAGAIN;
}

}  // namespace

Result<std::unique_ptr<UnixListener>> UnixListener::listen(const std::string& path) {
  struct stat found = {};
  if (::lstat(path.c_str(), &found) == 0) {
    if (!S_ISSOCK(found.st_mode)) return refused(path, "another file is there");
    if (is_listened_at(path)) return refused(path, "another process listens at it");
  }
  // Under another name until clients may connect.
  const std::string name = path + ".new";
  ::unlink(name.c_str());
  const Place place = place_of(name);
  if (!place.folder.valid()) return refused(path, std::strerror(errno));
  std::unique_ptr<UnixListener> listener(
      new UnixListener(path, Descriptor(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0))));
  constexpr int kWaiting = 16;
  const int fd = listener->fd_.get();
  const auto* const address = reinterpret_cast<const sockaddr*>(&place.address);
  const bool listens = listener->fd_.valid() && ::bind(fd, address, sizeof place.address) == 0 &&
                       ::chmod(name.c_str(), S_IRUSR | S_IWUSR) == 0 && ::listen(fd, kWaiting) == 0 &&
                       ::lstat(name.c_str(), &found) == 0 && ::rename(name.c_str(), path.c_str()) == 0;
  if (!listens) return refused(path, std::strerror(errno));
  listener->device_ = found.st_dev;
  listener->inode_ = found.st_ino;
  return listener;
}

UnixListener::~UnixListener() {
  struct stat found = {};
  const bool is_ours =
      ::lstat(path_.c_str(), &found) == 0 && found.st_dev == device_ && found.st_ino == inode_;
  if (is_ours) ::unlink(path_.c_str());
}

Descriptor UnixListener::accept(int timeout_ms) const {
  pollfd waiting{.fd = fd_.get(), .events = POLLIN, .revents = 0};
  if (::poll(&waiting, 1, timeout_ms) <= 0) return Descriptor();
  return Descriptor(::accept4(fd_.get(), nullptr, nullptr, SOCK_CLOEXEC));
}

Descriptor connect_unix(const std::string& path) {
  return connect_by(path, 0);
}

bool send_whole(int fd, std::span<const uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes = bytes.subspan(static_cast<size_t>(n));
  }
  return true;
}

bool send_whole(int fd, std::string_view text) {
  return send_whole(fd, {reinterpret_cast<const uint8_t*>(text.data()), text.size()});
}

}  // namespace patina
