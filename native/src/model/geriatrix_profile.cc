// Reads the rows of Geriatrix's three texts, line by line.
#include "model/geriatrix_profile.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <optional>

#include "base/small_file.h"
#include "model/profile_builder.h"

namespace patina {
namespace {

constexpr const char* kSizeFile = "size_distribution.txt";
constexpr const char* kDepthFile = "dir_distribution.txt";
constexpr const char* kAgeFile = "age_distribution.txt";

constexpr size_t kMaxColumns = 3;
constexpr size_t kMaxQuotedBytes = 24;

Error invalid(const std::string& where, const std::string& why) {
  return Error{ErrorCode::kProfileInvalid, where + ": " + why};
}

// Quotes text of a hostile file for an error message: a few bytes, without control characters.
std::string quoted(std::string_view text) {
  std::string shown = "'";
  for (const char byte : text.substr(0, kMaxQuotedBytes)) shown += byte >= 0x20 && byte < 0x7f ? byte : '?';
  return shown + (text.size() > kMaxQuotedBytes ? "...'" : "'");
}

class Lines {
 public:
  Lines(std::string path, std::string_view text) : path_(std::move(path)), left_(text) {}

  // The next line that is not blank, or none at the end.
  std::optional<std::string_view> next() {
    while (!left_.empty()) {
      const size_t end = left_.find('\n');
      const std::string_view line = left_.substr(0, end);
      left_.remove_prefix(end == std::string_view::npos ? left_.size() : end + 1);
      ++number_;
      if (line.find_first_not_of(kBlanks) != std::string_view::npos) return line;
    }
    return std::nullopt;
  }
  std::string where() const { return fmt::format("{} line {}", path_, number_); }

  static constexpr const char* kBlanks = " \t\r";

 private:
  std::string path_;
  std::string_view left_;
  size_t number_ = 0;
};

// Reads exactly `count` numbers into the first elements of the result.
Result<std::array<double, kMaxColumns>> numbers_of(std::string_view line, size_t count,
                                                   const std::string& where) {
  std::array<double, kMaxColumns> numbers{};
  size_t found = 0;
  for (size_t at = line.find_first_not_of(Lines::kBlanks); at != std::string_view::npos;
       at = line.find_first_not_of(Lines::kBlanks, at)) {
    const std::string_view word = line.substr(at, line.find_first_of(Lines::kBlanks, at) - at);
    if (found == count) return invalid(where, fmt::format("more than {} numbers", count));
    const auto [rest, code] = std::from_chars(word.begin(), word.end(), numbers[found]);
    if (code == std::errc::result_out_of_range)
      return invalid(where, quoted(word) + " is out of the range of a double");
    if (code != std::errc{} || rest != word.end()) return invalid(where, quoted(word) + " is not a number");
    at += word.size();
    ++found;
  }
  if (found < count) return invalid(where, fmt::format("{} of {} numbers", found, count));
  return numbers;
}

// Reads the count, then as many rows of `columns` numbers, and passes each to `add`.
template <typename Add>
Status read_rows(const std::string& path, std::string_view text, size_t columns, const Add& add) {
  if (text.find('\0') != std::string_view::npos || text.starts_with("\xef\xbb\xbf")) {
    return invalid(path, "is not plain text (a NUL byte or a byte-order mark); save it as ASCII");
  }
  Lines lines(path, text);
  const std::optional<std::string_view> first = lines.next();
  if (!first) return invalid(path, "is empty; a count of rows is expected");
  Result<std::array<double, kMaxColumns>> head = numbers_of(*first, 1, lines.where());
  if (!head) return head.error();
  const double count = head->front();
  // Checked before the cast, which is undefined for a NaN or a number out of range.
  const bool countable = count >= 1 && count <= static_cast<double>(kMaxBinsCount);
  const size_t rows_count = countable ? static_cast<size_t>(count) : 0;
  if (static_cast<double>(rows_count) != count || rows_count == 0) {
    return invalid(lines.where(),
                   fmt::format("the count of rows is {}; the limit is {} bins", count, kMaxBinsCount));
  }
  for (size_t row = 0; row < rows_count; ++row) {
    const std::optional<std::string_view> line = lines.next();
    if (!line)
      return invalid(lines.where(), fmt::format("the file ends after {} of {} rows", row, rows_count));
    Result<std::array<double, kMaxColumns>> numbers = numbers_of(*line, columns, lines.where());
    if (!numbers) return numbers.error();
    Status added = add(lines.where(), *numbers);
    if (!added) return added;
  }
  return ok_status();
}

}  // namespace

Result<Profile> parse_geriatrix_profile(const std::string& folder, const GeriatrixTexts& texts) {
  ProfileBuilder builder;
  Status size = read_rows(
      folder + "/" + kSizeFile, texts.size, 2,
      [&builder](const std::string& where, const auto& n) { return builder.add_size(where, n[0], n[1]); });
  if (!size) return size.error();
  Status depth = read_rows(folder + "/" + kDepthFile, texts.depth, 3,
                           [&builder](const std::string& where, const auto& n) {
                             return builder.add_depth(where, n[0], n[1], n[2]);
                           });
  if (!depth) return depth.error();
  Status age = read_rows(
      folder + "/" + kAgeFile, texts.age, 2,
      [&builder](const std::string& where, const auto& n) { return builder.add_age(where, n[0], n[1]); });
  if (!age) return age.error();
  Result<Profile> profile = builder.finish();
  if (!profile) return invalid(folder, profile.error().message);
  return profile;
}

Result<Profile> load_geriatrix_profile(const std::string& folder) {
  std::array<std::string, 3> texts;
  const std::array<const char*, 3> files = {kSizeFile, kDepthFile, kAgeFile};
  for (size_t i = 0; i < files.size(); ++i) {
    Result<std::string> text = read_small_file(folder + "/" + files[i], kMaxProfileFileBytes,
                                               ErrorCode::kProfileInvalid, "the profile's text");
    if (!text) return text.error();
    texts[i] = std::move(*text);
  }
  return parse_geriatrix_profile(folder, {.size = texts[0], .depth = texts[1], .age = texts[2]});
}

}  // namespace patina
