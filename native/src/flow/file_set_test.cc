// File sets: their trees, what they allocate, and how threads choose files.
#include "flow/file_set.h"

#include <fmt/format.h>

#include <set>

#include "base/random.h"
#include "testing/device_testing.h"

namespace patina {
namespace {

const std::atomic<bool> kNoStop{false};

FileSetSpec spec_of(double files_count, double width = 0, double allocated_fraction = 1) {
  FileSetSpec spec;
  spec.name = "set";
  spec.bytes = Number::of(1000);
  spec.files_count = Number::of(files_count);
  spec.directory_width = Number::of(width);
  spec.allocated_fraction = allocated_fraction;
  return spec;
}

FileSetSpec varied_spec() {
  FileSetSpec spec = spec_of(500, 8, 0.6);
  spec.bytes.distribution = Distribution::kGamma;
  spec.bytes.shape = 1.5;
  spec.leaf_directories_count = Number::of(40);
  return spec;
}

std::vector<std::string> lines_of(const FileSet& set) {
  std::vector<std::string> lines;
  lines.reserve(set.files_count() + set.directories_count());
  for (size_t i = 0; i < set.files_count(); ++i)
    lines.push_back(fmt::format("{} {} {}", set.path_of(i), set.bytes_of(i), set.exists(i)));
  for (size_t i = 0; i < set.directories_count(); ++i) lines.emplace_back(set.directory_path(i));
  return lines;
}

TEST(FileSet, TheSameSpecificationAndSeedGiveTheSameSet) {
  const FileSetSpec spec = varied_spec();
  const FileSet first(spec, 7);
  const FileSet second(spec, 7);
  EXPECT_EQ(lines_of(first), lines_of(second));
  EXPECT_EQ(first.allocated_count(), second.allocated_count());
  EXPECT_EQ(first.allocated_bytes(), second.allocated_bytes());
  EXPECT_NE(lines_of(first), lines_of(FileSet(spec, 8)));
}

TEST(FileSet, WithoutAWidthAllFilesLieInItsFolder) {
  const FileSet set(spec_of(30), 1);
  ASSERT_EQ(set.files_count(), 30U);
  EXPECT_EQ(set.directories_count(), 1U);
  EXPECT_STREQ(set.path_of(0), "00000001");
  EXPECT_STREQ(set.path_of(29), "00000030");
}

// Files of each directory that has some.
std::map<std::string, size_t> files_of_directories(const FileSet& set) {
  std::map<std::string, size_t> counts;
  for (size_t i = 0; i < set.files_count(); ++i) {
    const std::string path = set.path_of(i);
    const size_t slash = path.rfind('/');
    ++counts[slash == std::string::npos ? "" : path.substr(0, slash)];
  }
  return counts;
}

TEST(FileSet, WithoutAShapeEachDirectoryHasTheWidthAndEachFileTheDepth) {
  FileSetSpec spec = spec_of(2000, 10);
  spec.directory_shape = 0;
  const FileSet set(spec, 1);
  ASSERT_EQ(set.files_count(), 2000U);
  // ln 2000 / ln 10 is 3.3: the root, a directory and a directory of files.
  const std::map<std::string, size_t> counts = files_of_directories(set);
  EXPECT_EQ(counts.size(), 200U);
  for (const auto& [directory, count] : counts) {
    EXPECT_EQ(count, 10U) << directory;
    EXPECT_EQ(std::count(directory.begin(), directory.end(), '/'), 1) << directory;
  }
  EXPECT_EQ(set.directories_count(), 1 + 20 + 200U);
}

TEST(FileSet, WidthsAndDepthsVaryAroundTheirMean) {
  const FileSet set(spec_of(20'000, 20), 1);
  const std::map<std::string, size_t> counts = files_of_directories(set);
  std::set<size_t> widths;
  std::set<std::ptrdiff_t> depths;
  for (const auto& [directory, count] : counts) {
    EXPECT_FALSE(directory.empty());
    widths.insert(count);
    depths.insert(std::count(directory.begin(), directory.end(), '/'));
  }
  const double mean = 20'000.0 / static_cast<double>(counts.size());
  EXPECT_GT(mean, 15);
  EXPECT_LT(mean, 26);
  EXPECT_GT(widths.size(), 20U);
  EXPECT_GT(depths.size(), 2U);
}

TEST(FileSet, AWidthBelowTheNumberOfEntriesMakesOneDirectory) {
  FileSetSpec spec = spec_of(50, 1'000'000);
  spec.directory_shape = 0;
  const FileSet set(spec, 1);
  EXPECT_EQ(files_of_directories(set), (std::map<std::string, size_t>{{"00000001", 50}}));
}

TEST(FileSet, EveryPathIsUniqueAndBelowADirectoryThatIsMadeBeforeIt) {
  FileSetSpec spec = varied_spec();
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const FileSet set(spec, seed);
    std::set<std::string> directories;
    for (size_t i = 0; i < set.directories_count(); ++i) {
      const std::string path = set.directory_path(i);
      const size_t slash = path.rfind('/');
      EXPECT_TRUE(i == 0 || directories.contains(slash == std::string::npos ? "" : path.substr(0, slash)))
          << path;
      EXPECT_TRUE(directories.insert(path).second) << path;
    }
    std::set<std::string> files;
    for (size_t i = 0; i < set.files_count(); ++i) EXPECT_TRUE(files.insert(set.path_of(i)).second);
    EXPECT_EQ(files.size(), 500U);
    for (const auto& [directory, count] : files_of_directories(set))
      EXPECT_TRUE(directories.contains(directory));
  }
}

TEST(FileSet, SmallWidthsAndFarDepthsEnd) {
  FileSetSpec spec = spec_of(100, 1.01);
  spec.leaf_directories_count = Number::of(100);
  EXPECT_EQ(FileSet(spec, 1).files_count(), 100U);
  spec.directory_shape = 0;
  EXPECT_EQ(FileSet(spec, 1).files_count(), 100U);
  spec.depth = Number::of(-1e30);
  EXPECT_EQ(FileSet(spec, 1).files_count(), 100U);
  spec.depth = Number::of(1e30);
  EXPECT_EQ(FileSet(spec, 1).files_count(), 100U);
}

TEST(FileSet, AllocatesNoneOrAllExactlyAndAPartAsItsFraction) {
  const FileSet none(spec_of(1000, 0, 0), 1);
  EXPECT_EQ(none.allocated_count(), 0U);
  EXPECT_EQ(none.allocated_bytes(), 0U);
  const FileSet all(spec_of(1000, 0, 1), 1);
  EXPECT_EQ(all.allocated_count(), 1000U);
  EXPECT_EQ(all.allocated_bytes(), 1'000'000U);
  const FileSet part(spec_of(10'000, 0, 0.8), 1);
  EXPECT_NEAR(static_cast<double>(part.allocated_count()), 8000, 6 * 40);
}

// Allocates below a folder.
Status allocate(
    FileSet& set, const std::string& folder,
    const std::function<bool(uint64_t)>& progress = [](uint64_t) { return true; }) {
  const WriteBuffer buffer(1);
  const Descriptor parent(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return set.allocate(parent.get(), buffer, progress);
}

using Tree = std::map<std::string, std::optional<uint64_t>>;  // bytes of files; directories have none

Tree tree_of(const std::string& folder) {
  Tree tree;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const std::string path = std::filesystem::relative(entry.path(), folder);
    tree[path] = entry.is_directory() ? std::nullopt : std::optional<uint64_t>(entry.file_size());
  }
  return tree;
}

TEST(FileSet, MakesExactlyItsDirectoriesAndAllocatedFiles) {
  const ScratchFolder folder;
  const FileSetSpec spec = varied_spec();
  FileSet set(spec, 3);
  uint64_t reported_bytes = 0;
  const Status made = allocate(set, folder.path(), [&](uint64_t bytes) {
    reported_bytes += bytes;
    return true;
  });
  ASSERT_TRUE(made.ok()) << made.error().message;
  Tree tree = tree_of(folder / "set");
  uint64_t bytes = 0;
  uint64_t files_count = 0;
  for (size_t i = 0; i < set.files_count(); ++i) {
    const auto found = tree.find(set.path_of(i));
    ASSERT_EQ(found != tree.end(), set.exists(i)) << set.path_of(i);
    if (found == tree.end()) continue;
    EXPECT_EQ(found->second, std::optional(set.bytes_of(i)));
    bytes += set.bytes_of(i);
    ++files_count;
    tree.erase(found);
  }
  EXPECT_EQ(files_count, set.allocated_count());
  EXPECT_EQ(bytes, set.allocated_bytes());
  EXPECT_EQ(bytes, reported_bytes);
  for (size_t i = 1; i < set.directories_count(); ++i) EXPECT_EQ(tree.erase(set.directory_path(i)), 1U);
  // What is left are the leaf directories, six tenths of 40.
  EXPECT_GT(tree.size(), 10U);
  EXPECT_LT(tree.size(), 38U);
  for (const auto& [path, size] : tree) EXPECT_FALSE(size.has_value()) << path;
}

TEST(FileSet, LeafDirectoriesAloneAreASet) {
  for (const double shape : {0.0, 1.5}) {
    const ScratchFolder folder;
    FileSetSpec spec = spec_of(0, 2);
    spec.directory_shape = shape;
    spec.leaf_directories_count = Number::of(100);
    FileSet set(spec, 1);
    EXPECT_EQ(set.files_count(), 0U);
    ASSERT_TRUE(allocate(set, folder.path()).ok());
    EXPECT_EQ(tree_of(folder / "set").size(), 100 + set.directories_count() - 1);
  }
}

TEST(FileSet, AFolderOfItsNameIsRefused) {
  const ScratchFolder folder;
  std::filesystem::create_directory(folder / "set");
  FileSet set(spec_of(3), 1);
  const Status made = allocate(set, folder.path());
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().code, ErrorCode::kMountUnusable);
  EXPECT_NE(made.error().message.find("'set'"), std::string::npos) << made.error().message;
}

TEST(FileSet, AFullFileSystemIsAnError) {
  PATINA_REQUIRE_ROOT();
  const ScratchFolder folder;
  keep_mounts_private();
  const Mount mount("tmpfs", folder / "mount", "tmpfs", "size=1m");
  FileSetSpec spec = spec_of(100);
  spec.bytes = Number::of(100'000);
  FileSet set(spec, 1);
  const Status made = allocate(set, mount.folder());
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().code, ErrorCode::kNoSpace) << made.error().message;
}

TEST(FileSet, ProgressThatReturnsFalseStops) {
  FileSetSpec large = spec_of(1);
  large.bytes = Number::of(10 << 20);
  FileSetSpec empty = spec_of(10);
  empty.bytes = Number::of(0);
  FileSetSpec directories = spec_of(0, 4);
  directories.leaf_directories_count = Number::of(10);
  for (const FileSetSpec& spec : {large, empty, directories}) {
    const ScratchFolder folder;
    FileSet set(spec, 1);
    int calls = 0;
    const Status made = allocate(set, folder.path(), [&](uint64_t) { return ++calls < 2; });
    ASSERT_FALSE(made.ok());
    EXPECT_EQ(made.error().code, ErrorCode::kCanceled);
    EXPECT_EQ(calls, 2);
  }
}

TEST(FileSet, TakesOverWhatWasAllocated) {
  const ScratchFolder folder;
  const Descriptor parent(::open(folder.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  FileSet second(varied_spec(), 3);
  const Status missing = second.take_over(parent.get());
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code, ErrorCode::kMountUnusable);
  FileSet first(varied_spec(), 3);
  ASSERT_TRUE(allocate(first, folder.path()).ok());
  ASSERT_TRUE(second.take_over(parent.get()).ok());
  const size_t file = second.acquire(nullptr, std::nullopt, kNoStop).value_or(0);
  EXPECT_EQ(::faccessat(second.root_fd(), second.path_of(file), F_OK, 0), 0);
}

constexpr size_t kNoFile = 99;

size_t acquired(FileSet& set) {
  return set.acquire(nullptr, std::nullopt, kNoStop).value_or(kNoFile);
}

FileSet::Removal removal_of(FileSet& set, std::optional<size_t> index = std::nullopt) {
  return set.begin_remove(index, kNoStop).value_or(FileSet::Removal{kNoFile, false});
}

TEST(FileSetChoice, ExistingFilesAreTakenInOrder) {
  FileSet set(spec_of(3), 1);
  for (const size_t expected : {0U, 1U, 2U, 0U, 1U}) EXPECT_EQ(acquired(set), expected);
  size_t own = 2;
  EXPECT_EQ(set.acquire(&own, std::nullopt, kNoStop), std::optional<size_t>(2));
  EXPECT_EQ(set.acquire(&own, std::nullopt, kNoStop), std::optional<size_t>(0));
  EXPECT_EQ(set.acquire(nullptr, std::nullopt, kNoStop), std::optional<size_t>(2));
}

TEST(FileSetChoice, AnIndexTakesThatFileOrTheNext) {
  FileSet set(spec_of(5), 1);
  EXPECT_EQ(set.acquire(nullptr, 3, kNoStop), std::optional<size_t>(3));
  set.release(3);
  const FileSet::Removal removal = removal_of(set, 3);
  EXPECT_EQ(removal.file, 3U);
  EXPECT_FALSE(removal.in_use);
  set.end_remove(3, /*was_removed=*/true);
  EXPECT_EQ(set.acquire(nullptr, 3, kNoStop), std::optional<size_t>(4));
  EXPECT_EQ(set.begin_create(0, kNoStop), std::optional<size_t>(3));
}

TEST(FileSetChoice, NothingIsLeftWhenAllOrNoneExist) {
  FileSet none(spec_of(2, 0, 0), 1);
  EXPECT_FALSE(none.acquire(nullptr, std::nullopt, kNoStop).has_value());
  EXPECT_FALSE(none.begin_remove(std::nullopt, kNoStop).has_value());
  for (const size_t expected : {0U, 1U}) {
    const std::optional<size_t> file = none.begin_create(std::nullopt, kNoStop);
    EXPECT_EQ(file, std::optional<size_t>(expected));
    none.end_create(expected, /*was_made=*/true);
  }
  EXPECT_FALSE(none.begin_create(std::nullopt, kNoStop).has_value());
  EXPECT_TRUE(none.exists(0) && none.exists(1));
}

TEST(FileSetChoice, AFileThatIsOpenIsNotRemoved) {
  FileSet set(spec_of(1), 1);
  EXPECT_EQ(set.acquire(nullptr, std::nullopt, kNoStop), std::optional<size_t>(0));
  EXPECT_EQ(set.acquire(nullptr, std::nullopt, kNoStop), std::optional<size_t>(0));
  EXPECT_TRUE(removal_of(set).in_use);
  EXPECT_FALSE(set.begin_remove_open(0, /*is_open=*/true));
  set.release(0);
  EXPECT_FALSE(set.begin_remove_open(0, /*is_open=*/false));
  EXPECT_TRUE(set.begin_remove_open(0, /*is_open=*/true));
  EXPECT_FALSE(set.begin_remove_open(0, /*is_open=*/true));  // it is being removed
  set.end_remove(0, /*was_removed=*/true);
  EXPECT_FALSE(set.begin_remove_open(0, /*is_open=*/false));  // it is gone
  EXPECT_FALSE(set.exists(0));
}

TEST(FileSetChoice, ARemovalOrACreationThatFailsChangesNothing) {
  FileSet set(spec_of(1), 1);
  EXPECT_EQ(removal_of(set).file, 0U);
  set.end_remove(0, /*was_removed=*/false);
  EXPECT_TRUE(set.exists(0));
  FileSet none(spec_of(1, 0, 0), 1);
  ASSERT_TRUE(none.begin_create(std::nullopt, kNoStop).has_value());
  none.end_create(0, /*was_made=*/false);
  EXPECT_FALSE(none.exists(0));
  EXPECT_EQ(none.begin_create(std::nullopt, kNoStop), std::optional<size_t>(0));
}

TEST(FileSetChoice, WhileTheOnlyFileIsBeingRemovedAThreadWaitsForTheOutcome) {
  for (const bool was_removed : {false, true}) {
    FileSet set(spec_of(1), 1);
    ASSERT_TRUE(set.begin_remove(std::nullopt, kNoStop).has_value());
    std::optional<size_t> taken = 99;
    {
      const std::jthread waiter([&] { taken = set.acquire(nullptr, std::nullopt, kNoStop); });
      set.end_remove(0, was_removed);
    }
    EXPECT_EQ(taken, was_removed ? std::nullopt : std::optional<size_t>(0));
  }
}

TEST(FileSetChoice, AStopEndsEveryWait) {
  FileSet set(spec_of(1), 1);
  FileSet none(spec_of(1, 0, 0), 1);
  ASSERT_TRUE(set.begin_remove(std::nullopt, kNoStop).has_value());
  ASSERT_TRUE(none.begin_create(std::nullopt, kNoStop).has_value());
  std::atomic<bool> stop{false};
  std::atomic<int> ended{0};
  {
    std::vector<std::jthread> threads;
    threads.emplace_back([&] { ended += set.acquire(nullptr, std::nullopt, stop) ? 0 : 1; });
    threads.emplace_back([&] { ended += set.begin_remove(std::nullopt, stop) ? 0 : 1; });
    threads.emplace_back([&] { ended += none.begin_create(std::nullopt, stop) ? 0 : 1; });
    stop = true;
    set.wake_all();
    none.wake_all();
  }
  EXPECT_EQ(ended, 3);
}

TEST(FileSetChoice, LeafDirectoriesAreMadeAndRemovedInOrder) {
  FileSetSpec spec = spec_of(0, 0, 0);
  spec.leaf_directories_count = Number::of(2);
  FileSet set(spec, 1);
  EXPECT_FALSE(set.begin_leaf(/*existing=*/true, kNoStop).has_value());
  EXPECT_EQ(set.begin_leaf(/*existing=*/false, kNoStop), std::optional<size_t>(0));
  EXPECT_EQ(set.begin_leaf(/*existing=*/false, kNoStop), std::optional<size_t>(1));
  set.end_leaf(0, /*exists=*/true);
  set.end_leaf(1, /*exists=*/false);
  EXPECT_EQ(set.begin_leaf(/*existing=*/true, kNoStop), std::optional<size_t>(0));
  EXPECT_EQ(set.begin_leaf(/*existing=*/false, kNoStop), std::optional<size_t>(1));
}

TEST(FileSetChoice, DirectoriesAreListedInRotation) {
  FileSetSpec spec = spec_of(100, 5);
  FileSet set(spec, 1);
  const size_t count = set.directories_count();
  for (size_t i = 0; i < 2 * count; ++i) EXPECT_EQ(set.next_directory(), i % count);
}

// Each thread creates, opens and removes; marks that the threads keep themselves say who has which file.
TEST(FileSetChoice, ThreadsNeverShareAFileThatIsBeingMadeOrRemoved) {
  constexpr int kSteps = 3000;
  FileSet set(spec_of(6, 0, 0.5), 1);
  struct Mark {
    std::atomic<int> makers{0};
    std::atomic<int> openers{0};
  };
  std::vector<Mark> marks(set.files_count());
  std::atomic<int> mistakes{0};
  const auto make_or_remove = [&](size_t file) {
    if (marks[file].makers.fetch_add(1) != 0 || marks[file].openers != 0) ++mistakes;
  };
  {
    std::vector<std::jthread> threads;
    threads.reserve(6);
    for (uint64_t i = 0; i < 6; ++i) {
      threads.emplace_back([&, i] {
        Random random(i);
        for (int step = 0; step < kSteps; ++step) {
          const uint32_t choice = random.below(3);
          if (choice == 0) {
            if (const std::optional<size_t> file = set.begin_create(std::nullopt, kNoStop)) {
              make_or_remove(*file);
              --marks[*file].makers;
              set.end_create(*file, /*was_made=*/true);
              set.release(*file);
            }
          } else if (choice == 1) {
            const std::optional<FileSet::Removal> removal = set.begin_remove(std::nullopt, kNoStop);
            if (removal && !removal->in_use) {
              make_or_remove(removal->file);
              --marks[removal->file].makers;
              set.end_remove(removal->file, random.coin());
            }
          } else if (const std::optional<size_t> file = set.acquire(nullptr, std::nullopt, kNoStop)) {
            ++marks[*file].openers;
            if (marks[*file].makers != 0) ++mistakes;
            --marks[*file].openers;
            set.release(*file);
          }
        }
      });
    }
  }
  EXPECT_EQ(mistakes, 0);
}

TEST(WriteBuffer, DiffersWithItsSeedAndIsAligned) {
  const WriteBuffer first(1);
  const WriteBuffer second(2);
  EXPECT_NE(std::memcmp(first.bytes_at(0), second.bytes_at(0), 4096), 0);
  for (uint64_t random = 0; random < 300; ++random) {
    EXPECT_EQ(reinterpret_cast<uintptr_t>(first.bytes_at(random)) % 4096, 0U);
  }
  EXPECT_NE(first.bytes_at(0), first.bytes_at(1));
}

}  // namespace
}  // namespace patina
