// The tree's shape, its names, and its least-filled directories.
#include "model/directory_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/random.h"
#include "model/file_name.h"

namespace patina {
namespace {

TEST(DirectoryTree, SpreadsEachDepthOverAllParents) {
  const DirectoryTree tree({1, 4, 10, 3});
  EXPECT_EQ(tree.count(), 18U);
  std::map<uint32_t, int> children;
  for (uint32_t i = 0; i < tree.count_at(2); ++i) ++children[tree.parent(tree.first_at(2) + i)];
  EXPECT_EQ(children.size(), 4U);
  for (const auto& [parent, count] : children) {
    EXPECT_GE(parent, tree.first_at(1));
    EXPECT_LT(parent, tree.first_at(2));
    EXPECT_GE(count, 2);
    EXPECT_LE(count, 3);
  }
}

TEST(DirectoryTree, PathsAreAsDeepAsTheirDepthAndUnique) {
  const DirectoryTree tree({1, 2, 40, 80});
  std::set<std::string> paths;
  for (uint32_t i = 0; i < tree.count(); ++i) paths.insert(tree.path(i));
  EXPECT_EQ(paths.size(), tree.count());
  EXPECT_EQ(tree.path(0), ".");
  const std::string deep = tree.path(tree.first_at(3));
  EXPECT_EQ(std::count(deep.begin(), deep.end(), '/'), 2);
}

TEST(DirectoryFill, AlwaysKnowsALeastFilledOne) {
  Random random(5);
  for (const uint32_t directories : {1U, 2U, 7U, 50U}) {
    DirectoryFill fill(directories);
    std::vector<uint32_t> counts(directories, 0);
    for (int i = 0; i < 5000; ++i) {
      const uint32_t directory = random.below(directories);
      if (counts[directory] > 0 && random.below(5) < 2) {
        fill.remove_from(directory);
        --counts[directory];
      } else {
        const uint32_t chosen = fill.add_to_least_filled();
        ASSERT_EQ(counts[chosen], *std::min_element(counts.begin(), counts.end()));
        ++counts[chosen];
      }
    }
  }
}

TEST(FileName, IsShortAndUnique) {
  std::set<std::string> names;
  for (uint64_t i = 0; i < 50'000; ++i) {
    names.insert(FileName('f', i).c_str());
    names.insert(FileName('d', i).c_str());
  }
  EXPECT_EQ(names.size(), 100'000U);
  EXPECT_STREQ(FileName('f', 36).c_str(), "f10");
  EXPECT_STREQ(FileName('f', UINT64_MAX).c_str(), "f3w5e11264sgsf");
}

}  // namespace
}  // namespace patina
