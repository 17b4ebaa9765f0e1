// Checks the bins of a profile, normalises them and takes their digest.
#include "model/profile_builder.h"

#include <fmt/format.h>

#include <cassert>
#include <cmath>
#include <optional>
#include <string_view>

#include "base/digest.h"

namespace patina {
namespace {

Error invalid(std::string message) {
  return Error{ErrorCode::kProfileInvalid, std::move(message)};
}

std::optional<Error> not_a_quantity(const std::string& where, const char* field, double value) {
  if (std::isfinite(value) && value >= 0) return std::nullopt;
  return invalid(fmt::format("{}: '{}' is {}; it must be finite and not negative", where, field, value));
}

Result<uint64_t> integer_of(const std::string& where, const char* field, double value, uint64_t limit) {
  if (std::optional<Error> error = not_a_quantity(where, field, value)) return *error;
  if (value != std::floor(value) || value > static_cast<double>(limit)) {
    return invalid(fmt::format("{}: '{}' is {}; it must be an integer up to {}", where, field, value, limit));
  }
  return static_cast<uint64_t>(value);
}

std::optional<Error> one_bin_too_many(const std::string& where, size_t bins_count) {
  if (bins_count < kMaxBinsCount) return std::nullopt;
  return invalid(fmt::format("{}: the limit is {} bins a histogram", where, kMaxBinsCount));
}

template <typename Value>
Error not_above(const std::string& where, const char* field, Value value, Value before) {
  return invalid(
      fmt::format("{}: '{}' is {}, not above the bin before it ({})", where, field, value, before));
}

// Scales the weights that the bins hold to a sum of 1.
template <typename Bin>
std::optional<Error> normalise(std::vector<Bin>& bins, std::string_view histogram) {
  assert(!bins.empty());
  double sum = 0;
  for (const Bin& bin : bins) sum += bin.fraction;
  if (!std::isfinite(sum)) return invalid(fmt::format("the {} weights sum to infinity", histogram));
  if (sum <= 0) return invalid(fmt::format("every weight of the {} histogram is zero", histogram));
  for (Bin& bin : bins) bin.fraction /= sum;
  return std::nullopt;
}

std::string digest_of(const Profile& profile) {
  Sha256 digest;
  digest.update("patina profile 1\n");
  for (const SizeBin& bin : profile.size) {
    digest.update(fmt::format("size {} {:.17g}\n", bin.bytes, bin.fraction));
  }
  for (const DepthBin& bin : profile.depth) {
    digest.update(fmt::format("depth {} {} {:.17g}\n", bin.depth, bin.subdirs_count, bin.fraction));
  }
  for (const AgeBin& bin : profile.age) {
    digest.update(fmt::format("age {:.17g} {:.17g}\n", bin.age, bin.fraction));
  }
  return digest.hex();
}

}  // namespace

Status ProfileBuilder::add_size(const std::string& where, double bytes, double weight) {
  std::vector<SizeBin>& bins = profile_.size;
  if (std::optional<Error> error = one_bin_too_many(where, bins.size())) return *error;
  Result<uint64_t> value = integer_of(where, "bytes", bytes, kMaxFileBytes);
  if (!value) return value.error();
  if (std::optional<Error> error = not_a_quantity(where, "weight", weight)) return *error;
  if (!bins.empty() && *value <= bins.back().bytes) {
    return not_above(where, "bytes", *value, bins.back().bytes);
  }
  bins.push_back({*value, weight, bins.empty() ? *value / 2 : bins.back().bytes});
  return ok_status();
}

Status ProfileBuilder::add_depth(const std::string& where, double depth, double weight,
                                 double subdirs_count) {
  std::vector<DepthBin>& bins = profile_.depth;
  if (std::optional<Error> error = one_bin_too_many(where, bins.size())) return *error;
  Result<uint64_t> value = integer_of(where, "depth", depth, kMaxDepth);
  if (!value) return value.error();
  if (std::optional<Error> error = not_a_quantity(where, "weight", weight)) return *error;
  Result<uint64_t> subdirs = integer_of(where, "subdirs", subdirs_count, kMaxDirectoriesCount);
  if (!subdirs) return subdirs.error();
  if (!bins.empty() && *value <= bins.back().depth) {
    return not_above(where, "depth", *value, uint64_t{bins.back().depth});
  }
  directories_count_ += *subdirs;
  if (directories_count_ > kMaxDirectoriesCount) {
    return invalid(fmt::format("{}: more than {} directories in all", where, kMaxDirectoriesCount));
  }
  bins.push_back({static_cast<uint32_t>(*value), weight, static_cast<uint32_t>(*subdirs)});
  return ok_status();
}

Status ProfileBuilder::add_age(const std::string& where, double age, double weight) {
  std::vector<AgeBin>& bins = profile_.age;
  if (std::optional<Error> error = one_bin_too_many(where, bins.size())) return *error;
  if (std::optional<Error> error = not_a_quantity(where, "age", age)) return *error;
  if (std::optional<Error> error = not_a_quantity(where, "weight", weight)) return *error;
  const double before = bins.empty() ? 0 : bins.back().age;
  if (age <= before) return not_above(where, "age", age, before);
  bins.push_back({age, weight});
  return ok_status();
}

Result<Profile> ProfileBuilder::finish() {
  if (std::optional<Error> error = normalise(profile_.size, "size")) return *error;
  if (std::optional<Error> error = normalise(profile_.depth, "depth")) return *error;
  if (std::optional<Error> error = normalise(profile_.age, "age")) return *error;
  profile_.digest = digest_of(profile_);
  return std::move(profile_);
}

}  // namespace patina
