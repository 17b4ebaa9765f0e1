// Reads requests and writes answers, one JSON object a line.
#include "age/forecasts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "age/report.h"
#include "base/buffered_input.h"
#include "model/forecast.h"
#include "model/profile.h"

namespace patina {
namespace {

using nlohmann::json;

constexpr size_t kMaxRequestBytes = BufferedInput::kCapacityBytes - 1;
constexpr std::array kBudgets = {BudgetKind::kMaxRmse, BudgetKind::kMaxOverwrites, BudgetKind::kMaxOps};

Error usage(std::string message) {
  return {ErrorCode::kUsage, std::move(message)};
}

// Reads a number; leaves `out` unchanged when the field is missing.
Status take_number(const json& request, const char* key, double& out) {
  const auto field = request.find(key);
  if (field == request.end()) return ok_status();
  if (!field->is_number()) return usage(fmt::format("'{}' is not a number", key));
  out = field->get<double>();
  return ok_status();
}

Status take_count(const json& request, const char* key, uint64_t& out) {
  const auto field = request.find(key);
  if (field == request.end()) return ok_status();
  if (!field->is_number_unsigned()) return usage(fmt::format("'{}' is not a whole number above 0", key));
  out = field->get<uint64_t>();
  return ok_status();
}

Status take_budget(const json& request, Budget& out) {
  for (const BudgetKind kind : kBudgets) {
    if (!request.contains(budget_name(kind))) continue;
    if (out.kind != BudgetKind::kNone) return usage("a forecast has one budget at most");
    out.kind = kind;
    if (Status status = take_number(request, budget_name(kind), out.limit); !status) return status;
  }
  return ok_status();
}

Status take_files(const json& request, ForecastRequest& out) {
  Status status = take_number(request, "append_fraction", out.mix.append);
  if (status) status = take_number(request, "overwrite_fraction", out.mix.overwrite);
  if (status) status = take_number(request, "truncate_fraction", out.mix.truncate);
  if (status) status = take_number(request, "rename_fraction", out.mix.rename);
  if (status) status = take_number(request, "punch_hole_fraction", out.mix.punch_hole);
  if (!status || !request.contains("size_draw")) return status;
  for (const SizeDraw draw : {SizeDraw::kExact, SizeDraw::kLogUniform}) {
    if (request["size_draw"] != size_draw_name(draw)) continue;
    out.size_draw = draw;
    return status;
  }
  return usage("'size_draw' is exact or log_uniform");
}

Status check_keys(const json& request) {
  static constexpr std::array<std::string_view, 15> kKnown = {"profile",
                                                              "capacity_bytes",
                                                              "fullness",
                                                              "block_size_bytes",
                                                              "seed",
                                                              "curve_points_count",
                                                              "max_rmse",
                                                              "max_overwrites",
                                                              "max_ops",
                                                              "size_draw",
                                                              "append_fraction",
                                                              "overwrite_fraction",
                                                              "truncate_fraction",
                                                              "rename_fraction",
                                                              "punch_hole_fraction"};
  for (const auto& [key, value] : request.items()) {
    if (std::find(kKnown.begin(), kKnown.end(), key) == kKnown.end()) {
      return usage(fmt::format("a request has no field '{}'", key));
    }
  }
  return ok_status();
}

Result<ForecastRequest> request_of(const json& request) {
  ForecastRequest out;
  uint64_t curve_points_count = static_cast<uint64_t>(out.curve_points_count);
  Status status = take_count(request, "capacity_bytes", out.capacity_bytes);
  if (status) status = take_count(request, "block_size_bytes", out.block_size_bytes);
  if (status) status = take_count(request, "seed", out.seed);
  if (status) status = take_count(request, "curve_points_count", curve_points_count);
  if (status) status = take_number(request, "fullness", out.fullness);
  if (status) status = take_budget(request, out.budget);
  if (status) status = take_files(request, out);
  if (!status) return status.error();
  out.curve_points_count =
      static_cast<int>(std::min<uint64_t>(curve_points_count, std::numeric_limits<int>::max()));
  return out;
}

nlohmann::ordered_json profile_event(const Profile& profile) {
  return {{"type", "profile"},
          {"profile_digest", profile.digest},
          {"size_bins_count", profile.size.size()},
          {"depth_bins_count", profile.depth.size()},
          {"age_bins_count", profile.age.size()}};
}

Result<nlohmann::ordered_json> answer(std::string_view line) {
  const json request = json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!request.is_object()) return usage("the request is not a JSON object");
  if (Status status = check_keys(request); !status) return status.error();
  const auto document = request.find("profile");
  if (document == request.end()) return usage("the request has no 'profile'");
  const Result<Profile> profile = read_profile(*document);
  if (!profile) return profile.error();
  if (!request.contains("capacity_bytes")) return profile_event(*profile);
  const Result<ForecastRequest> wanted = request_of(request);
  if (!wanted) return wanted.error();
  const Result<Forecast> forecast = make_forecast(*profile, *wanted);
  if (!forecast) return forecast.error();
  return plan_event(*forecast);
}

}  // namespace

Status run_forecasts(int input_fd, EventSink& sink) {
  const Error stdout_closed{ErrorCode::kCanceled, "stdout is closed"};
  if (!sink.emit(hello_event("forecasts"))) return stdout_closed;
  std::signal(SIGTERM, SIG_DFL);  // needs no cleanup while it waits for a line
  std::signal(SIGINT, SIG_DFL);
  BufferedInput input(input_fd);
  while (!input.at_end()) {
    const std::optional<std::string_view> line = input.line(kMaxRequestBytes);
    if (!line) return usage(fmt::format("a request is a line of {} bytes at most", kMaxRequestBytes));
    const Result<nlohmann::ordered_json> answered = answer(*line);
    if (!sink.emit(answered ? *answered : error_event(answered.error()))) return stdout_closed;
  }
  return ok_status();
}

}  // namespace patina
