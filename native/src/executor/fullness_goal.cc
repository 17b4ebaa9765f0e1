// Estimates the metadata of an aged file system: that of the fresh one, and a share per file and directory.
#include "executor/fullness_goal.h"

#include <fmt/format.h>

#include <numeric>

#include "device/file_system_kind.h"

namespace patina {

Result<ForecastRequest> aimed_at_statfs(const Profile& profile, const ForecastRequest& request,
                                        uint64_t used_bytes, const std::string& file_system) {
  Result<Forecast> forecast = make_forecast(profile, request);
  if (!forecast) return forecast.error();
  const auto& counts = forecast->subdirs_count;
  const auto directories = static_cast<double>(std::accumulate(counts.begin(), counts.end(), uint64_t{0}));
  const FileSystemKind& cost = file_system_kind(file_system);
  const auto capacity = static_cast<double>(request.capacity_bytes);
  const double fixed = static_cast<double>(used_bytes) + directories * cost.directory_bytes;
  const double left = request.fullness * capacity - fixed;
  ForecastRequest out = request;
  out.fullness_statfs = request.fullness;
  out.fullness = left / (1 + cost.file_bytes / forecast->mean_file_bytes) / capacity;
  if (out.fullness >= 0.01) return out;
  return Error{
      ErrorCode::kProfileDoesNotFit,
      fmt::format("metadata take {:.1f} % of the capacity, so that a fullness of {:.1f} % leaves less "
                  "than 1 % for files; take a larger device or a larger fullness",
                  100 * fixed / capacity, 100 * request.fullness)};
}

}  // namespace patina
