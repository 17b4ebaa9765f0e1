// Profiles and forecasts for tests: the built-in ones, small ones, random ones.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "base/random.h"
#include "model/forecast.h"
#include "model/profile.h"
#include "testing/test_places.h"

namespace patina {

inline std::string built_in_profile_file(const std::string& name) {
  return std::string(kCheckoutFolder) + "/profiles/" + name + ".json";
}

inline Profile built_in_profile(const std::string& name) {
  Result<Profile> profile = load_profile(built_in_profile_file(name));
  EXPECT_TRUE(profile.ok()) << (profile.ok() ? "" : profile.error().message);
  return profile.ok() ? *profile : Profile{};
}

inline ForecastRequest request_of(uint64_t capacity_bytes, double fullness = 0.7, uint64_t seed = 1) {
  ForecastRequest request;
  request.capacity_bytes = capacity_bytes;
  request.fullness = fullness;
  request.seed = seed;
  return request;
}

inline Forecast forecast_of(const Profile& profile, const ForecastRequest& request) {
  Result<Forecast> forecast = make_forecast(profile, request);
  EXPECT_TRUE(forecast.ok()) << (forecast.ok() ? "" : forecast.error().message);
  return forecast.ok() ? *forecast : Forecast{};
}

// Some 900 live files and 70 000 operations: a short aging. At 100 MiB whole files miss the fullness.
inline constexpr uint64_t kSmallCapacityBytes = 112ULL << 20U;
inline Forecast small_forecast(uint64_t seed = 1) {
  return forecast_of(built_in_profile("agrawal"), request_of(kSmallCapacityBytes, 0.7, seed));
}

// Returns a legal profile of random shape, with some bins of zero weight.
inline std::string random_profile_text(Random& random) {
  const auto weight = [&random] { return random.below(4) == 0 ? 0 : random.below(100); };
  std::string size;
  uint64_t bytes = random.below(3);
  for (uint32_t i = 0, n = 1 + random.below(14); i < n; ++i) {
    size += fmt::format("{}{{\"bytes\":{},\"weight\":{}}}", i == 0 ? "" : ",", bytes, i == 0 ? 1 : weight());
    bytes = bytes * 2 + 1 + random.below(20'000);
    if (i == 0) size += fmt::format(",{{\"bytes\":{},\"weight\":{}}}", bytes, 1 + random.below(100));
    if (i == 0) bytes += 1 + random.below(9'000);
  }
  std::string depth;
  uint32_t at = random.below(2);
  for (uint32_t i = 0, n = 1 + random.below(10); i < n; ++i, at += 1 + random.below(2)) {
    depth += fmt::format("{}{{\"depth\":{},\"weight\":{},\"subdirs\":{}}}", i == 0 ? "" : ",", at,
                         i == 0 ? 1 : weight(), random.below(30));
  }
  std::string age;
  double edge = 0;
  for (uint32_t i = 0, n = 1 + random.below(10); i < n; ++i) {
    edge = edge * 1.5 + 1 + random.below(50);
    age += fmt::format("{}{{\"age\":{},\"weight\":{}}}", i == 0 ? "" : ",", edge, i == 0 ? 1 : weight());
  }
  return fmt::format("{{\"size\":[{}],\"depth\":[{}],\"age\":[{}]}}", size, depth, age);
}

}  // namespace patina
