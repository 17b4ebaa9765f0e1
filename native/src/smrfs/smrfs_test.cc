// SMRfs through the kernel: beside a file system of the kernel, and beside the simulation.
#include <fcntl.h>
#include <fmt/core.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <array>
#include <map>
#include <set>

#include "base/random.h"
#include "shingle/cleaning.h"
#include "shingle/file_churn.h"
#include "shingle/shingled_space.h"
#include "smrfs/node.h"
#include "smrfs/scan.h"
#include "testing/device_testing.h"
#include "testing/property_testing.h"
#include "testing/smrfs_testing.h"

namespace patina {
namespace {

constexpr uint64_t kBlock = 4096;

// A disk of each kind; small bands, so that files are longer and a cleaner has work.
const std::vector<std::vector<std::string>> kDisks = {
    {"--did", "16", "--policy", "best"},
    {"--did", "16", "--policy", "last-position", "--reuse", "after-commit"},
    {"--did", "16", "--policy", "best-split"},
    {"--did", "4", "--interface", "strict-append", "--band", "200KiB", "--clean", "greedy"},
    {"--did", "4", "--interface", "strict-append", "--band", "1MiB", "--clean", "cost-benefit"}};

class SmrFsTest : public testing::Test {
 protected:
  void SetUp() override { PATINA_REQUIRE_ROOT(); }

  std::string made_disk(uint64_t blocks_count) const {
    make_data_file(folder_.path(), blocks_count * kBlock);
    return folder_.path();
  }

  ScratchFolder folder_;
};

std::string bytes_of(Random& random, size_t size) {
  std::string bytes(size, '\0');
  for (char& each : bytes) each = static_cast<char>('a' + random.below(26));
  return bytes;
}

// The result of a system call: its errno, or 0.
int result_of(int64_t returned) {
  return returned < 0 ? errno : 0;
}

// One operation on a name or two, the same on both file systems.
struct Operation {
  uint32_t kind;
  std::string name;
  std::string other;
  std::string data;
  off_t offset;
  off_t length;
};

int write_mapped(int fd, const Operation& operation) {
  struct stat file = {};
  if (::fstat(fd, &file) != 0 || file.st_size == 0) return 0;
  const auto size = static_cast<size_t>(file.st_size);
  void* mapped = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (mapped == MAP_FAILED) return errno;
  const size_t at = static_cast<size_t>(operation.offset) % size;
  std::memcpy(static_cast<char*>(mapped) + at, operation.data.data(),
              std::min(size - at, operation.data.size()));
  return result_of(::munmap(mapped, size));
}

int with_open(const std::string& path, int flags, const std::function<int(int)>& action) {
  const int fd = ::open(path.c_str(), flags | O_CLOEXEC, 0644);
  if (fd < 0) return errno;
  const int error = action(fd);
  return ::close(fd) != 0 ? errno : error;
}

int carry_out(const std::string& root, const Operation& each) {
  const std::string path = root + "/" + each.name;
  const std::string other = root + "/" + each.other;
  const auto write_at = [&each](int fd) {
    return result_of(::pwrite(fd, each.data.data(), each.data.size(), each.offset));
  };
  const auto change = [&each](int mode) {
    return [&each, mode](int fd) { return result_of(::fallocate(fd, mode, each.offset, each.length)); };
  };
  switch (each.kind) {
    case 0:
    case 1:
    case 2:
      return with_open(path, O_RDWR | O_CREAT, write_at);
    case 3:
      return with_open(path, O_WRONLY | O_CREAT | O_TRUNC, write_at);
    case 4:
      return with_open(path, O_WRONLY | O_APPEND, write_at);
    case 5:
      return result_of(::truncate(path.c_str(), each.offset));
    case 6:
      return with_open(path, O_RDWR, change(FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE));
    case 7:
      return with_open(path, O_RDWR, change(FALLOC_FL_ZERO_RANGE));
    case 8:
      return with_open(path, O_RDWR, change(each.length % 2 == 0 ? 0 : FALLOC_FL_KEEP_SIZE));
    case 9:
      return result_of(::rename(path.c_str(), other.c_str()));
    case 10:
      return result_of(::link(path.c_str(), other.c_str()));
    case 11:
      return result_of(::unlink(path.c_str()));
    case 12:
      return result_of(::mkdir(path.c_str(), 0755));
    case 13:
      return result_of(::rmdir(path.c_str()));
    case 14:
      return result_of(::symlink(each.other.c_str(), path.c_str()));
    case 15:
      return result_of(::chmod(path.c_str(), 0600 | static_cast<mode_t>(each.length % 64)));
    case 16:
      return result_of(::lsetxattr(path.c_str(), "user.note", each.data.data(), each.data.size() % 50, 0));
    case 17:
      return with_open(path, O_RDWR, [&each](int fd) { return write_mapped(fd, each); });
    case 18:
      return with_open(path, O_RDWR, [&](int fd) {
        const int error = write_at(fd);
        return error != 0 ? error : result_of(::fsync(fd));
      });
    default:
      return with_open(path, O_RDWR, [&](int fd) {  // it is used without a name
        const int error = result_of(::unlink(path.c_str()));
        return error != 0 ? error : write_at(fd);
      });
  }
}

Operation drawn(Random& random) {
  const std::vector<std::string> names = {"a", "b", "c", "d", "d/a", "d/b", "e", "e/f", "e/f/g"};
  const auto name = [&] { return names[random.below(static_cast<uint32_t>(names.size()))]; };
  Operation each;
  each.kind = random.below(20);
  each.name = name();
  each.other = name();
  each.offset = random.below(random.coin() ? 9000 : 90'000);
  each.length = 1 + static_cast<off_t>(random.below(20'000));
  each.data = bytes_of(random, 1 + random.below(random.below(8) == 0 ? 300'000 : 6000));
  return each;
}

// What can be seen of a file.
std::string seen(const std::string& path) {
  struct stat file = {};
  if (::lstat(path.c_str(), &file) != 0) return "none";
  const uint64_t links = S_ISDIR(file.st_mode) ? 0 : file.st_nlink;
  std::string all = fmt::format("{:o} {} {} ", file.st_mode, links, S_ISREG(file.st_mode) ? file.st_size : 0);
  std::array<char, 4096> value{};
  const ssize_t note = ::lgetxattr(path.c_str(), "user.note", value.data(), value.size());
  if (note >= 0) all.append(value.data(), static_cast<size_t>(note));
  if (S_ISLNK(file.st_mode)) all += std::filesystem::read_symlink(path);
  if (S_ISREG(file.st_mode)) all += read_whole_file(path);
  return all;
}

std::set<std::string> names_below(const std::string& root) {
  std::set<std::string> names;
  for (const auto& each : std::filesystem::recursive_directory_iterator(root)) {
    names.insert(each.path().string().substr(root.size()));
  }
  return names;
}

void expect_same_tree(const std::string& root, const std::string& oracle) {
  const std::set<std::string> names = names_below(oracle);
  ASSERT_EQ(names_below(root), names);
  for (const std::string& name : names) ASSERT_TRUE(seen(root + name) == seen(oracle + name)) << name;
}

TEST_F(SmrFsTest, AnyOperationsGiveWhatAFileSystemOfTheKernelGives) {
  const LoopDevice device(folder_ / "device", uint64_t{64} << 20U);
  require_program({"mkfs.ext4", "-q", "-E", "lazy_itable_init=1", device.path()});
  const Mount ext4(device.path(), folder_ / "mount", "ext4");
  for (uint32_t seed = 0; seed < property_cases(3); ++seed) {
    for (const std::vector<std::string>& disk : kDisks) {
      Random random(seed);
      const ScratchFolder folder;
      make_data_file(folder.path(), 3000 * kBlock);
      const std::string oracle = ext4.folder() + "/" + disk.back() + std::to_string(seed);
      ASSERT_EQ(::mkdir(oracle.c_str(), 0755), 0);
      std::vector<std::string> options = disk;
      options.insert(options.end(), {"--buffer", seed % 2 == 0 ? "64KiB" : "1GiB"});
      SmrFs files(folder.path(), options);
      for (int i = 0; i < 400; ++i) {
        const Operation each = drawn(random);
        const int expected = carry_out(oracle, each);
        ASSERT_EQ(carry_out(files.path(), each), expected) << i << " kind " << each.kind << " " << each.name;
        ASSERT_TRUE(seen(files / each.name) == seen(oracle + "/" + each.name))
            << seed << " " << i << " kind " << each.kind << " " << each.name;
        if (random.below(80) == 0) files.restart();
      }
      expect_same_tree(files.path(), oracle);
      files.restart();
      expect_same_tree(files.path(), oracle);
    }
  }
}

// Creates or deletes a file.
void carry_out_churn(const std::string& root, const ChurnOperation& operation) {
  const std::string path = fmt::format("{}/f{}", root, operation.file);
  if (operation.blocks_count == 0) {
    ASSERT_EQ(::unlink(path.c_str()), 0) << path;
    return;
  }
  const std::string data(operation.blocks_count * kBlock, 'x');
  const auto write_all = [&data](int fd) { return result_of(::write(fd, data.data(), data.size())); };
  ASSERT_EQ(with_open(path, O_WRONLY | O_CREAT, write_all), 0) << path;
}

// The very same placements as `shingle capacity`, for the same operations.
TEST_F(SmrFsTest, AChurnIsPlacedAsInTheSimulation) {
  constexpr uint64_t kUsable = 1800;
  constexpr uint64_t kTotal = 2600;
  for (const PlacementPolicy& policy : kPlacementPolicies) {
    const ScratchFolder folder;
    make_data_file(folder.path(), kTotal * kBlock);
    ShingledSpace space(kTotal, {.did = 16, .dnor = 6}, policy);
    std::map<std::string, std::vector<BlockExtent>> simulated;
    {
      SmrFs files(folder.path(), {"--policy", policy.name, "--did", "16", "--dnor", "6"});
      FileChurn churn(kUsable, 7);
      for (int i = 0; i < 1500; ++i) {
        const ChurnOperation operation = churn.next();
        const std::string name = fmt::format("f{}", operation.file);
        if (operation.blocks_count > 0) {
          simulated[name] = space.allocate(operation.blocks_count);
          ASSERT_FALSE(simulated[name].empty());
        } else {
          for (const BlockExtent& each : simulated[name]) space.release(each);
          simulated.erase(name);
        }
        ASSERT_NO_FATAL_FAILURE(carry_out_churn(files.path(), operation));
      }
      const SmrFs::Json summary = files.stop();
      EXPECT_EQ(summary["free_blocks"], space.free_extents().free_count());
      EXPECT_EQ(summary["unusable_blocks"], space.unusable_count());
    }
    std::map<std::string, std::vector<BlockExtent>> found;
    ASSERT_TRUE(scan_extents(folder / "files", SizeRepair::kNone, [&found](const ScannedFile& file) {
                  std::vector<BlockExtent>& extents = found[std::filesystem::path(file.path).filename()];
                  for (const auto& [block, place] : file.extents.map.runs()) extents.push_back(place);
                  return ok_status();
                }).ok());
    EXPECT_EQ(found, simulated) << policy.name;
  }
}

// The very same cleaning as `shingle cleaning`.
TEST_F(SmrFsTest, AChurnIsCleanedAsInTheSimulation) {
  for (const CleaningPolicy& policy : kCleaningPolicies) {
    const CleaningOptions simulated{.cleaning = &policy,
                                    .size_bytes = uint64_t{96} << 20U,
                                    .did_blocks = 4,
                                    .band_bytes = uint64_t{6} << 20U,
                                    .fullness = 0.9,
                                    .times = 1.3,
                                    .seed = 1};
    const std::atomic<bool> stop = false;
    const Result<CleaningResult> expected = measure_cleaning(simulated, stop);
    ASSERT_TRUE(expected.ok());
    EXPECT_GT(expected->moved_blocks, 0U);
    const ScratchFolder folder;
    make_data_file(folder.path(), simulated.size_bytes);
    SmrFs files(folder.path(), {"--interface", "strict-append", "--did", "4", "--band", "6MiB", "--clean",
                                policy.name, "--clean-below", "0"});
    FileChurn churn(static_cast<uint64_t>(simulated.fullness * static_cast<double>(expected->total_blocks)),
                    simulated.seed);
    for (uint64_t written = 0; written < expected->written_blocks;) {
      const ChurnOperation operation = churn.next();
      written += operation.blocks_count;
      ASSERT_NO_FATAL_FAILURE(carry_out_churn(files.path(), operation));
    }
    const SmrFs::Json summary = files.stop();
    EXPECT_EQ(summary["moved_blocks"], expected->moved_blocks) << policy.name;
    EXPECT_EQ(summary["cleanings_count"], expected->cleanings_count) << policy.name;
    EXPECT_EQ(summary["allocated_blocks"], expected->live_blocks) << policy.name;
  }
}

TEST_F(SmrFsTest, AFullDiskIsReportedAndLosesNothing) {
  const std::string folder = made_disk(200);
  SmrFs files(folder, {"--did", "16"});
  const std::string data(100 * kBlock, 'k');
  ASSERT_EQ(
      carry_out(files.path(), {.kind = 0, .name = "a", .other = "", .data = data, .offset = 0, .length = 1}),
      0);
  const Operation second{.kind = 0, .name = "b", .other = "", .data = data + data, .offset = 0, .length = 1};
  EXPECT_EQ(carry_out(files.path(), second), ENOSPC);
  EXPECT_EQ(read_whole_file(files / "a"), data);
  EXPECT_EQ(::unlink((files / "b").c_str()), 0);
  struct statvfs system = {};
  ASSERT_EQ(::statvfs(files.path().c_str(), &system), 0);
  EXPECT_EQ(system.f_blocks, 200U);
  EXPECT_EQ(system.f_bfree, 100U);
  // Blocks are free, but not those behind the file that its write would damage.
  const Operation third{.kind = 0, .name = "c", .other = "", .data = data, .offset = 0, .length = 1};
  EXPECT_EQ(carry_out(files.path(), third), ENOSPC);
  EXPECT_EQ(std::filesystem::file_size(files / "c"), 0U);
  EXPECT_EQ(files.stop()["lost_files_count"], 1);
}

TEST_F(SmrFsTest, KnowsMoreFilesThanItMayOpen) {
  constexpr int kFiles = 1000;
  SmrFs files(made_disk(5000), {}, {"prlimit", "--nofile=100:100"});
  const auto name = [](int i) { return "d" + std::to_string(i % 7) + "/f" + std::to_string(i); };
  for (int i = 0; i < 7; ++i) ASSERT_EQ(::mkdir((files / ("d" + std::to_string(i))).c_str(), 0755), 0);
  for (int i = 0; i < kFiles; ++i) std::ofstream(files / name(i)) << "content " << i;
  const int unlinked = ::open((files / name(0)).c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_EQ(::unlink((files / name(0)).c_str()), 0);
  for (int i = 1; i < kFiles; ++i) {
    ASSERT_EQ(read_whole_file(files / name(i)), "content " + std::to_string(i));
    ASSERT_EQ(::chmod((files / name(i)).c_str(), 0600), 0);
  }
  std::array<char, 100> bytes{};
  EXPECT_EQ(std::string(bytes.data(), static_cast<size_t>(::read(unlinked, bytes.data(), bytes.size()))),
            "content 0");
  ::close(unlinked);
  files.restart();
  for (int i = 1; i < kFiles; ++i)
    ASSERT_EQ(read_whole_file(files / name(i)), "content " + std::to_string(i));
}

TEST_F(SmrFsTest, AFileThatIsOpenAtTheEndIsWritten) {
  SmrFs files(made_disk(500), {});
  const int fd = ::open((files / "a").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
  ASSERT_GE(fd, 0);
  ASSERT_EQ(::write(fd, "abc", 3), 3);
  files.stop();
  ::close(fd);
  files.start();
  EXPECT_EQ(read_whole_file(files / "a"), "abc");
}

TEST_F(SmrFsTest, ExtentsAreNoAttributeThatUsersSee) {
  SmrFs files(made_disk(500), {});
  std::ofstream(files / "a") << "abc";
  files.restart();
  const std::string path = files / "a";
  EXPECT_GT(::getxattr((files.metadata() + "/a").c_str(), kExtentsAttribute, nullptr, 0), 0);
  EXPECT_EQ(::listxattr(path.c_str(), nullptr, 0), 0);
  EXPECT_EQ(result_of(::getxattr(path.c_str(), kExtentsAttribute, nullptr, 0)), ENODATA);
  EXPECT_EQ(result_of(::setxattr(path.c_str(), kExtentsAttribute, "x", 1, 0)), EPERM);
  EXPECT_EQ(result_of(::removexattr(path.c_str(), kExtentsAttribute)), EPERM);
}

TEST_F(SmrFsTest, TheTimeOfAChangeStaysWhenItIsStored) {
  SmrFs files(made_disk(500), {});
  const std::string path = files / "a";
  std::ofstream(path) << "abc";
  struct stat before = {};
  ASSERT_EQ(::stat(path.c_str(), &before), 0);
  const std::array<timespec, 2> times = {timespec{.tv_sec = 11, .tv_nsec = 12},
                                         timespec{.tv_sec = 13, .tv_nsec = 14}};
  ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), times.data(), 0), 0);
  ASSERT_EQ(with_open(path, O_RDONLY, [](int fd) { return result_of(::fsync(fd)); }), 0);
  files.restart();
  struct stat after = {};
  ASSERT_EQ(::stat(path.c_str(), &after), 0);
  EXPECT_EQ(after.st_mtim.tv_sec, 13);
  EXPECT_EQ(after.st_mtim.tv_nsec, 14);
}

TEST_F(SmrFsTest, ARunningProgramIsNotChanged) {
  SmrFs files(made_disk(500), {});
  const std::string program = files / "sleep";
  std::filesystem::copy("/bin/sleep", program);
  const auto size_bytes = std::filesystem::file_size(program);
  const pid_t pid = spawn_program({program, "1000"}, STDOUT_FILENO);
  for (const int flags : {O_WRONLY, O_RDWR, O_RDONLY | O_TRUNC}) {
    EXPECT_EQ(with_open(program, flags, [](int) { return 0; }), ETXTBSY);
  }
  EXPECT_EQ(std::filesystem::file_size(program), size_bytes);
  EXPECT_EQ(::kill(pid, SIGKILL), 0);
  EXPECT_EQ(::waitpid(pid, nullptr, 0), pid);
}

TEST_F(SmrFsTest, WhatCannotBeMountedIsRefused) {
  const std::string folder = made_disk(500);
  {
    SmrFs files(folder, {});
    std::ofstream(files / "a") << "abc";
    std::ofstream(files / "b") << "abc";
  }
  std::array<char, 100> extents{};
  const std::string first = folder + "/files/a";
  const std::string second = folder + "/files/b";
  const ssize_t size = ::getxattr(first.c_str(), kExtentsAttribute, extents.data(), extents.size());
  ASSERT_GT(size, 0);
  // Two files have one extent.
  ASSERT_EQ(::setxattr(second.c_str(), kExtentsAttribute, extents.data(), static_cast<size_t>(size), 0), 0);
  SmrFs files(folder, {});
  EXPECT_EQ(files.record("error")["code"], "backing_invalid");
  const std::string message = files.record("error")["message"];
  EXPECT_NE(message.find("belong to another file"), std::string::npos) << message;
  EXPECT_EQ(files.wait(), 41);
  // The attribute is damaged.
  ASSERT_EQ(::setxattr(second.c_str(), kExtentsAttribute, "?", 1, 0), 0);
  files.start();
  EXPECT_EQ(files.record("error")["code"], "backing_invalid");
  EXPECT_EQ(files.wait(), 41);
  ASSERT_EQ(::removexattr(second.c_str(), kExtentsAttribute), 0);
  // The map of damage is of a larger disk.
  std::filesystem::resize_file(folder + "/data", 10 * kBlock);
  files.start();
  EXPECT_EQ(files.record("error")["code"], "device_too_small");
  EXPECT_EQ(files.wait(), 22);
  // There are no names.
  std::filesystem::resize_file(folder + "/data", 500 * kBlock);
  std::filesystem::remove_all(folder + "/files");
  files.start();
  EXPECT_EQ(files.record("error")["code"], "mount_unusable");
  EXPECT_EQ(files.wait(), 12);
}

}  // namespace
}  // namespace patina
