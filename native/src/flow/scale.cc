// Scales file sets.
#include "flow/scale.h"

#include <algorithm>
#include <cmath>

#include "flow/personality_reader.h"

namespace patina {
namespace {

constexpr double kSlackBytes = 2048;          // of a file, in its last block
constexpr double kLeastScaledBytes = 0x1p20;  // a smaller single file keeps its size
constexpr double kBlockBytes = 4096;

bool has_several(const FileSetSpec& set) {
  return set.files_count.expected() > 1;
}

double scaled_count(double count, double factor) {
  return std::max(std::floor(count * factor + 0.5), 1.0);
}

void scale_size(FileSetSpec& set, double factor) {
  Number& bytes = set.bytes;
  if (bytes.distribution == Distribution::kConstant) {
    bytes.mean = std::max(std::floor(bytes.mean * factor / kBlockBytes), 1.0) * kBlockBytes;
    return;
  }
  for (double* value : {&bytes.mean, &bytes.offset, &bytes.min, &bytes.max}) *value *= factor;
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
    if (has_several(set)) count += set.files_count.expected();
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
      overrides[set.files_variable] = scaled_count(set.files_count.expected(), factor);
    }
  }
  Result<Personality> scaled = read_personality(text, file, overrides);
  if (!scaled) return scaled.error();
  for (size_t i = 0; i < scaled->file_sets.size(); ++i) {
    FileSetSpec& set = scaled->file_sets[i];
    const bool is_large_single =
        !has_several(whole->file_sets[i]) && set.bytes.expected() > kLeastScaledBytes;
    if (has_several(whole->file_sets[i])) {
      set.files_count = Number::of(scaled_count(whole->file_sets[i].files_count.expected(), factor));
      set.leaf_directories_count =
          Number::of(std::floor(whole->file_sets[i].leaf_directories_count.expected() * factor));
    } else if (is_large_single && !limits.files_count) {
      scale_size(set, factor);
    }
  }
  if (limits.bytes && !limits.files_count) {
    const double left = static_cast<double>(*limits.bytes) / std::max(needed_bytes(*scaled), 1.0);
    if (left < 0.9) {
      for (FileSetSpec& set : scaled->file_sets) scale_size(set, left);
    }
  }
  return ScaledPersonality{std::move(*scaled), factor};
}

}  // namespace patina
