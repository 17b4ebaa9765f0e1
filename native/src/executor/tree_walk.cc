// Walks depth first, with one open directory for each level.
#include "executor/tree_walk.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "device/file_system_kind.h"
#include "model/file_name.h"
#include "model/profile.h"

namespace patina {
namespace {

struct CloseListing {
  void operator()(DIR* listing) const { closedir(listing); }
};
using Listing = std::unique_ptr<DIR, CloseListing>;

Error failed(const char* verb, std::string_view name) {
  return Error{ErrorCode::kIoError,
               fmt::format("walking the aged tree: cannot {} '{}': {}", verb, name, std::strerror(errno))};
}

class Walk {
 public:
  Walk(uint64_t device, const std::function<void(const FoundFile&)>& visit)
      : device_(device), visit_(visit) {}

  Status directory(int parent_fd, const char* name, uint32_t number, uint32_t depth) {
    const int fd = openat(parent_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    const Listing listing(fd < 0 ? nullptr : fdopendir(fd));
    if (listing == nullptr) {
      const Error error = failed("open the directory", name);
      if (fd >= 0) close(fd);
      return error;
    }
    errno = 0;
    while (const dirent* entry = readdir(listing.get())) {  // NOLINT(concurrency-mt-unsafe)
      Status entered = this->entry(fd, entry->d_name, number, depth);
      if (!entered) return entered;
      errno = 0;
    }
    return errno == 0 ? ok_status() : Status(failed("list the directory", name));
  }

 private:
  Status entry(int fd, const char* name, uint32_t directory_number, uint32_t depth) {
    const std::string_view text = name;
    if (text == "." || text == ".." || (depth == 0 && is_made_by_mkfs(text))) return ok_status();
    struct stat status{};
    if (fstatat(fd, name, &status, AT_SYMLINK_NOFOLLOW) != 0) return failed("stat", text);
    if (S_ISDIR(status.st_mode) && status.st_dev == device_ && depth < kMaxDepth) {
      return directory(fd, name, static_cast<uint32_t>(number_in(text, 'd').value_or(UINT32_MAX)), depth + 1);
    }
    FoundFile file;
    file.name = text;
    file.renamed = text.front() == 'g' ? 1 : 0;
    file.ordinal = S_ISREG(status.st_mode) ? number_in(text, file.renamed == 0 ? 'f' : 'g').value_or(0) : 0;
    file.directory = directory_number;
    file.depth = depth;
    file.bytes = static_cast<uint64_t>(status.st_size);
    visit_(file);
    return ok_status();
  }

  uint64_t device_;
  const std::function<void(const FoundFile&)>& visit_;
};

}  // namespace

Status walk_tree(int root_fd, const std::function<void(const FoundFile&)>& visit) {
  struct stat root{};
  if (fstat(root_fd, &root) != 0) return failed("stat", "the mount root");
  return Walk(root.st_dev, visit).directory(root_fd, ".", 0, 0);
}

}  // namespace patina
