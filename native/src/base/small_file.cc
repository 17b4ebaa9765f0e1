// Opens without blocking, checks the type of the file, reads up to a limit.
#include "base/small_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/descriptor.h"

namespace patina {

namespace {

Result<std::string> read_whole(int file, const std::string& path, size_t max_bytes, ErrorCode code,
                               const char* what) {
  std::string text(max_bytes + 1, '\0');
  size_t size = 0;
  while (size < text.size()) {
    const ssize_t n = read(file, &text[size], text.size() - size);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      return Error{code, fmt::format("{} '{}' cannot be read: {}", what, path, std::strerror(errno))};
    }
    if (n == 0) break;
    size += static_cast<size_t>(n);
  }
  if (size > max_bytes) {
    return Error{code, fmt::format("{} '{}' is larger than {} bytes", what, path, max_bytes)};
  }
  text.resize(size);
  return text;
}

}  // namespace

Result<Descriptor> open_regular_file(const std::string& path, ErrorCode code, const char* what) {
  // O_NONBLOCK: the open of a FIFO would wait for its writer, and that of some devices for a carrier.
  Descriptor file(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!file.valid()) {
    return Error{code, fmt::format("{} '{}' cannot be opened: {}", what, path, std::strerror(errno))};
  }
  struct stat opened{};
  if (fstat(file.get(), &opened) != 0 || !S_ISREG(opened.st_mode)) {
    return Error{code, fmt::format("{} '{}' is not a regular file", what, path)};
  }
  return file;
}

Result<std::string> read_small_file(const std::string& path, size_t max_bytes, ErrorCode code,
                                    const char* what) {
  Result<Descriptor> file = open_regular_file(path, code, what);
  if (!file) return file.error();
  return read_whole(file->get(), path, max_bytes, code, what);
}

Result<std::string> read_small_input(size_t max_bytes, ErrorCode code, const char* what) {
  return read_whole(STDIN_FILENO, "-", max_bytes, code, what);
}

}  // namespace patina
