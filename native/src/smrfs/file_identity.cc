// File handles of the kernel: open_by_handle_at(2).
#include "smrfs/file_identity.h"

#include <fcntl.h>
#include <fmt/format.h>

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

Result<FileIdentity> identity_at(int fd, const char* path, int flags, ino_t inode) {
  HandleBuffer buffer;
  int mount = 0;
  if (::name_to_handle_at(fd, path, buffer.get(), &mount, flags) != 0) {
    return Error{ErrorCode::kIoError, fmt::format("cannot identify inode {} of the metadata folder: {}",
                                                  inode, std::strerror(errno))};
  }
  const file_handle& handle = *buffer.get();
  return FileIdentity{
      .inode = inode,
      .type = handle.handle_type,
      .handle = std::string(reinterpret_cast<const char*>(handle.f_handle), handle.handle_bytes)};
}

}  // namespace

Result<FileIdentity> identity_of(int fd, ino_t inode) {
  return identity_at(fd, "", AT_EMPTY_PATH, inode);
}

Result<FileIdentity> identity_of(const std::string& path, ino_t inode) {
  return identity_at(AT_FDCWD, path.c_str(), 0, inode);
}

Descriptor open_identity(int folder_fd, const FileIdentity& identity) {
  HandleBuffer buffer;
  buffer.get()->handle_type = identity.type;
  buffer.get()->handle_bytes = static_cast<unsigned>(identity.handle.size());
  std::memcpy(buffer.get()->f_handle, identity.handle.data(), identity.handle.size());
  return Descriptor(::open_by_handle_at(folder_fd, buffer.get(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
}

}  // namespace patina
