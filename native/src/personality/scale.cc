// Scales file sets.
#include "personality/scale.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "personality/personality_reader.h"

namespace patina {
namespace {

constexpr double kSlackBytes = 2048;          // of a file, in its last block
constexpr double kLeastScaledBytes = 0x1p20;  // a smaller single file keeps its size
constexpr double kBlockBytes = 4096;
constexpr double kRounding = 1e-6;      // of a product that is a whole number
constexpr double kLeastFactor = 1e-12;  // whose logarithm is finite
constexpr double kMostExcess = 1.03;    // of the bytes, by single small files, which are not scaled

double entries_count(const FileSetSpec& set) {
  return std::max(set.files_count.expected(), 0.0) + std::max(set.leaf_directories_count.expected(), 0.0);
}

bool has_several(const FileSetSpec& set) {
  return entries_count(set) > 1;
}

// What there is one of at least stays.
double scaled_count(double count, double factor, const ScaleLimits& limits) {
  if (count < 1) return count;
  const double scaled = count * factor;
  // A limit is not exceeded; a number that is asked for is met as closely as possible.
  return std::max(limits.files_count ? std::round(scaled) : std::floor(scaled + kRounding), 1.0);
}

void scale_size(FileSetSpec& set, double factor) {
  Number& bytes = set.bytes;
  if (bytes.distribution == Distribution::kConstant) {
    const double whole_blocks = std::max(std::floor(bytes.mean * factor / kBlockBytes), 1.0) * kBlockBytes;
    bytes.mean = std::min(bytes.mean, whole_blocks);
    return;
  }
  for (double* value : {&bytes.offset, &bytes.lower, &bytes.upper, &bytes.min, &bytes.max}) *value *= factor;
  if (bytes.distribution == Distribution::kLognormal) {
    bytes.mean += std::log(std::max(factor, kLeastFactor));
  } else {
    bytes.mean *= factor;
  }
  if (bytes.distribution == Distribution::kNormal) bytes.shape *= factor;
  for (TableRow& row : bytes.rows) {
    row.min *= factor;
    row.max *= factor;
  }
}

double needed_bytes(const Personality& personality) {
  return personality.expected_bytes() + personality.files_count() * kSlackBytes;
}

double several_count(const Personality& personality) {
  double count = 0;
  for (const FileSetSpec& set : personality.file_sets) {
    if (has_several(set)) count += entries_count(set);
  }
  return count;
}

double factor_of(const Personality& personality, const ScaleLimits& limits) {
  const double several = std::max(several_count(personality), 1.0);
  if (limits.files_count) return static_cast<double>(*limits.files_count) / several;
  double factor = 1;
  if (limits.bytes)
    factor = std::min(factor, static_cast<double>(*limits.bytes) / std::max(needed_bytes(personality), 1.0));
  if (limits.inodes) factor = std::min(factor, static_cast<double>(*limits.inodes) / several);
  return factor;
}

}  // namespace

Result<ScaledPersonality> read_scaled(std::string_view text, const std::string& file,
                                      const ScaleLimits& limits) {
  Result<Personality> whole = read_personality(text, file);
  if (!whole) return whole.error();
  const double factor = factor_of(*whole, limits);
  if (factor == 1) return ScaledPersonality{std::move(*whole), 1};
  VariableOverrides overrides;
  for (const FileSetSpec& set : whole->file_sets) {
    if (has_several(set) && !set.files_variable.empty()) {
      overrides[set.files_variable] = scaled_count(set.files_count.expected(), factor, limits);
    }
  }
  Result<Personality> scaled = read_personality(text, file, overrides);
  if (!scaled) return scaled.error();
  for (size_t i = 0; i < scaled->file_sets.size(); ++i) {
    FileSetSpec& set = scaled->file_sets[i];
    const bool is_large_single =
        !has_several(whole->file_sets[i]) && set.bytes.expected() > kLeastScaledBytes;
    if (has_several(whole->file_sets[i])) {
      const FileSetSpec& from = whole->file_sets[i];
      set.files_count = Number::of(scaled_count(from.files_count.expected(), factor, limits));
      set.leaf_directories_count =
          Number::of(scaled_count(from.leaf_directories_count.expected(), factor, limits));
    } else if (is_large_single && !limits.files_count) {
      scale_size(set, factor);
    }
  }
  if (limits.bytes && !limits.files_count) {
    const double left = static_cast<double>(*limits.bytes) / std::max(needed_bytes(*scaled), 1.0);
    if (left * kMostExcess < 1) {
      for (FileSetSpec& set : scaled->file_sets) scale_size(set, left);
    }
  }
  double count = 0;
  for (const FileSetSpec& set : scaled->file_sets) count += entries_count(set);
  if (count > kMaxEntries) {
    return Error{ErrorCode::kWorkloadInvalid,
                 fmt::format("{}: scaled by {}, it has more than {:.0f} files and directories", file, factor,
                             kMaxEntries)};
  }
  return ScaledPersonality{std::move(*scaled), factor};
}

}  // namespace patina
