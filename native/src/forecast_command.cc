// From a profile's file to the plan event.
#include "forecast_command.h"

#include <nlohmann/json.hpp>

#include "report.h"

namespace patina {

Result<Forecast> announce_forecast(const ForecastOptions& options, EventSink& sink) {
  Result<Profile> profile = load_profile(options.profile_file);
  if (!profile) return profile.error();
  Result<Forecast> forecast = make_forecast(*profile, options.request);
  if (!forecast) return forecast.error();
  if (!sink.emit(plan_event(*forecast))) return Error{ErrorCode::kCanceled, "nobody reads the output"};
  return forecast;
}

Status run_forecast(const ForecastOptions& options, EventSink& sink) {
  sink.emit(hello_event("forecast"));
  Result<Forecast> forecast = announce_forecast(options, sink);
  if (!forecast) return forecast.error();
  return ok_status();
}

}  // namespace patina
