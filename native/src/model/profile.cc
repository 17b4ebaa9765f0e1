// Reads a profile's JSON.
#include "model/profile.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/small_file.h"
#include "model/geriatrix_profile.h"
#include "model/profile_builder.h"

namespace patina {
namespace {

using nlohmann::json;

Error invalid(std::string message) {
  return Error{ErrorCode::kProfileInvalid, std::move(message)};
}

// Returns the start of a bin's error message: "age bin 3 (the first is 0)".
std::string place(std::string_view histogram, size_t index) {
  return fmt::format("{} bin {} (the first is 0)", histogram, index);
}

// Reads the numbers of one bin, in the order of `keys`; the builder validates them.
template <size_t kCount>
Result<std::array<double, kCount>> numbers_of(const json& bin, const std::array<const char*, kCount>& keys,
                                              const std::string& where) {
  if (!bin.is_object()) return invalid(fmt::format("{}: not an object", where));
  std::array<double, kCount> numbers{};
  for (size_t i = 0; i < kCount; ++i) {
    const json::const_iterator field = bin.find(keys[i]);
    if (field == bin.end()) return invalid(fmt::format("{}: '{}' is missing", where, keys[i]));
    if (!field->is_number()) return invalid(fmt::format("{}: '{}' is not a number", where, keys[i]));
    numbers[i] = field->get<double>();
  }
  return numbers;
}

// Passes each bin of a histogram to `add`, until one is refused.
template <size_t kCount, typename Add>
Status read_histogram(const json& profile, const char* histogram, const std::array<const char*, kCount>& keys,
                      const Add& add) {
  const auto bins = profile.find(histogram);
  if (bins == profile.end()) return invalid(fmt::format("the {} histogram is missing", histogram));
  if (!bins->is_array() || bins->empty()) {
    return invalid(fmt::format("the {} histogram must be a list of at least one bin", histogram));
  }
  for (size_t i = 0; i < bins->size(); ++i) {
    const std::string where = place(histogram, i);
    Result<std::array<double, kCount>> numbers = numbers_of((*bins)[i], keys, where);
    if (!numbers) return numbers.error();
    Status added = add(where, *numbers);
    if (!added) return added;
  }
  return ok_status();
}

}  // namespace

Result<Profile> parse_profile(std::string_view text) {
  const json document = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (document.is_discarded())
    return invalid("the profile is not JSON (or has a number out of the range of a double)");
  return read_profile(document);
}

Result<Profile> read_profile(const json& document) {
  if (!document.is_object()) return invalid("the profile is not a JSON object");
  ProfileBuilder builder;
  Status size = read_histogram(
      document, "size", std::array{"bytes", "weight"},
      [&builder](const std::string& where, const auto& n) { return builder.add_size(where, n[0], n[1]); });
  if (!size) return size.error();
  Status depth = read_histogram(document, "depth", std::array{"depth", "weight", "subdirs"},
                                [&builder](const std::string& where, const auto& n) {
                                  return builder.add_depth(where, n[0], n[1], n[2]);
                                });
  if (!depth) return depth.error();
  Status age = read_histogram(
      document, "age", std::array{"age", "weight"},
      [&builder](const std::string& where, const auto& n) { return builder.add_age(where, n[0], n[1]); });
  if (!age) return age.error();
  return builder.finish();
}

Result<Profile> load_profile(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return load_geriatrix_profile(path);
  constexpr ErrorCode kCode = ErrorCode::kProfileInvalid;
  Result<std::string> text = path == "-" ? read_small_input(kMaxProfileFileBytes, kCode, "the profile")
                                         : read_small_file(path, kMaxProfileFileBytes, kCode, "the profile");
  if (!text) return text.error();
  Result<Profile> profile = parse_profile(*text);
  if (!profile) return invalid(fmt::format("{}: {}", path, profile.error().message));
  return profile;
}

}  // namespace patina
