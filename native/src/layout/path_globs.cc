// Matches name by name; fnmatch(3) matches one.
#include "layout/path_globs.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <cstdint>
#include <span>

namespace patina {
namespace {

constexpr std::string_view kAnyDirectories = "**";

std::vector<std::string> names_of(std::string_view path) {
  std::vector<std::string> names;
  for (size_t begin = 0; begin <= path.size();) {
    const size_t end = std::min(path.find('/', begin), path.size());
    names.emplace_back(path.substr(begin, end - begin));
    begin = end + 1;
  }
  return names;
}

// For each name of a pattern whether it may come next, and for the end whether nothing need come. No
// vector<bool>: a lambda would return a reference into it.
using Positions = std::vector<uint8_t>;

// After the names of a path.
Positions positions_after(std::span<const std::string> pattern, std::span<const std::string> names) {
  const auto pass_any = [&pattern](Positions& at) {
    for (size_t i = 0; i < pattern.size(); ++i) {
      if (at[i] != 0 && pattern[i] == kAnyDirectories) at[i + 1] = 1;
    }
  };
  Positions at(pattern.size() + 1);
  at[0] = 1;
  pass_any(at);
  for (const std::string& name : names) {
    Positions next(pattern.size() + 1);
    for (size_t i = 0; i < pattern.size(); ++i) {
      if (at[i] == 0) continue;
      if (pattern[i] == kAnyDirectories) {
        next[i] = 1;
      } else if (::fnmatch(pattern[i].c_str(), name.c_str(), 0) == 0) {
        next[i + 1] = 1;
      }
    }
    pass_any(next);
    at = std::move(next);
  }
  return at;
}

}  // namespace

Result<PathGlobs> PathGlobs::parse(const std::vector<std::string>& patterns) {
  PathGlobs globs;
  for (const std::string& pattern : patterns) {
    std::vector<std::string> names = names_of(pattern);
    const bool is_wrong = std::any_of(names.begin(), names.end(), [](const std::string& name) {
      return name.empty() || name == "." || name == "..";
    });
    if (is_wrong) {
      return Error{ErrorCode::kUsage,
                   fmt::format("'{}' is no path relative to the root of the file system, such as "
                               "database/** or etc/*.conf",
                               pattern)};
    }
    globs.patterns_.push_back(std::move(names));
  }
  return globs;
}

bool PathGlobs::matches(std::string_view path) const {
  const std::vector<std::string> names = names_of(path);
  return std::any_of(patterns_.begin(), patterns_.end(),
                     [&names](const auto& pattern) { return positions_after(pattern, names).back() != 0; });
}

bool PathGlobs::may_match_below(std::string_view directory) const {
  const std::vector<std::string> names = names_of(directory);
  return std::any_of(patterns_.begin(), patterns_.end(), [&names](const auto& pattern) {
    const Positions at = positions_after(pattern, names);
    return std::find(at.begin(), at.end() - 1, uint8_t{1}) != at.end() - 1;
  });
}

}  // namespace patina
