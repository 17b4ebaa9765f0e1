// Scans of real trees: counts compared with find's, and trees that are hard to walk.
#include "scan/scan.h"

#include <sys/fsuid.h>
#include <sys/syscall.h>
#include <sys/types.h>

#include <thread>

#include "testing/device_testing.h"
#include "testing/profile_testing.h"
#include "testing/test_places.h"

namespace patina {
namespace {

using Json = nlohmann::ordered_json;

struct Scanned {
  Status status = ok_status();
  CollectingSink sink;
  const Json& event() const { return sink.last(); }
  uint64_t count(const char* figure) const { return event()[figure].get<uint64_t>(); }
};

ScanOptions options_of(const std::string& directory, int threads = 2) {
  ScanOptions options;
  options.directory = directory;
  options.threads = threads;
  return options;
}

Scanned scan(const ScanOptions& options) {
  Scanned scanned;
  const std::atomic<bool> stop{false};
  scanned.status = run_scan(options, scanned.sink, stop);
  return scanned;
}

Scanned scan_whole(const std::string& directory, int threads = 2) {
  Scanned scanned = scan(options_of(directory, threads));
  EXPECT_TRUE(scanned.status.ok()) << scanned.status.error().message;
  EXPECT_EQ(scanned.event()["type"], "scan");
  EXPECT_EQ(scanned.event()["complete"], true);
  return scanned;
}

void make_file(const std::string& path, uint64_t bytes = 1) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  EXPECT_GE(fd, 0) << path;
  EXPECT_EQ(::ftruncate(fd, static_cast<off_t>(bytes)), 0);
  ::close(fd);
}

void make_random_tree(const std::string& root, uint64_t seed, int directories_count) {
  Random random(seed);
  std::vector<std::string> directories = {root};
  for (int i = 0; i < directories_count; ++i) {
    const std::string& parent = directories[random.below(static_cast<uint32_t>(directories.size()))];
    directories.push_back(fmt::format("{}/d{}", parent, i));
    std::filesystem::create_directory(directories.back());
    for (uint32_t j = random.below(12); j > 0; --j) {
      make_file(fmt::format("{}/f{}", directories.back(), j), random.next() >> (24 + random.below(40)));
    }
  }
}

uint64_t weight_of(const Json& bins, const char* key, uint64_t value) {
  for (const Json& bin : bins) {
    if (bin[key] == value) return bin["weight"].get<uint64_t>();
  }
  return 0;
}

TEST(Scan, CountsWhatFindCountsWithAnyNumberOfThreads) {
  const ScratchFolder folder;
  make_random_tree(folder.path(), 5, 400);
  std::map<uint64_t, uint64_t> sizes;
  std::map<uint64_t, uint64_t> depths;
  std::map<uint64_t, uint64_t> directories;
  std::istringstream found(require_program({"find", folder.path(), "-printf", "%y %s %d\n"}));
  char kind = 0;
  uint64_t bytes = 0;
  uint64_t depth = 0;
  uint64_t bytes_in_all = 0;
  while (found >> kind >> bytes >> depth) {
    if (kind == 'd') ++directories[depth];
    if (kind != 'f') continue;
    uint64_t edge = bytes == 0 ? 0 : 1;
    while (edge < bytes) edge *= 2;
    ++sizes[edge];
    ++depths[depth - 1];
    bytes_in_all += bytes;
  }
  ASSERT_GT(sizes.size(), 10U);
  for (const int threads : {1, 2, 7}) {
    const Scanned scanned = scan_whole(folder.path(), threads);
    const Json& profile = scanned.event()["profile"];
    for (const auto& [edge, files] : sizes) EXPECT_EQ(weight_of(profile["size"], "bytes", edge), files);
    for (const auto& [at, files] : depths) EXPECT_EQ(weight_of(profile["depth"], "depth", at), files);
    for (const Json& bin : profile["depth"]) {
      const auto at = bin["depth"].get<uint64_t>();
      EXPECT_EQ(bin["subdirs"], at == 0 ? 0 : directories[at]);
    }
    EXPECT_EQ(scanned.count("bytes"), bytes_in_all);
    EXPECT_EQ(scanned.count("directories_count"), 401U);
    EXPECT_EQ(scanned.event()["threads_count"], threads);
  }
}

TEST(Scan, ItsProfileIsReadAsItIsAndForecasts) {
  const ScratchFolder folder;
  std::filesystem::create_directory(folder / "tree");
  make_random_tree(folder / "tree", 6, 100);
  const Scanned scanned = scan_whole(folder / "tree");
  std::ofstream(folder / "profile.json") << scanned.event()["profile"];
  const ProgramResult forecast = run_program({kCoreProgram, "forecast", "--profile", folder / "profile.json",
                                              "--capacity", "100GiB", "--fullness", "0.5"});
  EXPECT_EQ(forecast.exit_code, 0) << forecast.output;
}

TEST(Scan, FollowsNoLinkAndCountsSpecialFilesApart) {
  const ScratchFolder folder;
  make_file(folder / "file");
  std::filesystem::create_directory(folder / "below");
  std::filesystem::create_symlink("..", folder / "below/loop");
  std::filesystem::create_symlink("/usr", folder / "elsewhere");
  std::filesystem::create_symlink("file", folder / "link");
  ASSERT_EQ(::mkfifo((folder / "fifo").c_str(), 0600), 0);
  const Scanned scanned = scan_whole(folder.path());
  EXPECT_EQ(scanned.count("files_count"), 1U);
  EXPECT_EQ(scanned.count("directories_count"), 2U);
  EXPECT_EQ(scanned.count("symlinks_count"), 3U);
  EXPECT_EQ(scanned.count("special_files_count"), 1U);
}

TEST(Scan, CountsAFileOfSeveralNamesOnce) {
  const ScratchFolder folder;
  for (int i = 0; i < 10; ++i) {
    const std::string directory = folder / fmt::format("d{}", i);
    std::filesystem::create_directory(directory);
    for (int j = 0; j < 50; ++j) {
      const std::string first = folder / fmt::format("d0/f{}", j);
      if (i == 0) make_file(first, 100);
      if (i > 0) std::filesystem::create_hard_link(first, fmt::format("{}/f{}", directory, j));
    }
  }
  const Scanned scanned = scan_whole(folder.path(), 4);
  EXPECT_EQ(scanned.count("files_count"), 50U);
  EXPECT_EQ(scanned.count("bytes"), 5000U);
  EXPECT_EQ(scanned.count("hard_links_count"), 450U);
  EXPECT_EQ(scanned.count("untracked_links_count"), 0U);
}

TEST(Scan, CrossesNoMountNotEvenABindOfItsOwnTreeOrOfAFile) {
  PATINA_REQUIRE_ROOT();
  const ScratchFolder folder;
  make_file(folder / "file");
  make_file(folder / "target");
  std::filesystem::create_directory(folder / "self");
  const Mount other("tmpfs", folder / "other", "tmpfs");
  make_file(folder / "other/not-counted");
  ASSERT_EQ(::mount(folder.path().c_str(), (folder / "self").c_str(), nullptr, MS_BIND, nullptr), 0);
  ASSERT_EQ(::mount((folder / "file").c_str(), (folder / "target").c_str(), nullptr, MS_BIND, nullptr), 0);
  const Scanned scanned = scan_whole(folder.path());
  EXPECT_EQ(::umount((folder / "target").c_str()), 0);
  EXPECT_EQ(::umount((folder / "self").c_str()), 0);
  EXPECT_EQ(scanned.count("files_count"), 1U);
  EXPECT_EQ(scanned.count("directories_count"), 1U);
  EXPECT_EQ(scanned.count("mount_points_count"), 3U);
}

TEST(Scan, WithoutMountIdsADeviceIsAMount) {
  struct statx root{};
  struct statx here{};
  root.stx_dev_minor = here.stx_dev_minor = 7;
  root.stx_mnt_id = 1;  // not in the mask, so ignored
  EXPECT_TRUE(is_same_mount(root, here));
  here.stx_dev_major = 1;
  EXPECT_FALSE(is_same_mount(root, here));
  root.stx_mask = here.stx_mask = STATX_MNT_ID;
  here.stx_mnt_id = 1;
  EXPECT_TRUE(is_same_mount(root, here));  // a subvolume: another device on the same mount
  here.stx_mnt_id = 2;
  EXPECT_FALSE(is_same_mount(root, here));
}

void set_modified(const std::string& path, int64_t seconds_ago) {
  const timespec then{::time(nullptr) - seconds_ago, 0};
  const std::array<timespec, 2> times = {then, then};
  ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), times.data(), 0), 0);
}

// Old ext4: inodes too small for a creation time, and directories without entry types.
TEST(Scan, WithoutCreationTimesItTakesModificationTimesAndSaysSo) {
  PATINA_REQUIRE_ROOT();
  const ScratchFolder folder;
  const LoopDevice device(folder / "disk", 64U << 20U);
  require_program({"mkfs.ext4", "-q", "-I", "128", "-O", "^filetype", device.path()});
  const Mount mount(device.path(), folder / "mount", "ext4");
  std::filesystem::create_directory(mount.folder() + "/below");
  std::filesystem::create_symlink("below", mount.folder() + "/link");
  for (const auto& [name, seconds] :
       {std::pair{"old", 90'000}, {"older", 400'000}, {"below/young", 1000}, {"future", -5000}}) {
    make_file(mount.folder() + "/" + name);
    set_modified(mount.folder() + "/" + name, seconds);
  }
  const Scanned scanned = scan_whole(mount.folder());
  EXPECT_EQ(scanned.event()["time_source"], "modification");
  EXPECT_EQ(scanned.count("modification_time_files_count"), 4U);
  EXPECT_EQ(scanned.count("creation_time_files_count"), 0U);
  EXPECT_EQ(scanned.count("future_files_count"), 1U);
  EXPECT_EQ(scanned.count("symlinks_count"), 1U);
  EXPECT_EQ(scanned.count("directories_count"), 3U);  // with lost+found
  EXPECT_NEAR(scanned.event()["oldest_age_s"].get<double>(), 400'000, 100);
  const Json& ages = scanned.event()["profile"]["age"];
  EXPECT_EQ(ages.back()["weight"], 1);            // 200 000 to 400 000 s
  EXPECT_EQ(ages[ages.size() - 2]["weight"], 0);  // 100 000 to 200 000 s
  EXPECT_EQ(ages.front()["weight"], 1);           // the one from the future
}

TEST(Scan, TakesCreationTimesInPlaceOfModificationTimes) {
  PATINA_REQUIRE_ROOT();
  const ScratchFolder folder;
  const LoopDevice device(folder / "disk", 64U << 20U);
  require_program({"mkfs.ext4", "-q", "-I", "256", device.path()});
  const Mount mount(device.path(), folder / "mount", "ext4");
  make_file(mount.folder() + "/file");
  set_modified(mount.folder() + "/file", 1'000'000);
  const Scanned scanned = scan_whole(mount.folder());
  EXPECT_EQ(scanned.event()["time_source"], "creation");
  EXPECT_LT(scanned.event()["oldest_age_s"].get<double>(), 1000);
}

TEST(Scan, AFarAwayTimeIsOldOrFutureAndOverflowsNothing) {
  PATINA_REQUIRE_ROOT();
  const ScratchFolder folder;
  const LoopDevice device(folder / "disk", 64U << 20U);
  require_program({"mkfs.ext4", "-q", "-I", "128", device.path()});
  const Mount mount(device.path(), folder / "mount", "ext4");
  make_file(mount.folder() + "/file");
  make_file(mount.folder() + "/first");
  const std::array<timespec, 2> times = {timespec{INT32_MIN, 0}, timespec{INT32_MIN, 0}};
  ASSERT_EQ(::utimensat(AT_FDCWD, (mount.folder() + "/first").c_str(), times.data(), 0), 0);
  EXPECT_GT(scan_whole(mount.folder()).event()["oldest_age_s"].get<double>(), 3.7e9);
}

// Acts as another user in the calling thread and the threads that it starts only.
template <typename Act>
void act_as_nobody(const Act& act) {
  std::thread([&act] {
    ::setfsgid(65534);
    ::setfsuid(65534);
    act();
  }).join();
}

TEST(Scan, CountsWhatItMayNotRead) {
  PATINA_REQUIRE_ROOT();
  const ScratchFolder folder;
  ASSERT_EQ(::chmod(folder.path().c_str(), 0755), 0);
  make_file(folder / "file");
  for (const char* name : {"closed", "listed", "searched"}) {
    std::filesystem::create_directory(folder / name);
    make_file(folder / name + "/file");
    std::filesystem::create_directory(folder / name + "/below");
  }
  ASSERT_EQ(::chmod((folder / "closed").c_str(), 0), 0);
  ASSERT_EQ(::chmod((folder / "listed").c_str(), 0444), 0);
  ASSERT_EQ(::chmod((folder / "searched").c_str(), 0711), 0);
  act_as_nobody([&folder] {
    const Scanned scanned = scan_whole(folder.path());
    EXPECT_EQ(scanned.count("files_count"), 1U);
    EXPECT_EQ(scanned.count("unreadable_files_count"), 1U);        // listed/file
    EXPECT_EQ(scanned.count("unreadable_directories_count"), 3U);  // closed, searched, listed/below
    const Scanned refused = scan(options_of(folder / "closed"));
    ASSERT_FALSE(refused.status.ok());
    EXPECT_EQ(refused.status.error().code, ErrorCode::kTreeUnreadable);
  });
}

TEST(Scan, ARootThatIsNoDirectoryIsUnreadable) {
  const ScratchFolder folder;
  make_file(folder / "file");
  for (const std::string& root : {folder / "nothing", folder / "file"}) {
    const Scanned scanned = scan(options_of(root));
    ASSERT_FALSE(scanned.status.ok());
    EXPECT_EQ(scanned.status.error().code, ErrorCode::kTreeUnreadable);
    EXPECT_NE(scanned.status.error().message.find(root), std::string::npos);
  }
}

TEST(Scan, WithoutAFileThereIsNoProfile) {
  const ScratchFolder folder;
  std::filesystem::create_directory(folder / "below");
  const Scanned scanned = scan(options_of(folder.path()));
  ASSERT_FALSE(scanned.status.ok());
  EXPECT_EQ(scanned.status.error().code, ErrorCode::kProfileInvalid);
  EXPECT_NE(scanned.status.error().message.find("2 directories"), std::string::npos);
}

TEST(Scan, NoNameLeaves) {
  const ScratchFolder folder;
  std::filesystem::create_directory(folder / "secret-directory");
  make_file(folder / "secret-directory/secret-file");
  std::filesystem::create_symlink("secret-target", folder / "secret-link");
  const ProgramResult result = run_program({kCoreProgram, "scan", folder.path()});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.output.find("secret"), std::string::npos) << result.output;
  EXPECT_EQ(result.output.find(folder.path()), std::string::npos) << result.output;
}

// A chain of directories with one file at each level, whose path is longer than any system call takes.
// Branches lie on either side of it, in any order in which a directory is read.
void make_deep_tree(const std::string& root, int levels_count, bool branched) {
  int at = ::open(root.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const std::string name(100, 'd');
  for (int i = 0; i < levels_count; ++i) {
    ASSERT_GE(at, 0);
    ::close(::openat(at, "file", O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
    if (branched) ::mkdirat(at, "before", 0755);
    EXPECT_EQ(::mkdirat(at, name.c_str(), 0755), 0);
    if (branched) ::mkdirat(at, "later", 0755);
    const int below = ::openat(at, name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    ::close(at);
    at = below;
  }
  ::close(at);
}

TEST(Scan, ADeepTreeTakesFewDescriptorsAndIsFolded) {
  const ScratchFolder folder;
  make_deep_tree(folder.path(), 400, false);
  const ProgramResult result =
      run_program({"prlimit", "--nofile=16:16", kCoreProgram, "scan", folder.path(), "--threads", "2"});
  require_program({"rm", "-rf", folder.path()});
  ASSERT_EQ(result.exit_code, 0) << result.output;
  const Json event = Json::parse(result.output.substr(result.output.find("{\"type\":\"scan\"")));
  EXPECT_EQ(event["files_count"], 400);
  EXPECT_EQ(event["directories_count"], 401);
  EXPECT_EQ(event["unreadable_directories_count"], 0);
  EXPECT_EQ(event["deeper_files_count"], 400 - 65);
  EXPECT_EQ(event["deeper_directories_count"], 400 - 64);
  EXPECT_EQ(event["profile"]["depth"].size(), 65U);
}

TEST(Scan, WhatDescriptorsDoNotReachIsCountedAsUnreadable) {
  const ScratchFolder folder;
  make_deep_tree(folder.path(), 100, true);
  const ProgramResult result =
      run_program({"prlimit", "--nofile=16:16", kCoreProgram, "scan", folder.path(), "--threads", "1"});
  require_program({"rm", "-rf", folder.path()});
  ASSERT_EQ(result.exit_code, 0) << result.output;
  const Json event = Json::parse(result.output.substr(result.output.find("{\"type\":\"scan\"")));
  EXPECT_GT(event["files_count"], 0);
  EXPECT_LT(event["files_count"], 100);
  EXPECT_GT(event["unreadable_directories_count"], 0);
}

TEST(Scan, DeeperThanItsLimitItDoesNotGo) {
  const ScratchFolder folder;
  make_deep_tree(folder.path(), 30, true);
  ScanOptions options = options_of(folder.path());
  options.limits.depth = 20;
  const Scanned scanned = scan(options);
  require_program({"rm", "-rf", folder.path()});
  ASSERT_TRUE(scanned.status.ok());
  EXPECT_EQ(scanned.count("files_count"), 21U);
  EXPECT_EQ(scanned.count("unentered_directories_count"), 3U);
}

TEST(Scan, EndsInATreeThatGrowsAndShrinksWhileItIsWalked) {
  const ScratchFolder folder;
  make_random_tree(folder.path(), 8, 300);
  std::atomic<bool> done{false};
  std::thread changes([&] {
    for (uint64_t i = 0; !done; ++i) {
      const std::string directory = folder / fmt::format("d{}", i % 300);
      std::error_code ignored;
      std::filesystem::remove_all(directory, ignored);
      std::filesystem::create_directories(directory + "/made/while/walked", ignored);
      std::ofstream(directory + "/made/file") << "x";
    }
  });
  uint64_t vanished_count = 0;
  for (int i = 0; i < 60; ++i) {
    const Scanned scanned = scan(options_of(folder.path(), 1 + i % 4));
    if (!scanned.status.ok()) {
      EXPECT_EQ(scanned.status.error().code, ErrorCode::kProfileInvalid);
    } else {
      EXPECT_EQ(scanned.count("unreadable_directories_count"), 0U);
      vanished_count += scanned.count("vanished_count");
    }
  }
  done = true;
  changes.join();
  EXPECT_GT(vanished_count, 0U);
}

// Has enough files for a walk of some tens of milliseconds, so that it can be interrupted.
class LongScan : public testing::Test {
 protected:
  void SetUp() override {
    for (int i = 0; i < 60'000; ++i) {
      if (i % 1000 == 0) std::filesystem::create_directory(folder_ / std::to_string(i / 1000));
      make_file(folder_ / fmt::format("{}/{}", i / 1000, i), 0);
    }
    options_.directory = folder_.path();
    options_.threads = 1;
    options_.progress_interval_ms = 10;
  }

  ScratchFolder folder_;
  ScanOptions options_;
  CollectingSink sink_;
  std::atomic<bool> stop_{false};
};

TEST_F(LongScan, EndsAtItsLimitOfEntriesAndSaysThatItIsNotComplete) {
  options_.limits.entries_count = 20'000;
  ASSERT_TRUE(run_scan(options_, sink_, stop_).ok());
  EXPECT_EQ(sink_.last()["complete"], false);
  EXPECT_LT(sink_.last()["files_count"].get<int>(), 60'000);
  EXPECT_GE(sink_.last()["files_count"].get<int>(), 19'000);
}

TEST_F(LongScan, ReportsItsProgressAndIsShapedLikeTheGoldenRecords) {
  ASSERT_TRUE(run_scan(options_, sink_, stop_).ok());
  ASSERT_GE(sink_.events.size(), 3U);
  Json seen_count = 0;  // the first progress may come before the first file
  for (size_t i = 1; i + 1 < sink_.events.size(); ++i) {
    EXPECT_EQ(sink_.events[i]["type"], "progress");
    EXPECT_GE(sink_.events[i]["files_count"], seen_count);
    seen_count = sink_.events[i]["files_count"];
  }
  EXPECT_LE(seen_count, 60'000);
  EXPECT_EQ(sink_.last()["files_count"], 60'000);
  expect_shaped_like_golden(sink_, "scan");
}

TEST_F(LongScan, StopsWhenTold) {
  sink_.on_event = [this](const Json& event) {
    if (event["type"] == "progress") stop_ = true;
    return true;
  };
  const Status status = run_scan(options_, sink_, stop_);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::kCanceled);
}

TEST_F(LongScan, StopsWhenItsOutputIsClosed) {
  for (const char* last_read : {"hello", "progress", "scan"}) {
    sink_.on_event = [last_read](const Json& event) { return event["type"] != last_read; };
    const Status status = run_scan(options_, sink_, stop_);
    ASSERT_FALSE(status.ok()) << last_read;
    EXPECT_EQ(status.error().code, ErrorCode::kCanceled);
  }
}

}  // namespace
}  // namespace patina
