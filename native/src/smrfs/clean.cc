// A process of its own asks the one that serves the file system.
#include "smrfs/clean.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/xattr.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/descriptor.h"
#include "smrfs/reported.h"

namespace patina {
namespace {

using Json = nlohmann::ordered_json;

Error unusable(const std::string& folder) {
  return {ErrorCode::kMountUnusable,
          fmt::format("'{}' is not the root of a mounted SMRfs: {}", folder, std::strerror(errno))};
}

Result<ReportedCleaned> read_cleaned(int root_fd, const std::string& folder) {
  ReportedCleaned cleaned;
  if (::fgetxattr(root_fd, kReportedCleaned, &cleaned, sizeof cleaned) != sizeof cleaned)
    return unusable(folder);
  return cleaned;
}

// Returns whether a band gave something back.
Result<bool> clean_band(int root_fd, const std::string& folder) {
  if (::fsetxattr(root_fd, kCleanNow, "", 0, 0) == 0) return true;
  if (errno == ENODATA) return false;
  if (errno == EOPNOTSUPP) {
    return Error{ErrorCode::kUsage,
                 fmt::format("'{}' is on a Caveat-Scriptor disk, which has no bands to be cleaned", folder)};
  }
  return Error{ErrorCode::kIoError, fmt::format("cannot clean '{}': {}; see the output of its mount", folder,
                                                std::strerror(errno))};
}

}  // namespace

Status run_smr_clean(const SmrCleanOptions& options, EventSink& sink, const std::atomic<bool>& stop) {
  sink.emit(hello_event("shingle clean"));
  const Descriptor root(::open(options.mount_folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!root.valid()) return unusable(options.mount_folder);
  const Result<ReportedCleaned> before = read_cleaned(root.get(), options.mount_folder);
  if (!before) return before.error();
  uint64_t bands_count = 0;
  ReportedCleaned cleaned = *before;
  const auto record_of = [&](const char* type) {
    const std::chrono::nanoseconds took(cleaned.took_ns - before->took_ns);
    return Json{{"type", type},
                {"command", "shingle clean"},
                {"cleaned_bands", bands_count},
                {"moved_blocks", cleaned.moved_blocks_count - before->moved_blocks_count},
                {"cleaning_s", std::chrono::duration<double>(took).count()}};
  };
  while (options.most_bands == 0 || bands_count < options.most_bands) {
    if (stop) return Error{ErrorCode::kCanceled, fmt::format("stopped after {} bands", bands_count)};
    const Result<bool> has_gained = clean_band(root.get(), options.mount_folder);
    if (!has_gained) return has_gained.error();
    // Blocks may have moved where nothing was gained.
    const Result<ReportedCleaned> now = read_cleaned(root.get(), options.mount_folder);
    if (!now) return now.error();
    cleaned = *now;
    if (!*has_gained) break;
    ++bands_count;
    sink.emit(record_of("progress"));
  }
  sink.emit(record_of("summary"));
  return ok_status();
}

}  // namespace patina
