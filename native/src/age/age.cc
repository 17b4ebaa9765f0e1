// Ages the file system at a mount point.
#include "age/age.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "age/plan_course.h"
#include "base/gate.h"
#include "executor/posix_file_system.h"

namespace patina {
namespace {

// Refuses files on the aged file system, where they would be aged too.
Status check_place(const std::string& file, const char* what, const PosixFileSystem& file_system) {
  if (file.empty()) return ok_status();
  std::filesystem::path folder = std::filesystem::path(file).parent_path();
  if (folder.empty()) folder = ".";
  struct stat place{};
  if (stat(folder.c_str(), &place) != 0) {
    return Error{ErrorCode::kUsage,
                 fmt::format("the folder of the {}, '{}': {}", what, folder.string(), std::strerror(errno))};
  }
  if (place.st_dev == file_system.device()) {
    return Error{ErrorCode::kUsage, fmt::format("the {} must not be on the file system that is aged", what)};
  }
  return ok_status();
}

// Refuses an ext3 or ext4 with its journal, which holds freed space back, for modes that promise no reuse
// lag.
Status check_mount(const Way& way, const PosixFileSystem& file_system) {
  if (std::string_view(way.mount_options) != "noload" || !file_system.has_journal()) return ok_status();
  return Error{
      ErrorCode::kMountUnusable,
      fmt::format("mode {} ages {} without its journal: mount it with the option noload, or take mode "
                  "reference or unbounded",
                  aging_mode_name(way.mode), file_system.kind())};
}

FileContent content_of(const AgeOptions& options, const Way& way) {
  FileContent content;
  content.mode = options.settings.data_mode;
  content.is_written = way.writes_files;
  content.seed = options.forecast.request.seed;
  content.compressible_fraction =
      options.compressible_fraction.value_or(usual_compressible_fraction(content.mode));
  return content;
}

Status check_inodes(const Forecast& forecast, const PosixFileSystem& file_system) {
  double wanted = forecast.expected_files;
  for (const uint32_t count : forecast.subdirs_count) wanted += count;
  if (file_system.inodes_count() == 0 || wanted < static_cast<double>(file_system.inodes_count())) {
    return ok_status();
  }
  return Error{
      ErrorCode::kProfileDoesNotFit,
      fmt::format("{:.0f} files and directories are expected, but the file system has {} inodes; make it "
                  "with more (mke2fs -N)",
                  wanted, file_system.inodes_count())};
}

// A resumed plan takes the files' share from its checkpoint, since its file system is no longer fresh.
Result<ForecastRequest> of_statfs(const Profile& profile, const ForecastRequest& wanted,
                                  const std::optional<Checkpoint>& resume_from,
                                  PosixFileSystem& file_system) {
  if (resume_from) {
    ForecastRequest same = wanted;
    same.fullness = resume_from->fullness;
    same.fullness_statfs = wanted.fullness;
    return same;
  }
  Result<uint64_t> used = file_system.used_bytes();
  if (!used) return used.error();
  return aimed_at_statfs(profile, wanted, *used, file_system.kind());
}

Result<std::unique_ptr<Course>> make_plan_course(const AgeOptions& options,
                                                 const std::optional<Checkpoint>& resume_from,
                                                 PosixFileSystem& file_system, EventSink& sink) {
  Result<Profile> profile = profile_of(options.forecast);
  if (!profile) return profile.error();
  ForecastRequest wanted = options.forecast.request;
  wanted.capacity_bytes = file_system.capacity_bytes();
  wanted.block_size_bytes = file_system.block_size_bytes();
  if (options.fullness_of == FullnessOf::kStatfs) {
    Result<ForecastRequest> aimed = of_statfs(*profile, wanted, resume_from, file_system);
    if (!aimed) return aimed.error();
    wanted = *aimed;
  }
  Result<Forecast> forecast = announce_forecast(*profile, wanted, sink);
  if (!forecast) return forecast.error();
  if (!resume_from) {
    // Checked when the plan began; a full xfs offers fewer inodes than it did then.
    Status inodes = check_inodes(*forecast, file_system);
    if (!inodes) return inodes.error();
  }
  return std::unique_ptr<Course>(std::make_unique<PlanCourse>(*forecast, resume_from));
}

Result<std::unique_ptr<Course>> make_workload_course(const AgeOptions& options,
                                                     const PosixFileSystem& file_system, EventSink& sink) {
  WorkloadRequest wanted = options.workload;
  wanted.capacity_bytes = file_system.capacity_bytes();
  wanted.block_size_bytes = file_system.block_size_bytes();
  Result<std::unique_ptr<Course>> course = make_workload(wanted);
  if (course && !sink.emit((*course)->announcement())) {
    return Error{ErrorCode::kCanceled, "stdout is closed"};
  }
  return course;
}

}  // namespace

Status run_age(const AgeOptions& options, EventSink& sink, const Switches& switches) {
  sink.emit(hello_event("age"));
  Gates::of_environment().pass("age.prepare", switches.stop);
  AgeSettings settings = options.settings;
  const bool resumes = !options.resume_file.empty();
  if (resumes) {
    Result<Checkpoint> checkpoint = read_checkpoint(options.resume_file);
    if (!checkpoint) return checkpoint.error();
    settings.resume_from = *checkpoint;
  }
  Result<std::unique_ptr<PosixFileSystem>> file_system =
      PosixFileSystem::open(options.mount, /*may_hold_files=*/resumes);
  if (!file_system) return file_system.error();
  settings.way = changed(way_of((*file_system)->kind(), options.mode), options.way_changes);
  (*file_system)->fill_with(content_of(options, settings.way));
  Status mounted = check_mount(settings.way, **file_system);
  if (!mounted) return mounted;
  Status place = check_place(settings.checkpoint_file, "checkpoint", **file_system);
  if (!place) return place;
  for (const std::string& log : {settings.record_file, settings.survivors_file}) {
    place = check_place(log, "record", **file_system);
    if (!place) return place;
  }
  Result<std::unique_ptr<Course>> course =
      options.workload.kind == WorkloadKind::kNone
          ? make_plan_course(options, settings.resume_from, **file_system, sink)
          : make_workload_course(options, **file_system, sink);
  if (!course) return course.error();
  return age_file_system(**course, **file_system, settings, sink, switches);
}

}  // namespace patina
