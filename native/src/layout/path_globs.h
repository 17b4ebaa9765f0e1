// Paths of files by patterns.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace patina {

// Patterns relative to the root of a file system. `*`, `?` and `[...]` match within one name; `**` as a whole
// name matches any number of directories, and at the end everything below.
class PathGlobs {
 public:
  // kUsage: a pattern is empty, absolute, or has `.`, `..` or an empty name in it.
  static Result<PathGlobs> parse(const std::vector<std::string>& patterns);

  bool matches(std::string_view path) const;
  // Whether a file below the directory can match.
  bool may_match_below(std::string_view directory) const;

 private:
  std::vector<std::vector<std::string>> patterns_;  // by names
};

}  // namespace patina
