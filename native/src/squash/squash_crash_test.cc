// After a power cut, a file system replays its journal from what was kept.
#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "squash/squash.h"
#include "testing/squash_testing.h"

namespace patina {
namespace {

// Its exit code, and the lines it prints but for the name of the folder. xfs_repair checks groups in any
// order.
std::multiset<std::string> check_in(const ScratchFolder& folder, const ImageRecipe& recipe) {
  std::vector<std::string> check = recipe.check;
  check.push_back(folder / "image");
  const ProgramResult checked = run_program(check);
  std::string text = fmt::format("{} {}", checked.exit_code, checked.output);
  for (size_t at = text.find(folder.path()); at != std::string::npos; at = text.find(folder.path())) {
    text.erase(at, folder.path().size());
  }
  std::multiset<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.insert(line);
  return lines;
}

class SquashCrash : public testing::TestWithParam<ImageRecipe> {};

TEST_P(SquashCrash, LosesNothingThatTheJournalHas) {
  PATINA_REQUIRE_ROOT();
  const ImageRecipe& recipe = GetParam();
  const FilledImage image = fill_image_until_power_cut(recipe);
  const ScratchFolder whole;
  const ScratchFolder squashed;
  SquashedDisk disk(recipe.size_bytes);
  Random random(4);
  disk.become(image.empty, random);
  disk.become(image.bytes, random);
  ASSERT_EQ(disk.squash().kept_whole_reason(), "");
  SquashedDisk(image.bytes).save(whole / "image");
  disk.save(squashed / "image");
  const std::set<std::string> tree = mounted_tree(recipe, squashed / "image");
  EXPECT_TRUE(tree == mounted_tree(recipe, whole / "image"));
  EXPECT_TRUE(
      std::any_of(tree.begin(), tree.end(), [](const auto& line) { return line.starts_with("/last "); }));
  // The replay of a fast commit leaves counts that e2fsck corrects, also on a disk that keeps everything.
  EXPECT_EQ(check_in(squashed, recipe), check_in(whole, recipe));
}

std::vector<ImageRecipe> recipes() {
  constexpr uint64_t kBytes = uint64_t{320} << 20U;
  const TreeShape tree{.data_bytes = uint64_t{40} << 20U, .names_count = 600};
  const std::vector<std::string> ext_check = {"e2fsck", "-fn"};
  return {
      {"ext3", "ext3", {"mke2fs", "-q", "-F", "-t", "ext3", "-b", "4096"}, kBytes, tree, "", ext_check},
      {"ext4", "ext4", {"mke2fs", "-q", "-F", "-t", "ext4", "-b", "4096"}, kBytes, tree, "", ext_check},
      {"ext4_with_data_in_journal",
       "ext4",
       {"mke2fs", "-q", "-F", "-t", "ext4", "-b", "4096"},
       kBytes,
       tree,
       "data=journal",
       ext_check},
      {"ext4_fast_commit",
       "ext4",
       {"mke2fs", "-q", "-F", "-t", "ext4", "-b", "4096", "-O", "fast_commit"},
       kBytes,
       tree,
       "",
       ext_check},
      {"xfs", "xfs", {"mkfs.xfs", "-q"}, kBytes, tree, "nouuid", {"xfs_repair", "-n"}},
      {"btrfs", "btrfs", {"mkfs.btrfs", "-q"}, kBytes, tree, "nodatasum", {"btrfs", "check"}},
  };
}

INSTANTIATE_TEST_SUITE_P(FileSystems, SquashCrash, testing::ValuesIn(recipes()),
                         [](const testing::TestParamInfo<ImageRecipe>& recipe) { return recipe.param.name; });

}  // namespace
}  // namespace patina
