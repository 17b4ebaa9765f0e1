// Real file systems lose nothing but data when all that may be dropped is overwritten.
#include <gtest/gtest.h>

#include "squash/squash.h"
#include "testing/property_testing.h"
#include "testing/squash_testing.h"

namespace patina {
namespace {

const std::vector<std::string> kExtCheck = {"e2fsck", "-fn"};
const std::vector<std::string> kXfsCheck = {"xfs_repair", "-n"};
const std::vector<std::string> kBtrfsCheck = {"btrfs", "check"};

TreeShape long_links() {
  return {.link_bytes = 4000};
}

ImageRecipe ext(const char* name, const char* type, const std::vector<std::string>& options,
                TreeShape tree = long_links(), uint64_t size_bytes = uint64_t{256} << 20U) {
  std::vector<std::string> command = {"mke2fs", "-q", "-F", "-t", type};
  command.insert(command.end(), options.begin(), options.end());
  return {name, type, command, size_bytes, tree, "", kExtCheck};
}

// Of blocks of 1 KiB.
TreeShape small_tree() {
  return {.data_bytes = uint64_t{110} << 20U,
          .names_count = 600,
          .link_bytes = 900,
          .attribute_bytes = 700,
          .fragments_count = 150};
}

// With the key that the kernel has for tests.
ImageRecipe encrypted() {
  ImageRecipe recipe = ext("ext4_encrypted", "ext4", {"-b", "4096", "-O", "encrypt"});
  recipe.mount_options = "test_dummy_encryption";
  return recipe;
}

std::vector<ImageRecipe> recipes() {
  constexpr uint64_t kSmall = uint64_t{160} << 20U;
  constexpr uint64_t kLarge = uint64_t{448} << 20U;
  return {
      ext("ext2", "ext2", {"-b", "4096"}),
      ext("ext2_1k", "ext2", {"-b", "1024"}, small_tree(), kSmall),
      ext("ext3", "ext3", {"-b", "4096"}),
      ext("ext3_2k", "ext3", {"-b", "2048"}, {.link_bytes = 1900, .attribute_bytes = 1500}),
      ext("ext4", "ext4", {"-b", "4096"}),
      ext("ext4_1k", "ext4", {"-b", "1024"}, small_tree(), kSmall),
      ext("ext4_32bit", "ext4", {"-b", "4096", "-O", "^64bit,^metadata_csum,^flex_bg,^resize_inode"}),
      ext("ext4_meta_groups", "ext4", {"-b", "1024", "-O", "meta_bg,^resize_inode"}, small_tree(), kSmall),
      ext("ext4_sparse_super2", "ext4", {"-b", "4096", "-O", "sparse_super2"}),
      ext("ext4_bigalloc", "ext4", {"-b", "4096", "-O", "bigalloc", "-C", "16384"}, long_links()),
      ext("ext4_inline_data", "ext4", {"-b", "4096", "-I", "512", "-O", "inline_data"}),
      ext("ext4_orphan_file", "ext4", {"-b", "4096", "-O", "orphan_file"}),
      ext("ext4_protected", "ext4", {"-b", "4096", "-O", "mmp"}),
      ext("ext4_no_journal", "ext4", {"-b", "4096", "-O", "^has_journal"}),
      encrypted(),
      ext("ext4_fast_commit", "ext4", {"-b", "4096", "-O", "fast_commit"}),
      {"xfs",
       "xfs",
       {"mkfs.xfs", "-q"},
       kLarge,
       {.data_bytes = uint64_t{200} << 20U, .attribute_bytes = 20000},
       "",
       kXfsCheck},
      {"xfs_sectors_of_4k",
       "xfs",
       {"mkfs.xfs", "-q", "-s", "size=4096", "-m", "rmapbt=1,inobtcount=1,bigtime=1"},
       kLarge,
       {.data_bytes = uint64_t{200} << 20U, .attribute_bytes = 20000},
       "",
       kXfsCheck},
      {"btrfs",
       "btrfs",
       {"mkfs.btrfs", "-q"},
       kLarge,
       {.data_bytes = uint64_t{250} << 20U},
       "nodatasum",
       kBtrfsCheck},
      {"btrfs_nodes_of_4k",
       "btrfs",
       {"mkfs.btrfs", "-q", "-n", "4096", "--mixed"},
       kLarge,
       {.data_bytes = uint64_t{100} << 20U, .attribute_bytes = 1000},
       "nodatasum",
       kBtrfsCheck},
      {"btrfs_nodes_of_64k",
       "btrfs",
       {"mkfs.btrfs", "-q", "-n", "65536"},
       kLarge,
       {.data_bytes = uint64_t{250} << 20U, .names_count = 1000},
       "nodatasum",
       kBtrfsCheck},
  };
}

class SquashProperty : public testing::TestWithParam<ImageRecipe> {
 protected:
  void SetUp() override {
    PATINA_REQUIRE_ROOT();
    const bool is_encrypted = std::string(GetParam().mount_options) == "test_dummy_encryption";
    if (is_encrypted && !std::filesystem::exists("/sys/fs/ext4/features/test_dummy_encryption_v2")) {
      GTEST_SKIP() << "the kernel has no encryption of files";
    }
  }
};

TEST_P(SquashProperty, LosesNothingButData) {
  const ImageRecipe& recipe = GetParam();
  const FilledImage image = fill_image(recipe);
  Random random(3);
  {
    SquashedDisk disk(image.bytes);
    ASSERT_EQ(disk.squash().kept_whole_reason(), "");
    disk.rewrite_all(random);
    EXPECT_GE(dropped_fraction(disk, image.bytes), 0.9);
    expect_nothing_lost(recipe, disk, image.tree);
  }
  // The disk sees mkfs and the filling as writes in any order, as a page cache may send them.
  for (uint32_t i = 0; i < property_cases(1); ++i) {
    SquashedDisk disk(recipe.size_bytes);
    disk.become(image.empty, random);
    disk.become(image.bytes, random);
    ASSERT_EQ(disk.squash().kept_whole_reason(), "");
    EXPECT_EQ(disk.settle(), "");
    expect_nothing_lost(recipe, disk, image.tree);
  }
}

class SquashMounted : public SquashProperty {};

// Its writes come between the mark of a mount and its removal.
TEST_P(SquashMounted, LosesNothingButData) {
  const ImageRecipe& recipe = GetParam();
  const FilledImage image = fill_image(recipe);
  Random random(5);
  SquashedDisk disk(recipe.size_bytes);
  disk.become(image.empty, random);
  std::vector<uint8_t> mounted = image.bytes;
  mounted[1024 + 0x60] |= 4;  // needs_recovery
  disk.write(0, std::span(mounted).first(kPieceBytes));
  disk.become(mounted, random);
  EXPECT_EQ(disk.settle(), "");
  const double dropped_before = dropped_fraction(disk, image.bytes);
  disk.write(0, std::span(image.bytes).first(kPieceBytes));
  EXPECT_EQ(disk.settle(), "");
  EXPECT_GE(dropped_fraction(disk, image.bytes), dropped_before);
  expect_nothing_lost(recipe, disk, image.tree);
}

// For features that few kernels mount: an image that mke2fs fills from a folder.
class SquashUnmounted : public testing::Test {
 protected:
  SquashUnmounted() {
    std::filesystem::create_directory(tree());
    TreeShape shape = long_links();
    shape.attribute_bytes = 0;
    TreeFiller(shape).fill(tree());
  }
  std::string tree() const { return folder_ / "tree"; }
  std::string path() const { return folder_ / "image"; }

  void make(std::vector<std::string> options) {
    options.insert(options.end(), {"-b", "4096", "-d", tree()});
    recipe_ = ext("", "ext4", options);
    make_image(recipe_.mkfs, recipe_.size_bytes, path());
  }
  void expect_nothing_lost_but_data() {
    const std::vector<uint8_t> image = bytes_of_file(path());
    SquashedDisk disk(image);
    ASSERT_EQ(disk.squash().kept_whole_reason(), "");
    Random random(6);
    disk.rewrite_all(random);
    EXPECT_GE(dropped_fraction(disk, image), 0.9);
    const std::string squashed = folder_ / "squashed";
    disk.save(squashed);
    expect_clean(recipe_, squashed);
    EXPECT_EQ(listed(squashed), listed(path()));
  }

 private:
  static std::string listed(const std::string& image) {
    return require_program({"debugfs", "-R", "ls -l /names", image});
  }

  ScratchFolder folder_;
  ImageRecipe recipe_;
};

TEST_F(SquashUnmounted, LosesNothingOfCasefoldedNames) {
  make({"-O", "casefold"});
  require_program({"debugfs", "-w", "-R", "set_inode_field /names flags 0x40080000", path()});
  EXPECT_LE(run_program({"e2fsck", "-fyD", path()}).exit_code, 1);  // sorts by folded names
  expect_nothing_lost_but_data();
}

// e2fsck compares the files of quotas with what it counts.
TEST_F(SquashUnmounted, LosesNothingOfQuotas) {
  PATINA_REQUIRE_ROOT();
  uint32_t owner = 1000;
  for (const auto& entry : std::filesystem::directory_iterator(tree() + "/names")) {
    owner += 37;
    ASSERT_EQ(::lchown(entry.path().c_str(), owner, owner * 5000), 0);
  }
  make({"-O", "quota,project", "-E", "quotatype=usrquota:grpquota:prjquota"});
  EXPECT_LE(run_program({"e2fsck", "-fy", path()}).exit_code, 1);  // counts them
  expect_nothing_lost_but_data();
}

std::vector<ImageRecipe> ext_recipes() {
  std::vector<ImageRecipe> found = recipes();
  std::erase_if(found,
                [](const ImageRecipe& recipe) { return !std::string(recipe.type).starts_with("ext"); });
  return found;
}

std::string name_of(const testing::TestParamInfo<ImageRecipe>& recipe) {
  return recipe.param.name;
}

INSTANTIATE_TEST_SUITE_P(FileSystems, SquashProperty, testing::ValuesIn(recipes()), name_of);
INSTANTIATE_TEST_SUITE_P(FileSystems, SquashMounted, testing::ValuesIn(ext_recipes()), name_of);

}  // namespace
}  // namespace patina
