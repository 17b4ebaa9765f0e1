// Reads a profile, and emits its plan event.
#include "age/forecast_command.h"

#include <nlohmann/json.hpp>

#include "age/report.h"

namespace patina {

Result<Forecast> announce_forecast(const Profile& profile, const ForecastRequest& request, EventSink& sink) {
  Result<Forecast> forecast = make_forecast(profile, request);
  if (!forecast) return forecast.error();
  if (!sink.emit(plan_event(*forecast))) return Error{ErrorCode::kCanceled, "stdout is closed"};
  return forecast;
}

Result<Profile> profile_of(const ForecastOptions& options) {
  if (options.profile_document.empty()) return load_profile(options.profile_file);
  return parse_profile(options.profile_document);
}

Result<Forecast> announce_forecast(const ForecastOptions& options, EventSink& sink) {
  Result<Profile> profile = profile_of(options);
  return profile ? announce_forecast(*profile, options.request, sink) : Result<Forecast>(profile.error());
}

Status run_forecast(const ForecastOptions& options, EventSink& sink) {
  sink.emit(hello_event("forecast"));
  Result<Forecast> forecast = announce_forecast(options, sink);
  if (!forecast) return forecast.error();
  return ok_status();
}

}  // namespace patina
