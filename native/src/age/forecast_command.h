// The command `forecast`: makes a plan from a profile. `simulate` and `age` begin with it.
#pragma once

#include <string>

#include "base/event.h"
#include "base/result.h"
#include "model/forecast.h"

namespace patina {

struct ForecastOptions {
  std::string profile_file;
  std::string profile_document;  // JSON, in place of the file where it is not empty
  ForecastRequest request;
};

// Returns the profile of the options. Error: kProfileInvalid.
Result<Profile> profile_of(const ForecastOptions& options);
// Makes the forecast and emits the plan.
Result<Forecast> announce_forecast(const Profile& profile, const ForecastRequest& request, EventSink& sink);
// The same with the profile in a file.
Result<Forecast> announce_forecast(const ForecastOptions& options, EventSink& sink);

// Emits hello and plan. Errors: kProfileInvalid, kProfileDoesNotFit, kUsage.
Status run_forecast(const ForecastOptions& options, EventSink& sink);

}  // namespace patina
