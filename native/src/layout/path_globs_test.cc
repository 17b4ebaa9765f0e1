// Patterns, and the directories that a walk may leave out.
#include "layout/path_globs.h"

#include <gtest/gtest.h>

namespace patina {
namespace {

PathGlobs globs(const std::vector<std::string>& patterns) {
  Result<PathGlobs> parsed = PathGlobs::parse(patterns);
  EXPECT_TRUE(parsed.ok());
  return std::move(*parsed);
}

TEST(PathGlobs, MatchNamesAndDirectories) {
  struct Case {
    const char* pattern;
    const char* path;
    bool matches;
  };
  const std::vector<Case> cases = {
      {"a", "a", true},
      {"a", "a/b", false},
      {"etc/*.conf", "etc/x.conf", true},
      {"etc/*.conf", "etc/.conf", true},
      {"etc/*.conf", "etc/x/y.conf", false},
      {"etc/*.conf", "usr/etc/x.conf", false},
      {"database/**", "database/x", true},
      {"database/**", "database/x/y/z", true},
      {"database/**", "databases/x", false},
      {"**/log", "log", true},
      {"**/log", "a/b/log", true},
      {"**/log", "a/log/b", false},
      {"a/**/b/**/c?", "a/b/c1", true},
      {"a/**/b/**/c?", "a/x/b/y/b/z/c1", true},
      {"a/**/b/**/c?", "a/x/y/c1", false},
      {"[ab]/x", "b/x", true},
      {"**", "any/thing", true},
      {"a\\*b", "a*b", true},
      {"a\\*b", "axb", false},
  };
  for (const Case& each : cases) {
    EXPECT_EQ(globs({each.pattern}).matches(each.path), each.matches) << each.pattern << " " << each.path;
  }
  EXPECT_TRUE(globs({"a", "b"}).matches("b"));
  EXPECT_FALSE(globs({}).matches("b"));
}

TEST(PathGlobs, LeaveOutDirectoriesInWhichNothingCanMatch) {
  const PathGlobs some = globs({"etc/*.conf", "a/**/z"});
  EXPECT_TRUE(some.may_match_below("etc"));
  EXPECT_FALSE(some.may_match_below("etc/x.conf"));
  EXPECT_FALSE(some.may_match_below("usr"));
  EXPECT_TRUE(some.may_match_below("a"));
  EXPECT_TRUE(some.may_match_below("a/b/c"));
}

TEST(PathGlobs, RefuseWhatIsNoPathBelowTheRoot) {
  for (const char* wrong : {"", "/etc/x", "a//b", "a/", "../x", "a/./b", "a/.."}) {
    const Result<PathGlobs> parsed = PathGlobs::parse({wrong});
    ASSERT_FALSE(parsed.ok()) << wrong;
    EXPECT_EQ(parsed.error().code, ErrorCode::kUsage);
  }
}

}  // namespace
}  // namespace patina
