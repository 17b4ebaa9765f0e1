// Reads, checks and normalises a profile's JSON.
#include "profile.h"

#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

#include "digest.h"

namespace patina {
namespace {

using nlohmann::json;

constexpr size_t kMaxProfileFileBytes = size_t{1} << 20U;

Error invalid(std::string message) {
  return Error{ErrorCode::kProfileInvalid, std::move(message)};
}

// What a bin's complaint starts with: "age bin 3 (the first is 0)".
std::string place(std::string_view histogram, size_t index) {
  return fmt::format("{} bin {} (the first is 0)", histogram, index);
}

Result<double> number_of(const json& bin, const char* key, std::string_view histogram, size_t index) {
  const auto field = bin.find(key);
  if (field == bin.end()) return invalid(fmt::format("{}: '{}' is missing", place(histogram, index), key));
  if (!field->is_number()) {
    return invalid(fmt::format("{}: '{}' is not a number", place(histogram, index), key));
  }
  const double value = field->get<double>();
  if (!std::isfinite(value) || value < 0) {
    return invalid(fmt::format("{}: '{}' is {}; it must be finite and not negative", place(histogram, index),
                               key, value));
  }
  return value;
}

Result<uint64_t> integer_of(const json& bin, const char* key, std::string_view histogram, size_t index,
                            uint64_t limit) {
  Result<double> number = number_of(bin, key, histogram, index);
  if (!number) return number.error();
  if (*number != std::floor(*number) || *number > static_cast<double>(limit)) {
    return invalid(fmt::format("{}: '{}' is {}; it must be an integer up to {}", place(histogram, index), key,
                               *number, limit));
  }
  return static_cast<uint64_t>(*number);
}

// Scales the weights that the bins hold to a sum of 1.
template <typename Bin>
std::optional<Error> normalise(std::vector<Bin>& bins, std::string_view histogram) {
  double sum = 0;
  for (const Bin& bin : bins) sum += bin.fraction;
  if (!std::isfinite(sum)) return invalid(fmt::format("the {} weights sum to infinity", histogram));
  if (sum <= 0) return invalid(fmt::format("every weight of the {} histogram is zero", histogram));
  for (Bin& bin : bins) bin.fraction /= sum;
  return std::nullopt;
}

Result<const json*> bins_of(const json& profile, const char* histogram) {
  const auto bins = profile.find(histogram);
  if (bins == profile.end()) return invalid(fmt::format("the {} histogram is missing", histogram));
  if (!bins->is_array() || bins->empty()) {
    return invalid(fmt::format("the {} histogram must be a list of at least one bin", histogram));
  }
  if (bins->size() > kMaxBinsCount) {
    return invalid(
        fmt::format("the {} histogram has {} bins; the limit is {}", histogram, bins->size(), kMaxBinsCount));
  }
  for (size_t i = 0; i < bins->size(); ++i) {
    if (!(*bins)[i].is_object()) return invalid(fmt::format("{}: not an object", place(histogram, i)));
  }
  return &*bins;
}

std::optional<Error> read_size(const json& document, std::vector<SizeBin>& out) {
  Result<const json*> bins = bins_of(document, "size");
  if (!bins) return bins.error();
  for (size_t i = 0; i < (*bins)->size(); ++i) {
    const json& bin = (**bins)[i];
    Result<uint64_t> bytes = integer_of(bin, "bytes", "size", i, kMaxFileBytes);
    if (!bytes) return bytes.error();
    Result<double> weight = number_of(bin, "weight", "size", i);
    if (!weight) return weight.error();
    if (!out.empty() && *bytes <= out.back().bytes) {
      return invalid(fmt::format("{}: 'bytes' is {}, not above the bin before it ({})", place("size", i),
                                 *bytes, out.back().bytes));
    }
    out.push_back({*bytes, *weight, out.empty() ? *bytes / 2 : out.back().bytes});
  }
  return normalise(out, "size");
}

std::optional<Error> read_depth(const json& document, std::vector<DepthBin>& out) {
  Result<const json*> bins = bins_of(document, "depth");
  if (!bins) return bins.error();
  uint64_t directories_count = 0;
  for (size_t i = 0; i < (*bins)->size(); ++i) {
    const json& bin = (**bins)[i];
    Result<uint64_t> depth = integer_of(bin, "depth", "depth", i, kMaxDepth);
    if (!depth) return depth.error();
    Result<double> weight = number_of(bin, "weight", "depth", i);
    if (!weight) return weight.error();
    Result<uint64_t> subdirs = integer_of(bin, "subdirs", "depth", i, kMaxDirectoriesCount);
    if (!subdirs) return subdirs.error();
    if (!out.empty() && *depth <= out.back().depth) {
      return invalid(fmt::format("{}: 'depth' is {}, not above the bin before it ({})", place("depth", i),
                                 *depth, out.back().depth));
    }
    directories_count += *subdirs;
    if (directories_count > kMaxDirectoriesCount) {
      return invalid(
          fmt::format("{}: more than {} directories in all", place("depth", i), kMaxDirectoriesCount));
    }
    out.push_back({static_cast<uint32_t>(*depth), *weight, static_cast<uint32_t>(*subdirs)});
  }
  return normalise(out, "depth");
}

std::optional<Error> read_age(const json& document, std::vector<AgeBin>& out) {
  Result<const json*> bins = bins_of(document, "age");
  if (!bins) return bins.error();
  for (size_t i = 0; i < (*bins)->size(); ++i) {
    const json& bin = (**bins)[i];
    Result<double> age = number_of(bin, "age", "age", i);
    if (!age) return age.error();
    Result<double> weight = number_of(bin, "weight", "age", i);
    if (!weight) return weight.error();
    const double previous = out.empty() ? 0 : out.back().age;
    if (*age <= previous) {
      return invalid(
          fmt::format("{}: 'age' is {}, not above the bin before it ({})", place("age", i), *age, previous));
    }
    out.push_back({*age, *weight});
  }
  return normalise(out, "age");
}

std::string digest_of(const Profile& profile) {
  Sha256 digest;
  digest.update("patina profile 1\n");
  for (const SizeBin& bin : profile.size)
    digest.update(fmt::format("size {} {:.17g}\n", bin.bytes, bin.fraction));
  for (const DepthBin& bin : profile.depth) {
    digest.update(fmt::format("depth {} {} {:.17g}\n", bin.depth, bin.subdirs_count, bin.fraction));
  }
  for (const AgeBin& bin : profile.age) {
    digest.update(fmt::format("age {:.17g} {:.17g}\n", bin.age, bin.fraction));
  }
  return digest.hex();
}

}  // namespace

Result<Profile> parse_profile(std::string_view text) {
  const json document = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (document.is_discarded())
    return invalid("the profile is not JSON (or holds a number that no double holds)");
  if (!document.is_object()) return invalid("the profile is not a JSON object");
  Profile profile;
  if (std::optional<Error> error = read_size(document, profile.size)) return *error;
  if (std::optional<Error> error = read_depth(document, profile.depth)) return *error;
  if (std::optional<Error> error = read_age(document, profile.age)) return *error;
  profile.digest = digest_of(profile);
  return profile;
}

Result<Profile> load_profile(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return invalid(fmt::format("cannot open the profile '{}'", file));
  std::string text(kMaxProfileFileBytes + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(in.gcount()));
  if (in.bad()) return invalid(fmt::format("cannot read the profile '{}'", file));
  if (text.size() > kMaxProfileFileBytes) {
    return invalid(fmt::format("the profile '{}' is larger than {} bytes", file, kMaxProfileFileBytes));
  }
  Result<Profile> profile = parse_profile(text);
  if (!profile) return invalid(fmt::format("{}: {}", file, profile.error().message));
  return profile;
}

}  // namespace patina
