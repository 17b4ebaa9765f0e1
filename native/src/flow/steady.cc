// The rule of a steady pace.
#include "flow/steady.h"

#include <cmath>
#include <span>

namespace patina {
namespace {

constexpr double kMaxExcursion = 0.10;
constexpr double kMaxSlope = 0.10;
constexpr size_t kParts = 5;

double pace_between(const PaceSample& from, const PaceSample& to) {
  const double elapsed_s = to.elapsed_s - from.elapsed_s;
  return elapsed_s > 0 ? static_cast<double>(to.ops_count - from.ops_count) / elapsed_s : 0;
}

// `samples`: the begin, and the end of each interval.
bool is_steady(std::span<const PaceSample> samples) {
  const double mean = pace_between(samples.front(), samples.back());
  if (mean <= 0) return false;
  const size_t intervals = samples.size() - 1;
  for (size_t part = 0; part < kParts; ++part) {
    const double pace =
        pace_between(samples[part * intervals / kParts], samples[(part + 1) * intervals / kParts]);
    if (std::abs(pace - mean) > kMaxExcursion * mean) return false;
  }
  double sum_t = 0;
  double sum_p = 0;
  double sum_tt = 0;
  double sum_tp = 0;
  for (size_t i = 1; i < samples.size(); ++i) {
    const double t = (samples[i - 1].elapsed_s + samples[i].elapsed_s) / 2;
    const double p = pace_between(samples[i - 1], samples[i]);
    sum_t += t;
    sum_p += p;
    sum_tt += t * t;
    sum_tp += t * p;
  }
  const auto n = static_cast<double>(intervals);
  const double spread = n * sum_tt - sum_t * sum_t;
  const double slope = spread > 0 ? (n * sum_tp - sum_t * sum_p) / spread : 0;
  return std::abs(slope) * (samples.back().elapsed_s - samples.front().elapsed_s) <= kMaxSlope * mean;
}

}  // namespace

std::optional<SteadyPace> steady_pace(const std::vector<PaceSample>& samples) {
  std::vector<PaceSample> points{{0, 0}};
  points.insert(points.end(), samples.begin(), samples.end());
  for (size_t from = 0; from + kMinSteadySamples < points.size() && from <= points.size() / 2; ++from) {
    const auto end = std::span<const PaceSample>(points).subspan(from);
    if (is_steady(end)) return SteadyPace{end.front().elapsed_s, pace_between(end.front(), end.back())};
  }
  return std::nullopt;
}

}  // namespace patina
