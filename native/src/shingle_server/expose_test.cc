// The exposed disk through the kernel, and what a file system makes of it that knows nothing of damage.
#include "shingle_server/expose.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <regex>

#include "shingle/strict_append_disk.h"
#include "testing/device_testing.h"

namespace patina {
namespace {

constexpr uint64_t kSector = CaveatGeometry::kSectorBytes;
constexpr uint64_t kSectorsCount = 256;

class ExposeTest : public testing::Test {
 protected:
  void SetUp() override { write_at(data(), kSectorsCount * kSector - 1, std::string(1, '\0')); }
  void TearDown() override {
    if (pid_ > 0) stop();
    while (::umount2(file().c_str(), MNT_DETACH | UMOUNT_NOFOLLOW) == 0) {
    }
  }

  std::string data() const { return folder_ / "data"; }
  std::string state() const { return folder_ / "state"; }
  std::string file() const { return folder_ / "file"; }

  void start(const std::vector<std::string>& options) {
    keep_mounts_private();
    std::vector<std::string> argv = {kCoreProgram, "shingle", "expose", "--data", data(),
                                     "--state",    state(),   "--path", file()};
    argv.insert(argv.end(), options.begin(), options.end());
    const int fd = ::open(output().c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    pid_ = spawn_program(argv, fd);
    ::close(fd);
    wait_until("the disk is exposed", [this] { return printed().find("\"ready\"") != std::string::npos; });
  }
  int wait() {
    int status = 0;
    EXPECT_EQ(::waitpid(pid_, &status, 0), pid_);
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  // Returns the summary.
  nlohmann::ordered_json stop() {
    ::kill(pid_, SIGTERM);
    EXPECT_EQ(wait(), 0) << printed();
    const std::string all = printed();
    const size_t last = all.rfind('\n', all.size() - 2);
    return nlohmann::ordered_json::parse(all.substr(last + 1), nullptr, /*allow_exceptions=*/false);
  }
  std::string printed() const { return read_whole_file(output()); }
  Status refused(const ExposeOptions& options) const {
    CollectingSink sink;
    const std::atomic<bool> stop = true;
    return run_expose(options, sink, stop);
  }

  const ScratchFolder folder_;
  pid_t pid_ = -1;

 private:
  std::string output() const { return folder_ / "output"; }
};

// Reads a sector past all caches; returns its first byte, or the errno below zero.
int byte_of(const std::string& path, uint64_t sector) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_DIRECT | O_CLOEXEC);
  if (fd < 0) return -errno;
  void* bytes = std::aligned_alloc(kSector, kSector);
  const ssize_t n = ::pread(fd, bytes, kSector, static_cast<off_t>(sector * kSector));
  const int found = n < 0 ? -errno : static_cast<int>(*static_cast<unsigned char*>(bytes));
  std::free(bytes);
  ::close(fd);
  return found;
}

TEST_F(ExposeTest, ALoopDeviceOverItHasTheDamage) {
  PATINA_REQUIRE_ROOT();
  start({"--did", "4", "--unshingled", "64KiB", "--unwritten", "zeroes"});
  std::string loop = require_program({"losetup", "--find", "--show", "--direct-io=on", file()});
  loop.pop_back();
  EXPECT_EQ(byte_of(loop, 100), 0);
  write_at(loop, 100 * kSector, std::string(kSector, 'a'));
  write_at(loop, 10 * kSector, std::string(kSector, 'b'));  // of the unshingled part
  EXPECT_EQ(byte_of(loop, 100), 'a');
  EXPECT_EQ(byte_of(loop, 101), -EIO);
  EXPECT_EQ(byte_of(loop, 104), -EIO);
  EXPECT_EQ(byte_of(loop, 105), 0);
  EXPECT_EQ(byte_of(loop, 11), 0);
  // It is served until nothing has it open.
  ::kill(pid_, SIGTERM);
  EXPECT_EQ(byte_of(loop, 100), 'a');
  require_program({"losetup", "--detach", loop});
  const auto summary = stop();
  EXPECT_EQ(summary["sectors_count"], kSectorsCount);
  EXPECT_EQ(summary["damaged_sectors_count"], 4);
  EXPECT_GE(summary["failed_reads_count"], 2);
  EXPECT_EQ(summary["refused_writes_count"], 0);
}

TEST_F(ExposeTest, PartsOfSectorsAreReadFirstAndRefusedWhereTheyCannotBe) {
  PATINA_REQUIRE_ROOT();
  start({"--did", "2"});
  const int fd = ::open(file().c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_GE(fd, 0);
  EXPECT_EQ(::pwrite(fd, "abc", 3, 10), -1);
  EXPECT_EQ(errno, EIO);
  const std::string sector(kSector, 'x');
  EXPECT_EQ(::pwrite(fd, sector.data(), kSector, 0), static_cast<ssize_t>(kSector));
  EXPECT_EQ(::pwrite(fd, "abc", 3, 10), 3);
  EXPECT_EQ(::fsync(fd), 0);
  std::string found(5, '\0');
  EXPECT_EQ(::pread(fd, found.data(), found.size(), 9), 5);
  EXPECT_EQ(found, "xabcx");
  EXPECT_EQ(::pread(fd, found.data(), found.size(), kSector), -1);
  EXPECT_EQ(errno, EIO);
  EXPECT_EQ(::fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, kSector), -1);
  EXPECT_EQ(errno, EOPNOTSUPP);
  ::close(fd);
  const auto summary = stop();
  EXPECT_EQ(summary["damaged_sectors_count"], kSectorsCount - 1);
  EXPECT_EQ(summary["refused_writes_count"], 1);
  start({});  // with the geometry that it was made with
  EXPECT_EQ(byte_of(file(), 0), 'x');
  EXPECT_EQ(byte_of(file(), 1), -EIO);
}

TEST_F(ExposeTest, AfterAKillItIsServedAgainWithWhatWasWritten) {
  PATINA_REQUIRE_ROOT();
  start({"--did", "2"});
  write_at(file(), 8 * kSector, std::string(kSector, 'x'));
  ::kill(pid_, SIGKILL);
  EXPECT_EQ(wait(), -1);
  start({});
  EXPECT_EQ(byte_of(file(), 8), 'x');
  EXPECT_EQ(byte_of(file(), 9), -EIO);
  const ExposeOptions again{.data = data(), .state = state(), .path = folder_ / "second"};
  EXPECT_NE(refused(again).error().message.find("another process serves"), std::string::npos);
}

TEST_F(ExposeTest, RefusesWhatCannotBeExposed) {
  const ExposeOptions good{.data = data(), .state = state(), .path = file()};
  ExposeOptions none = good;
  none.data = folder_ / "none";
  EXPECT_EQ(refused(none).error().code, ErrorCode::kBackingInvalid);
  ExposeOptions folder = good;
  folder.path = folder_.path();
  EXPECT_EQ(refused(folder).error().code, ErrorCode::kBackingInvalid);
  ExposeOptions large = good;
  large.state = folder_ / "other";
  large.disk.size_bytes = 2 * kSectorsCount * kSector;
  EXPECT_EQ(refused(large).error().code, ErrorCode::kDeviceTooSmall);
  large.disk.size_bytes = kSector;
  large.disk.unshingled_bytes = kSector + 1;
  EXPECT_EQ(refused(large).error().code, ErrorCode::kUsage);
  std::filesystem::remove(state());
  ASSERT_TRUE(StrictAppendDisk::create(data(), state(), {.bands_count = 2, .band_sectors = 10}).ok());
  const Status banded = refused(good);
  EXPECT_EQ(banded.error().code, ErrorCode::kBackingInvalid);
  EXPECT_NE(banded.error().message.find("strict-append"), std::string::npos) << banded.error().message;
}

// docs/shingled-disks.md has the share that ext4 loses.
TEST(Ext4OnCaveat, LosesFilesThatSmrfsKeeps) {
  PATINA_REQUIRE_ROOT();
  const std::string script = std::string(kCheckoutFolder) + "/native/demo/ext4_on_caveat.sh";
  const std::string build = std::filesystem::path(kCoreProgram).parent_path();
  const std::string printed = require_program({script, build});
  std::smatch lost;
  ASSERT_TRUE(std::regex_search(printed, lost, std::regex("ext4: (\\d+) of (\\d+) files lost"))) << printed;
  EXPECT_GT(std::stoi(lost[1]), 0) << printed;
  EXPECT_NE(printed.find("SMRfs: 0 of " + lost[2].str() + " files lost"), std::string::npos) << printed;
  EXPECT_NE(printed.find("without an unshingled part: ext4 cannot be mounted"), std::string::npos) << printed;
}

}  // namespace
}  // namespace patina
