// What squash learns of an ext file system while it changes: growth, a journal added, tables moved.
#include <gtest/gtest.h>

#include "squash/squash.h"
#include "testing/squash_testing.h"

namespace patina {
namespace {

constexpr uint64_t kDiskBytes = uint64_t{384} << 20U;
constexpr uint64_t kFirstBytes = uint64_t{48} << 20U;
constexpr uint64_t kMiddleBytes = uint64_t{200} << 20U;

// An image of the disk's size whose file system has `first_bytes`.
class GrowingImage {
 public:
  explicit GrowingImage(const std::vector<std::string>& mkfs) : path_(folder_ / "image") {
    make_image(mkfs, kFirstBytes, path_);
    EXPECT_EQ(::truncate(path_.c_str(), static_cast<off_t>(kDiskBytes)), 0);
  }

  std::vector<uint8_t> bytes() const { return bytes_of_file(path_); }
  const std::string& path() const { return path_; }

  // The kernel grows a mounted one in the same places, but only for CAP_SYS_RESOURCE.
  void grow(uint64_t bytes) {
    require_program({"e2fsck", "-fp", path_});
    require_program({"resize2fs", path_, std::to_string(bytes >> 10U) + "K"});
  }
  void fill(const TreeShape& shape) {
    const LoopDevice loop(path_, kDiskBytes);
    const Mount mount(loop.path(), folder_ / "mount", "ext4");
    const std::string folder = folder_ / ("mount/" + std::to_string(++filled_));
    std::filesystem::create_directory(folder);
    TreeFiller(shape).fill(folder);
    tree_ = described_tree(mount.folder());
  }
  const std::set<std::string>& tree() const { return tree_; }

 private:
  ScratchFolder folder_;
  std::string path_;
  std::set<std::string> tree_;
  int filled_ = 0;
};

// Places alone: random data elsewhere is dropped.
std::vector<Verdict> verdicts_on_random_data(const Squash& squash, uint64_t pieces_count) {
  const std::string bytes = random_bytes(kPieceBytes, 12);
  const std::vector<uint8_t> piece(bytes.begin(), bytes.end());
  std::vector<Verdict> verdicts(pieces_count);
  for (uint64_t i = 0; i < pieces_count; ++i) squash.classify(i, piece, std::span(verdicts).subspan(i, 1));
  return verdicts;
}

struct Growth {
  const char* name;
  std::vector<std::string> mkfs;

  friend void PrintTo(const Growth& growth, std::ostream* out) { *out << growth.name; }
};

class ExtGrowth : public testing::TestWithParam<Growth> {};

TEST_P(ExtGrowth, LosesNothing) {
  PATINA_REQUIRE_ROOT();
  const std::vector<std::string> check = {"e2fsck", "-fn"};
  GrowingImage image(GetParam().mkfs);
  Random random(21);
  SquashedDisk disk(kDiskBytes);
  disk.become(image.bytes(), random);
  const TreeShape shape{
      .data_bytes = uint64_t{25} << 20U, .names_count = 300, .attribute_bytes = 700, .fragments_count = 100};
  for (const uint64_t bytes : {kMiddleBytes, kDiskBytes}) {
    image.grow(bytes);
    disk.become(image.bytes(), random);
    image.fill(shape);
    disk.become(image.bytes(), random);
    ASSERT_EQ(disk.squash().kept_whole_reason(), "");
  }
  // What it learned write by write is what it reads at once.
  SquashedDisk anew(image.bytes());
  EXPECT_TRUE(verdicts_on_random_data(disk.squash(), disk.pieces_count()) ==
              verdicts_on_random_data(anew.squash(), disk.pieces_count()));
  expect_nothing_lost({"", "ext4", {}, kDiskBytes, {}, "", check}, disk, image.tree());
}

INSTANTIATE_TEST_SUITE_P(
    Layouts, ExtGrowth,
    testing::Values(Growth{"reserved", {"mke2fs", "-q", "-F", "-t", "ext4", "-b", "1024"}},
                    Growth{"blocks_of_4k", {"mke2fs", "-q", "-F", "-t", "ext4", "-b", "4096"}},
                    Growth{"meta_groups",
                           {"mke2fs", "-q", "-F", "-t", "ext4", "-b", "1024", "-O", "meta_bg,^resize_inode"}},
                    Growth{"single_groups",
                           {"mke2fs", "-q", "-F", "-t", "ext4", "-b", "1024", "-O", "^flex_bg"}}),
    [](const testing::TestParamInfo<Growth>& growth) { return growth.param.name; });

TEST(ExtJournalAdded, IsKeptFromThenOn) {
  ScratchFolder folder;
  const std::string path = folder / "image";
  make_image({"mke2fs", "-q", "-F", "-t", "ext2", "-b", "4096"}, kMiddleBytes, path);
  Random random(2);
  SquashedDisk disk(kMiddleBytes);
  disk.become(bytes_of_file(path), random);
  const auto kept_before = verdicts_on_random_data(disk.squash(), disk.pieces_count());
  require_program({"tune2fs", "-j", path});
  disk.become(bytes_of_file(path), random);
  EXPECT_EQ(disk.squash().kept_whole_reason(), "");
  const auto kept_now = verdicts_on_random_data(disk.squash(), disk.pieces_count());
  const auto kept_count = [](const std::vector<Verdict>& verdicts) {
    return std::count(verdicts.begin(), verdicts.end(), Verdict::kKeep);
  };
  // A journal of 16 MiB at least.
  EXPECT_GT(kept_count(kept_now), kept_count(kept_before) + (4 << 20) / 4096);
  SquashedDisk anew(bytes_of_file(path));
  EXPECT_TRUE(kept_now == verdicts_on_random_data(anew.squash(), disk.pieces_count()));
}

// tune2fs writes the wider tables first, and the super block last.
TEST(ExtInodesWidened, LosesNothing) {
  PATINA_REQUIRE_ROOT();
  ScratchFolder folder;
  const std::string path = folder / "image";
  TreeFiller(
      {.data_bytes = uint64_t{8} << 20U, .names_count = 480, .attribute_bytes = 0, .fragments_count = 50})
      .fill((std::filesystem::create_directory(folder / "tree"), folder / "tree"));
  make_image({"mke2fs", "-q", "-F", "-t", "ext4", "-b", "4096", "-I", "128", "-N", "384", "-O", "^flex_bg",
              "-d", folder / "tree"},
             kFirstBytes, path);
  const ImageRecipe recipe{"", "ext4", {}, kFirstBytes, {}, "", {"e2fsck", "-fn"}};
  const std::set<std::string> tree = mounted_tree(recipe, path);
  for (uint32_t seed = 1; seed < 4; ++seed) {
    const std::vector<uint8_t> narrow = bytes_of_file(path);
    const std::string wider = folder / std::to_string(seed);
    std::filesystem::copy_file(path, wider);
    require_program({"e2fsck", "-fp", wider});
    require_program({"tune2fs", "-I", "256", wider});
    std::vector<uint8_t> wide = bytes_of_file(wider);
    SquashedDisk disk(narrow);
    Random random(seed);
    disk.rewrite_all(random);
    // Each piece of the tables alone, where data may be.
    const uint64_t table = little_at<uint32_t>(wide, kPieceBytes + 8);
    for (uint64_t i = 0; i < 24; ++i) {
      std::vector<Verdict> verdicts(1);
      const auto piece = std::span(wide).subspan((table + i) * kPieceBytes, kPieceBytes);
      disk.squash().classify(disk.pieces_count() - 50, piece, verdicts);
      EXPECT_EQ(verdicts[0], Verdict::kKeep) << i;
    }
    // All but the super block and the descriptors, then these.
    std::vector<uint8_t> before = wide;
    std::copy_n(narrow.begin(), 2 * kPieceBytes, before.begin());
    disk.become(before, random);
    disk.become(wide, random);
    EXPECT_EQ(disk.squash().kept_whole_reason(), "");
    expect_nothing_lost(recipe, disk, tree);
  }
}

// tune2fs writes the files of quotas first, and the super block last.
TEST(ExtQuotasAdded, LosesNothing) {
  PATINA_REQUIRE_ROOT();
  ScratchFolder folder;
  const std::string path = folder / "image";
  std::filesystem::create_directory(folder / "tree");
  for (uint32_t i = 0; i < 400; ++i) {
    const std::string name = folder / ("tree/" + std::to_string(i));
    write_at(name, 0, random_bytes(5000, i));
    ASSERT_EQ(::chown(name.c_str(), i * 31, i * 77), 0);
  }
  make_image({"mke2fs", "-q", "-F", "-t", "ext4", "-b", "4096", "-d", folder / "tree"}, kFirstBytes, path);
  const std::vector<uint8_t> before = bytes_of_file(path);
  require_program({"tune2fs", "-O", "quota", path});
  const std::vector<uint8_t> after = bytes_of_file(path);
  SquashedDisk disk(before);
  Random random(3);
  disk.rewrite_all(random);
  std::vector<uint8_t> without_super = after;
  std::copy_n(before.begin(), kPieceBytes, without_super.begin());
  disk.become(without_super, random);
  disk.become(after, random);
  EXPECT_EQ(disk.squash().kept_whole_reason(), "");
  disk.save(folder / "squashed");
  expect_clean({"", "ext4", {}, kFirstBytes, {}, "", {"e2fsck", "-fn"}}, folder / "squashed");
}

// resize2fs marks the file system as faulty for the time in which tables have two places.
TEST(ExtTablesMoved, KeepEverythingWhileTheyMove) {
  ScratchFolder folder;
  const std::string path = folder / "image";
  make_image({"mke2fs", "-q", "-F", "-t", "ext4", "-b", "1024", "-O", "^resize_inode"}, kFirstBytes, path);
  Random random(2);
  SquashedDisk disk(kDiskBytes);
  ASSERT_EQ(::truncate(path.c_str(), static_cast<off_t>(kDiskBytes)), 0);
  disk.become(bytes_of_file(path), random);
  std::vector<uint8_t> super(disk.piece(0).begin(), disk.piece(0).end());
  constexpr size_t kState = 1024 + 0x3a;
  const uint8_t state = super[kState];
  super[kState] = static_cast<uint8_t>(state | 2);
  disk.write(0, super);
  EXPECT_EQ(disk.squash().kept_whole_reason(),
            "Every piece of the disk is kept. It is marked as having errors. Check it with e2fsck.");
  require_program({"resize2fs", path});
  const std::vector<uint8_t> grown = bytes_of_file(path);
  std::vector<uint8_t> moved = grown;
  std::copy(super.begin(), super.end(), moved.begin());
  disk.become(moved, random);
  disk.become(grown, random);
  EXPECT_EQ(disk.squash().kept_whole_reason(), "");
  expect_nothing_lost({"", "ext4", {}, kDiskBytes, {}, "", {"e2fsck", "-fn"}}, disk,
                      {"/lost+found ino 11 mode 40700 links 2"});
}

}  // namespace
}  // namespace patina
