// Mounts through fsopen and fsmount, which need no folder to mount on.
#include "device/kernel_file_system.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mount.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace patina {
namespace {

constexpr size_t kMaxFileBytes = size_t{64} << 10U;

Error unavailable(const char* verb, const std::string& what) {
  return {ErrorCode::kTraceUnavailable, fmt::format("cannot {} {}: {}", verb, what, std::strerror(errno))};
}

}  // namespace

Result<KernelFileSystem> KernelFileSystem::open(const char* type) {
  const Descriptor context(::fsopen(type, FSOPEN_CLOEXEC));
  if (!context.valid()) return unavailable("mount", type);
  if (::fsconfig(context.get(), FSCONFIG_CMD_CREATE, nullptr, nullptr, 0) != 0)
    return unavailable("mount", type);
  Descriptor mount(::fsmount(context.get(), FSMOUNT_CLOEXEC, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV));
  if (!mount.valid()) return unavailable("mount", type);
  Descriptor root(::openat(mount.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!root.valid()) return unavailable("open", type);
  return KernelFileSystem(std::move(mount), std::move(root));
}

Result<std::string> read_file_at(int folder, const std::string& path) {
  const Descriptor file(::openat(folder, path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.valid()) return unavailable("open", path);
  std::string text;
  std::array<char, 4096> buffer{};
  ssize_t n = 0;
  while (text.size() < kMaxFileBytes && (n = ::read(file.get(), buffer.data(), buffer.size())) > 0) {
    text.append(buffer.data(), static_cast<size_t>(n));
  }
  if (n < 0) return unavailable("read", path);
  return text;
}

Status write_file_at(int folder, const std::string& path, const std::string& text) {
  const Descriptor file(::openat(folder, path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!file.valid()) return unavailable("open", path);
  if (::write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    return unavailable("write", path);
  }
  return ok_status();
}

}  // namespace patina
