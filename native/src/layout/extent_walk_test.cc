// Walks over real file systems: files found, entries skipped, and errors.
#include "layout/extent_walk.h"

#include <fmt/format.h>
#include <sys/fsuid.h>
#include <sys/resource.h>

#include <sstream>
#include <thread>

#include "executor/posix_file_system.h"
#include "layout/file_layout.h"
#include "testing/device_testing.h"

namespace patina {
namespace {

constexpr uint64_t kDeviceBytes = 300 << 20;
const std::atomic<bool> kGoOn{false};

// A fresh file system on a loop device, mounted.
class FreshMount {
 public:
  explicit FreshMount(const std::string& type)
      : device_(scratch_ / "disk", kDeviceBytes), mount_(made(type), scratch_ / "mount", type.c_str()) {}

  std::string operator/(const std::string& name) const { return mount_.folder() + "/" + name; }
  const std::string& folder() const { return mount_.folder(); }
  Descriptor root() const {
    return Descriptor(::open(mount_.folder().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }
  void sync() const { EXPECT_EQ(::syncfs(root().get()), 0); }
  Result<ExtentWalk> walk(const WalkSettings& settings = {}) const {
    return walk_extents(root().get(), settings, kGoOn);
  }
  ExtentWalk walked(const WalkSettings& settings = {}) const {
    Result<ExtentWalk> result = walk(settings);
    EXPECT_TRUE(result.ok()) << result.error().message;
    return result.ok() ? std::move(*result) : ExtentWalk{};
  }

 private:
  const std::string& made(const std::string& type) {
    if (type == "ext4") require_program({"mkfs.ext4", "-q", "-b", "4096", device_.path()});
    if (type == "xfs") require_program({"mkfs.xfs", "-q", "-K", device_.path()});
    if (type == "btrfs") require_program({"mkfs.btrfs", "-q", "-K", device_.path()});
    return device_.path();
  }
  ScratchFolder scratch_;
  LoopDevice device_;
  Mount mount_;
};

std::vector<std::string> names_of(const ExtentWalk& walk) {
  std::vector<std::string> names;
  for (const WalkedDirectory& directory : walk.directories) {
    for (const WalkedFile& file : directory.files) {
      names.push_back(directory.path.empty() ? file.name : directory.path + "/" + file.name);
    }
  }
  return names;
}

void make_file(const std::string& path, size_t bytes) {
  write_at(path, 0, random_bytes(bytes, 1));
}

class OnEach : public testing::TestWithParam<const char*> {};

// Writes files in pieces: in turn, a few blocks at a time, into holes left by others.
void write_in_pieces(const FreshMount& mount) {
  fragment_file_system(mount.folder(), 1500, true);
  mount.sync();
  const std::string piece = random_bytes(20000, 3);
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < 20; ++i) {
      write_at(mount / fmt::format("piece{}", i), static_cast<uint64_t>(round) * piece.size(), piece);
    }
  }
  mount.sync();
}

TEST_P(OnEach, ExtentsAreThoseThatFilefragCounts) {
  PATINA_REQUIRE_ROOT();
  const FreshMount mount(GetParam());
  write_in_pieces(mount);
  const ExtentWalk walk = mount.walked();
  std::vector<std::string> argv = {"filefrag"};
  for (const std::string& name : names_of(walk)) argv.push_back(mount / name);
  const std::string output = require_program(argv);
  uint64_t judge = 0;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    // "NAME: N extents found"
    const size_t at = line.rfind(": ");
    ASSERT_NE(at, std::string::npos) << line;
    judge += std::strtoull(&line[at + 2], nullptr, 10);
  }
  const FileLayout layout = file_layout_of(walk, 4096);
  EXPECT_EQ(layout.files_count, 770U);
  EXPECT_EQ(layout.extents_count, judge);
  EXPECT_GT(layout.extents_count, layout.files_count);
}

TEST_P(OnEach, ADataRangeKnowsItsPlaceAndItsHolesHaveNone) {
  PATINA_REQUIRE_ROOT();
  const FreshMount mount(GetParam());
  constexpr uint64_t kFarBytes = 1 << 20;
  {
    // Not synced: data without a place yet is given one.
    const Descriptor file(::open((mount / "holes").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    const std::string block = random_bytes(4096, 1);
    ASSERT_EQ(::pwrite(file.get(), block.data(), block.size(), 0), 4096);
    ASSERT_EQ(::pwrite(file.get(), block.data(), block.size(), kFarBytes), 4096);
    ASSERT_EQ(::fallocate(file.get(), 0, 2 * kFarBytes, 8192), 0);
  }
  const ExtentWalk walk = mount.walked();
  ASSERT_EQ(walk.directories.front().extents.size(), 3U);
  const std::vector<FileExtent>& extents = walk.directories.front().extents;
  EXPECT_EQ(extents[0].logical_bytes, 0U);
  EXPECT_EQ(extents[1].logical_bytes, kFarBytes);
  EXPECT_EQ(extents[2].logical_bytes, 2 * kFarBytes);
  EXPECT_EQ(extents[0].length_bytes, 4096U);
  EXPECT_FALSE(extents[1].unwritten);
  EXPECT_TRUE(extents[2].unwritten);
  for (const FileExtent& extent : extents) EXPECT_GT(extent.physical_bytes, 0U);
}

TEST_P(OnEach, TheTreeIsTheSameForAnyNumberOfThreads) {
  PATINA_REQUIRE_ROOT();
  const FreshMount mount(GetParam());
  for (int i = 0; i < 60; ++i) {
    const std::string folder = mount / fmt::format("d{}/e{}", i % 7, i);
    std::filesystem::create_directories(folder);
    make_file(folder + "/f", 5000);
    make_file(folder + "/g", 9000);
  }
  mount.sync();
  const ExtentWalk one = mount.walked({.threads_count = 1});
  const ExtentWalk eight = mount.walked({.threads_count = 8});
  EXPECT_EQ(names_of(one).size(), 120U);
  EXPECT_EQ(names_of(one), names_of(eight));
  EXPECT_TRUE(std::is_sorted(one.directories.begin(), one.directories.end(),
                             [](const auto& left, const auto& right) { return left.path < right.path; }));
}

TEST_P(OnEach, OtherMountsAreNotEntered) {
  PATINA_REQUIRE_ROOT();
  const FreshMount mount(GetParam());
  make_file(mount / "mine", 5000);
  make_file(mount / "covered", 5000);
  const Mount inner("tmpfs", mount / "inner", "tmpfs");
  make_file(inner.folder() + "/not_mine", 5000);
  const ScratchFolder elsewhere;
  make_file(elsewhere / "other", 5000);
  ASSERT_EQ(::mount((elsewhere / "other").c_str(), (mount / "covered").c_str(), "", MS_BIND, ""), 0);
  const ExtentWalk walk = mount.walked();
  EXPECT_EQ(::umount((mount / "covered").c_str()), 0);
  EXPECT_EQ(names_of(walk), std::vector<std::string>{"mine"});
  EXPECT_EQ(walk.unreadable_count, 0U);
}

INSTANTIATE_TEST_SUITE_P(FileSystems, OnEach, testing::Values("ext4", "xfs", "btrfs"),
                         [](const auto& type) { return std::string(type.param); });

TEST(ExtentWalk, SubvolumesOfABtrfsAreItsOwn) {
  PATINA_REQUIRE_ROOT();
  const FreshMount mount("btrfs");
  require_program({"btrfs", "subvolume", "create", mount / "volume"});
  make_file(mount / "volume/file", 5000);
  mount.sync();
  EXPECT_EQ(names_of(mount.walked()), std::vector<std::string>{"volume/file"});
}

TEST(ExtentWalk, DataInsideTheInodeHasNoPlace) {
  PATINA_REQUIRE_ROOT();
  const FreshMount mount("btrfs");
  make_file(mount / "tiny", 100);
  mount.sync();
  const ExtentWalk walk = mount.walked();
  EXPECT_EQ(names_of(walk).size(), 1U);
  EXPECT_TRUE(walk.directories.front().extents.empty());
}

TEST(ExtentWalk, OnlyRegularFilesAreOpened) {
  PATINA_REQUIRE_ROOT();
  const FreshMount mount("ext4");
  std::filesystem::remove(mount / "lost+found");
  ASSERT_EQ(::mkfifo((mount / "fifo").c_str(), 0600), 0);
  ASSERT_EQ(::mknod((mount / "device").c_str(), S_IFCHR | 0600, 0), 0);
  ASSERT_EQ(::symlink("/etc", (mount / "link").c_str()), 0);
  const ExtentWalk walk = mount.walked();
  EXPECT_TRUE(names_of(walk).empty());
  EXPECT_EQ(walk.directories.size(), 1U);
}

TEST(ExtentWalk, WhatMayNotBeOpenedIsCounted) {
  PATINA_REQUIRE_ROOT();
  const FreshMount mount("ext4");
  std::filesystem::remove(mount / "lost+found");
  for (const char* name : {"open", "closed"}) {
    std::filesystem::create_directory(mount / name);
    const std::string readable = mount / fmt::format("{}/readable", name);
    make_file(readable, 5000);
    make_file(mount / fmt::format("{}/secret", name), 5000);
    ASSERT_EQ(::chmod(readable.c_str(), 0644), 0);
  }
  ASSERT_EQ(::chmod((mount / "open").c_str(), 0755), 0);
  ASSERT_EQ(::chmod((mount / "closed").c_str(), 0700), 0);
  ASSERT_EQ(::chmod(mount.folder().c_str(), 0755), 0);
  const Descriptor root = mount.root();
  // A thread with another user's file permissions; the threads that it starts inherit them.
  std::thread([&root] {
    constexpr uid_t kNobody = 65534;
    ::setfsgid(kNobody);
    ::setfsuid(kNobody);
    const Result<ExtentWalk> walk = walk_extents(root.get(), {}, kGoOn);
    ASSERT_TRUE(walk.ok()) << walk.error().message;
    EXPECT_EQ(names_of(*walk), std::vector<std::string>{"open/readable"});
    EXPECT_EQ(walk->unreadable_count, 2U);
  }).join();
}

TEST(ExtentWalk, FilesThatVanishMeanwhileAreCounted) {
  PATINA_REQUIRE_ROOT();
  const FreshMount mount("ext4");
  constexpr int kFiles = 20000;
  const auto name_of = [&mount](int i) { return mount / fmt::format("f{}", i); };
  uint64_t vanished = 0;
  for (int attempt = 0; attempt < 20 && vanished == 0; ++attempt) {
    for (int i = 0; i < kFiles; ++i) {
      Descriptor(::open(name_of(i).c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    }
    std::thread deleting([&name_of] {
      for (int i = kFiles; i-- > 0;) ::unlink(name_of(i).c_str());
    });
    const Result<ExtentWalk> walk = mount.walk();
    deleting.join();
    ASSERT_TRUE(walk.ok()) << walk.error().message;
    EXPECT_LE(names_of(*walk).size() + walk->vanished_count, static_cast<size_t>(kFiles));
    vanished = walk->vanished_count;
  }
  EXPECT_GT(vanished, 0U);
}

TEST(ExtentWalk, TooManyOpenFilesAreAnError) {
  PATINA_REQUIRE_ROOT();
  const FreshMount mount("ext4");
  make_file(mount / "file", 5000);
  const Descriptor root = mount.root();
  rlimit before = {};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  // One for the directory, none for the file in it.
  const rlimit tight = {static_cast<rlim_t>(root.get()) + 2, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &tight), 0);
  const Result<ExtentWalk> walk = walk_extents(root.get(), {.threads_count = 1}, kGoOn);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  ASSERT_FALSE(walk.ok());
  EXPECT_EQ(walk.error().code, ErrorCode::kIoError);
  EXPECT_NE(walk.error().message.find("ulimit -n"), std::string::npos) << walk.error().message;
}

TEST(ExtentWalk, AFileSystemThatCannotTellIsRefused) {
  PATINA_REQUIRE_ROOT();
  const ScratchFolder in_memory;
  make_file(in_memory / "file", 5000);
  const Descriptor root(::open(in_memory.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const Result<ExtentWalk> walk = walk_extents(root.get(), {}, kGoOn);
  ASSERT_FALSE(walk.ok());
  EXPECT_EQ(walk.error().code, ErrorCode::kLayoutUnsupported);
  EXPECT_NE(walk.error().message.find("'file'"), std::string::npos) << walk.error().message;
}

TEST(ExtentWalk, ItsLoopsHaveLimits) {
  PATINA_REQUIRE_ROOT();
  const FreshMount mount("ext4");
  const std::string block = random_bytes(4096, 1);
  for (uint64_t i = 0; i < 600; ++i) write_at(mount / "holes", i * 8192, block);
  const Result<ExtentWalk> few_names = mount.walk({.max_entries_count = 2});
  ASSERT_FALSE(few_names.ok());
  EXPECT_NE(few_names.error().message.find("more than 2 names"), std::string::npos);
  const Result<ExtentWalk> few_extents = mount.walk({.max_extents_per_file = 500});
  ASSERT_FALSE(few_extents.ok());
  EXPECT_NE(few_extents.error().message.find("more extents than"), std::string::npos);
  EXPECT_EQ(mount.walked().directories.front().extents.size(), 600U);
}

TEST(ExtentWalk, ToldToStopItLeaves) {
  PATINA_REQUIRE_ROOT();
  const FreshMount mount("ext4");
  const std::atomic<bool> stop{true};
  const Result<ExtentWalk> walk = walk_extents(mount.root().get(), {}, stop);
  ASSERT_FALSE(walk.ok());
  EXPECT_EQ(walk.error().code, ErrorCode::kCanceled);
}

}  // namespace
}  // namespace patina
