// The file disk.json identifies the disk; the file lock is locked while it is served.
#include "emulate/backing_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/durable_file.h"
#include "base/in_bytes.h"
#include "base/small_file.h"

namespace patina {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMostIdentityBytes = 4096;

Error invalid(const std::string& path, const std::string& what) {
  return {ErrorCode::kBackingInvalid, fmt::format("the folder '{}' {}", path, what)};
}

Json identity_of(uint64_t size_bytes) {
  return {{"type", "emulated_disk"}, {"schema_version", 1}, {"size_bytes", size_bytes}};
}

Status check_owner(const std::string& path) {
  struct stat folder = {};
  if (::lstat(path.c_str(), &folder) != 0)
    return invalid(path, fmt::format("cannot be opened: {}", std::strerror(errno)));
  if (!S_ISDIR(folder.st_mode)) return invalid(path, "is not a folder");
  if (folder.st_uid != ::geteuid() || (folder.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    return invalid(path, "belongs to another account, or others may write to it");
  }
  return ok_status();
}

Status check_identity(const std::string& path, uint64_t size_bytes) {
  const std::string file = path + "/disk.json";
  if (::access(file.c_str(), F_OK) != 0) {
    for (const auto& entry : std::filesystem::directory_iterator(path)) {
      // disk.json.tmp: a process ended while it made the disk.
      if (entry.path().filename() == "lock" || entry.path().filename() == "disk.json.tmp") continue;
      return invalid(path, "is not empty, and holds no emulated disk");
    }
    Result<std::unique_ptr<DurableFile>> made =
        DurableFile::create(file, "the identity of the emulated disk");
    if (!made) return made.error();
    if (Status status = (*made)->append(identity_of(size_bytes).dump() + "\n"); !status) return status;
    return (*made)->publish();
  }
  const Result<std::string> text = read_small_file(file, kMostIdentityBytes, ErrorCode::kBackingInvalid,
                                                   "the identity of the emulated disk");
  if (!text) return text.error();
  const Json found = Json::parse(*text, nullptr, /*allow_exceptions=*/false);
  if (found == identity_of(size_bytes)) return ok_status();
  return invalid(path,
                 fmt::format("holds another disk than one of {}: {}", exactly_bytes(size_bytes), *text));
}

}  // namespace

Result<BackingFolder> BackingFolder::open(const std::string& path, uint64_t size_bytes) {
  if (::mkdir(path.c_str(), S_IRWXU) != 0 && errno != EEXIST) {
    return invalid(path, fmt::format("cannot be made: {}", std::strerror(errno)));
  }
  if (Status status = check_owner(path); !status) return status.error();
  Descriptor lock(
      ::open((path + "/lock").c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (!lock.valid()) return invalid(path, fmt::format("cannot be locked: {}", std::strerror(errno)));
  if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
    return invalid(path, "is served by another process. Only one process may serve an emulated disk");
  }
  if (Status status = check_identity(path, size_bytes); !status) return status.error();
  BackingFolder folder(path, std::move(lock));
  // The mount of a killed process fails every request.
  while (::umount2(folder.disk_path().c_str(), MNT_DETACH | UMOUNT_NOFOLLOW) == 0) {
  }
  const Descriptor disk(
      ::open(folder.disk_path().c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (!disk.valid()) return invalid(path, fmt::format("has no file 'disk': {}", std::strerror(errno)));
  return folder;
}

}  // namespace patina
