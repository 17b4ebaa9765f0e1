// Writes a temporary file, syncs it, renames it, syncs the folder.
#include "base/durable_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace patina {
namespace {

constexpr size_t kBufferBytes = size_t{64} << 10U;

std::string temporary_of(const std::string& path) {
  return path + ".tmp";
}

}  // namespace

Error DurableFile::failed(const char* verb) const {
  const bool is_full = errno == ENOSPC || errno == EDQUOT;
  return {is_full ? ErrorCode::kStoreNoSpace : ErrorCode::kIoError,
          fmt::format("cannot {} {} '{}': {}", verb, what_, path_, std::strerror(errno))};
}

Result<std::unique_ptr<DurableFile>> DurableFile::create(const std::string& path, const char* what) {
  constexpr int kFlags = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC;
  Descriptor fd(::open(temporary_of(path).c_str(), kFlags, 0644));
  const bool made = fd.valid();
  std::unique_ptr<DurableFile> file(new DurableFile(path, what, std::move(fd)));
  if (!made) return file->failed("make");
  return file;
}

DurableFile::~DurableFile() {
  if (fd_.valid() && !published_) ::unlink(temporary_of(path_).c_str());
}

Status DurableFile::append(std::string_view bytes) {
  buffer_.append(bytes);
  return buffer_.size() < kBufferBytes ? ok_status() : write_out();
}

Status DurableFile::write_out() {
  for (size_t written = 0; written < buffer_.size();) {
    const ssize_t n = ::write(fd_.get(), buffer_.data() + written, buffer_.size() - written);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return failed("write");
    written += static_cast<size_t>(n);
  }
  buffer_.clear();
  return ok_status();
}

Status DurableFile::publish() {
  if (Status status = write_out(); !status) return status;
  if (::fsync(fd_.get()) != 0) return failed("sync");
  if (::rename(temporary_of(path_).c_str(), path_.c_str()) != 0) return failed("rename");
  published_ = true;
  std::filesystem::path folder = std::filesystem::path(path_).parent_path();
  if (folder.empty()) folder = ".";
  const Descriptor handle(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!handle.valid() || ::fsync(handle.get()) != 0) return failed("sync the folder of");
  return ok_status();
}

}  // namespace patina
