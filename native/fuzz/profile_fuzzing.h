// Invariants of every profile read, from any format.
#pragma once

#include <cmath>

#include "fuzzing.h"
#include "model/forecast.h"
#include "model/profile.h"

namespace patina {

template <typename Bin>
void require_whole(const std::vector<Bin>& bins) {
  require(!bins.empty() && bins.size() <= kMaxBinsCount, "1 to 256 bins");
  double sum = 0;
  for (const Bin& bin : bins) {
    require(bin.fraction >= 0 && bin.fraction <= 1, "a fraction of 0 to 1");
    sum += bin.fraction;
  }
  require(std::abs(sum - 1) < 1e-9, "fractions that sum to 1");
}

// Checks the profile, or its error, and that its forecast neither crashes nor hangs.
inline void require_sense(const Result<Profile>& profile) {
  if (!profile) {
    require(profile.error().code == ErrorCode::kProfileInvalid, "kProfileInvalid");
    require(profile.error().message.size() < 1000, "a short error message");
    return;
  }
  require_whole(profile->size);
  require_whole(profile->depth);
  require_whole(profile->age);
  for (size_t i = 0; i < profile->size.size(); ++i) {
    const SizeBin& bin = profile->size[i];
    require(bin.bytes <= kMaxFileBytes, "a size within the limit");
    require(i == 0 || bin.bytes > profile->size[i - 1].bytes, "ascending sizes");
    require(bin.above_bytes == (i == 0 ? bin.bytes / 2 : profile->size[i - 1].bytes), "the bin before");
  }
  for (size_t i = 0; i < profile->age.size(); ++i) {
    require(profile->age[i].age > (i == 0 ? 0 : profile->age[i - 1].age), "ascending ages above 0");
  }
  ForecastRequest request;
  request.capacity_bytes = uint64_t{1} << 30U;
  request.fullness = 0.7;
  const Result<Forecast> forecast = make_forecast(*profile, request);
  require(forecast.ok() || forecast.error().code == ErrorCode::kProfileDoesNotFit, "a forecast or no fit");
}

}  // namespace patina
