// Lists of directories are those of the metadata folder.
#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>
#include <vector>

#include "smrfs/fuse_reply.h"
#include "smrfs/requests.h"

namespace patina {
namespace {

struct OpenDirectory {
  DIR* stream = nullptr;
  off_t offset = 0;               // of the next entry of the stream
  const dirent* entry = nullptr;  // read, but not sent yet
};

OpenDirectory& directory_of(const fuse_file_info& info) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the handle that the kernel keeps
  return *reinterpret_cast<OpenDirectory*>(info.fh);
}

void close_directory(const fuse_file_info& info) {
  const std::unique_ptr<OpenDirectory> directory(&directory_of(info));
  ::closedir(directory->stream);
}

void on_opendir(fuse_req_t request, fuse_ino_t number, fuse_file_info* info) {
  Descriptor fd(::openat(node_of(request, number)->fd().get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  DIR* stream = fd.valid() ? ::fdopendir(fd.get()) : nullptr;
  if (stream == nullptr) {
    fuse_reply_err(request, errno);
    return;
  }
  fd.release();
  auto directory = std::make_unique<OpenDirectory>(OpenDirectory{.stream = stream});
  info->fh = reinterpret_cast<uint64_t>(directory.release());  // until close_directory()
  if (fuse_reply_open(request, info) != 0) close_directory(*info);
}

void on_releasedir(fuse_req_t request, fuse_ino_t /*number*/, fuse_file_info* info) {
  close_directory(*info);
  fuse_reply_err(request, 0);
}

bool is_dot(const char* name) {
  return std::string_view(name) == "." || std::string_view(name) == "..";
}

// Adds the entry to the buffer; returns the bytes that it needs, which may be more than are left. A name that
// has gone meanwhile needs none.
size_t add_entry(fuse_req_t request, const Node& folder, const OpenDirectory& directory, bool with_attributes,
                 std::span<char> left) {
  const dirent& found = *directory.entry;
  fuse_entry_param entry = {};
  entry.attr.st_ino = found.d_ino;
  entry.attr.st_mode = static_cast<mode_t>(DTTOIF(found.d_type));
  if (!with_attributes) {
    return fuse_add_direntry(request, left.data(), left.size(), found.d_name, &entry.attr, found.d_off);
  }
  SmrVolume& volume = volume_of(request);
  if (!is_dot(found.d_name) && look_up(volume, folder, found.d_name, entry) != 0) return 0;
  const size_t size =
      fuse_add_direntry_plus(request, left.data(), left.size(), found.d_name, &entry, found.d_off);
  if (size > left.size() && entry.ino != 0) volume.table().forget(entry.ino, 1);
  return size;
}

void reply_entries(fuse_req_t request, fuse_ino_t number, size_t size, off_t offset,
                   const fuse_file_info& info, bool with_attributes) {
  OpenDirectory& directory = directory_of(info);
  const std::shared_ptr<Node> folder = node_of(request, number);
  std::vector<char> buffer(size);
  size_t used = 0;
  if (offset != directory.offset) {
    ::seekdir(directory.stream, offset);
    directory.entry = nullptr;
    directory.offset = offset;
  }
  for (;;) {
    if (directory.entry == nullptr) {
      errno = 0;
      directory.entry = ::readdir(directory.stream);  // NOLINT(concurrency-mt-unsafe): a stream of its own
      if (directory.entry == nullptr && errno != 0 && used == 0) {
        fuse_reply_err(request, errno);
        return;
      }
      if (directory.entry == nullptr) break;
    }
    const size_t added =
        add_entry(request, *folder, directory, with_attributes, std::span(buffer).subspan(used));
    if (added > size - used) break;
    used += added;
    directory.offset = directory.entry->d_off;
    directory.entry = nullptr;
  }
  fuse_reply_buf(request, buffer.data(), used);
}

void on_readdir(fuse_req_t request, fuse_ino_t number, size_t size, off_t offset, fuse_file_info* info) {
  reply_entries(request, number, size, offset, *info, false);
}

void on_readdirplus(fuse_req_t request, fuse_ino_t number, size_t size, off_t offset, fuse_file_info* info) {
  reply_entries(request, number, size, offset, *info, true);
}

void on_fsyncdir(fuse_req_t request, fuse_ino_t /*number*/, int /*data_only*/, fuse_file_info* /*info*/) {
  reply_status(request, volume_of(request).commit());
}

}  // namespace

void add_directory_requests(fuse_lowlevel_ops& ops) {
  ops.opendir = on_opendir;
  ops.releasedir = on_releasedir;
  ops.readdir = on_readdir;
  ops.readdirplus = on_readdirplus;
  ops.fsyncdir = on_fsyncdir;
}

}  // namespace patina
