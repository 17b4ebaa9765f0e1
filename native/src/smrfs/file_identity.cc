// File handles of the kernel: open_by_handle_at(2).
#include "smrfs/file_identity.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <vector>

namespace patina {
namespace {

// A handle and its bytes, which are behind it.
class HandleBuffer {
 public:
  HandleBuffer() : bytes_(sizeof(file_handle) + MAX_HANDLE_SZ) { get()->handle_bytes = MAX_HANDLE_SZ; }
  file_handle* get() { return reinterpret_cast<file_handle*>(bytes_.data()); }

 private:
  std::vector<uint64_t> bytes_;  // aligned; more than enough
};

}  // namespace

Result<FileIdentity> identity_of(const std::string& path) {
  HandleBuffer buffer;
  int mount = 0;
  struct stat file = {};
  // Names in /proc/self/fd are links to the open file.
  if (::stat(path.c_str(), &file) != 0 ||
      ::name_to_handle_at(AT_FDCWD, path.c_str(), buffer.get(), &mount, AT_SYMLINK_FOLLOW) != 0) {
    return Error{ErrorCode::kIoError, fmt::format("cannot identify '{}': {}", path, std::strerror(errno))};
  }
  const file_handle& handle = *buffer.get();
  return FileIdentity{
      .inode = file.st_ino,
      .type = handle.handle_type,
      .handle = std::string(reinterpret_cast<const char*>(handle.f_handle), handle.handle_bytes)};
}

Descriptor open_identity(int folder_fd, const FileIdentity& identity) {
  HandleBuffer buffer;
  buffer.get()->handle_type = identity.type;
  buffer.get()->handle_bytes = static_cast<unsigned>(identity.handle.size());
  std::memcpy(buffer.get()->f_handle, identity.handle.data(), identity.handle.size());
  return Descriptor(::open_by_handle_at(folder_fd, buffer.get(), O_PATH | O_CLOEXEC));
}

}  // namespace patina
