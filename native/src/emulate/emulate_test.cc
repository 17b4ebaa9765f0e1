// An emulated disk as the kernel sees it: starts and ends, faults, kills.
#include "emulate/emulate.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include "testing/emulator_testing.h"

namespace patina {
namespace {

constexpr uint64_t kDiskBytes = uint64_t{256} << 20U;

class EmulatedDiskTest : public testing::Test {
 protected:
  void SetUp() override { PATINA_REQUIRE_ROOT(); }

  std::string folder(const char* name = "disk") const { return scratch_ / name; }

  // Reads and writes past the page cache; return 0 or an errno.
  static int write_direct(const std::string& path, uint64_t offset, uint8_t byte, size_t length = 4096) {
    return transfer(path, offset, byte, length, /*is_write=*/true);
  }
  static int read_direct(const std::string& path, uint64_t offset, uint8_t expected, size_t length = 4096) {
    return transfer(path, offset, expected, length, /*is_write=*/false);
  }

  const ScratchFolder scratch_;

 private:
  static int transfer(const std::string& path, uint64_t offset, uint8_t byte, size_t length, bool is_write) {
    const int fd = open(path.c_str(), (is_write ? O_RDWR : O_RDONLY) | O_DIRECT | O_CLOEXEC);
    if (fd < 0) return errno;
    void* memory = std::aligned_alloc(4096, length);
    std::memset(memory, is_write ? byte : static_cast<uint8_t>(~byte), length);
    const ssize_t done = is_write ? pwrite(fd, memory, length, static_cast<off_t>(offset))
                                  : pread(fd, memory, length, static_cast<off_t>(offset));
    const int error = done < 0 ? errno : 0;
    if (!is_write && error == 0) {
      const auto* bytes = static_cast<const uint8_t*>(memory);
      EXPECT_TRUE(std::all_of(bytes, bytes + length, [byte](uint8_t each) { return each == byte; }))
          << offset;
    }
    std::free(memory);
    close(fd);
    return error;
  }
};

TEST_F(EmulatedDiskTest, PrintsTheGoldenRecordsAndServesTheSameDiskAgain) {
  CollectingSink sink;
  {
    Emulator emulator(folder(), kDiskBytes, {"--keep-all"});
    ASSERT_EQ(emulator.record("ready")["path"], emulator.file());
    emulator.attach();
    // Parts of a piece, from both sides; a whole one; a long run.
    EXPECT_EQ(write_direct(emulator.path(), 512, 7, 512), 0);
    EXPECT_EQ(write_direct(emulator.path(), 4096 - 512, 8, 1024), 0);
    EXPECT_EQ(write_direct(emulator.path(), 1 << 20U, 9, 3 << 20U), 0);
    sink.events = {emulator.record("hello"), emulator.record("ready"), emulator.status(), emulator.stop()};
  }
  expect_shaped_like_golden(sink, "emulate");
  EXPECT_EQ(sink.last()["kept_bytes"], (2 * 4096) + (3 << 20U));
  Emulator again(folder(), kDiskBytes, {"--keep-all"});
  again.attach();
  EXPECT_EQ(read_direct(again.path(), 0, 0, 512), 0);
  EXPECT_EQ(read_direct(again.path(), 512, 7, 512), 0);
  EXPECT_EQ(read_direct(again.path(), 1024, 0, 4096 - 512 - 1024), 0);
  EXPECT_EQ(read_direct(again.path(), 4096 - 512, 8, 1024), 0);
  EXPECT_EQ(read_direct(again.path(), 1 << 20U, 9, 3 << 20U), 0);
  EXPECT_EQ(read_direct(again.path(), 4 << 20U, 0, 1 << 20U), 0);
}

TEST_F(EmulatedDiskTest, DiscardsAndWrittenZeroesReadAsZeroAndFreeSpace) {
  Emulator emulator(folder(), kDiskBytes, {"--keep-all"});
  emulator.attach();
  EXPECT_EQ(write_direct(emulator.path(), 0, 5, 8 << 20U), 0);
  EXPECT_EQ(emulator.status()["kept_bytes"], 8 << 20U);
  require_program({"blkdiscard", "--offset", "1048576", "--length", "3145728", emulator.path()});
  require_program({"blkdiscard", "--zeroout", "--offset", "4194304", "--length", "1048576", emulator.path()});
  EXPECT_EQ(write_direct(emulator.path(), 5 << 20U, 0, 1 << 20U), 0);
  EXPECT_EQ(emulator.status()["kept_bytes"], 3 << 20U);
  EXPECT_EQ(read_direct(emulator.path(), 0, 5, 1 << 20U), 0);
  EXPECT_EQ(read_direct(emulator.path(), 1 << 20U, 0, 5 << 20U), 0);
  EXPECT_EQ(read_direct(emulator.path(), 6 << 20U, 5, 2 << 20U), 0);
  // A capture skips what lseek(2) reports as a hole.
  const int fd = open(emulator.file().c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_GE(fd, 0);
  EXPECT_EQ(lseek(fd, 0, SEEK_HOLE), 1 << 20U);
  EXPECT_EQ(lseek(fd, 1 << 20U, SEEK_DATA), 6 << 20U);
  EXPECT_EQ(lseek(fd, 9 << 20U, SEEK_DATA), -1);
  EXPECT_EQ(errno, ENXIO);
  close(fd);
}

TEST_F(EmulatedDiskTest, OneProcessServesAFolderAndOnlyItsOwnDisk) {
  Emulator first(folder(), kDiskBytes);
  const auto refused = [&](const std::string& path, uint64_t size_bytes) {
    Emulator second(path, size_bytes);
    EXPECT_EQ(second.wait(), 41);
    EXPECT_EQ(second.record("error")["code"], "backing_invalid");
    return second.record("error")["message"].get<std::string>();
  };
  EXPECT_NE(refused(folder(), kDiskBytes).find("another process"), std::string::npos);
  EXPECT_TRUE(first.status().is_object());
  first.stop();
  EXPECT_NE(refused(folder(), 2 * kDiskBytes).find("another disk"), std::string::npos);
  std::filesystem::create_directory(folder("other"));
  std::ofstream(folder("other") + "/letter") << "keep me";
  EXPECT_NE(refused(folder("other"), kDiskBytes).find("is not empty"), std::string::npos);
  EXPECT_EQ(read_whole_file(folder("other") + "/letter"), "keep me");
  std::filesystem::create_directory(folder("open"));
  ASSERT_EQ(chmod(folder("open").c_str(), 0777), 0);
  EXPECT_NE(refused(folder("open"), kDiskBytes).find("others may write"), std::string::npos);
}

TEST_F(EmulatedDiskTest, WithoutFuseIsAnErrorAndMakesNoDisk) {
  const std::string emulate = std::string(kCoreProgram) + " emulate --size 64MiB --backing " + folder();
  const ProgramResult result = run_program({"unshare", "--mount", "--propagation", "private", "sh", "-c",
                                            "mount --bind /dev/null /dev/fuse && exec " + emulate});
  EXPECT_EQ(result.exit_code, 42) << result.output;
  EXPECT_NE(result.output.find("\"code\":\"fuse_unavailable\""), std::string::npos) << result.output;
  EXPECT_EQ(result.output.find("\"ready\""), std::string::npos) << result.output;
}

TEST_F(EmulatedDiskTest, EndsOnlyOnceTheDiskIsDetached) {
  Emulator emulator(folder(), kDiskBytes, {"--keep-all"});
  emulator.attach();
  EXPECT_EQ(write_direct(emulator.path(), 0, 1), 0);
  emulator.signal(SIGTERM);
  EXPECT_EQ(write_direct(emulator.path(), 8192, 2), 0);
  EXPECT_EQ(read_direct(emulator.path(), 0, 1), 0);
  EXPECT_EQ(emulator.stop()["kept_bytes"], 8192);
}

// A worker, for example, copies all mounts when it makes its own mount namespace.
TEST_F(EmulatedDiskTest, EndsWhileAnotherMountNamespaceHasACopyOfItsMount) {
  Emulator emulator(folder(), kDiskBytes, {"--keep-all"});
  emulator.attach();
  EXPECT_EQ(write_direct(emulator.path(), 0, 1), 0);
  const pid_t other =
      spawn_program({"unshare", "--mount", "--propagation", "private", "sleep", "infinity"}, STDERR_FILENO);
  wait_until("the namespace is made",
             [other] { return read_whole_file("/proc/" + std::to_string(other) + "/comm") == "sleep\n"; });
  EXPECT_EQ(emulator.stop()["kept_bytes"], 4096);
  kill(other, SIGKILL);
  int status = 0;
  EXPECT_EQ(waitpid(other, &status, 0), other);
}

TEST_F(EmulatedDiskTest, ADiskWhoseMakingWasKilledIsMade) {
  std::filesystem::create_directory(folder());
  std::filesystem::permissions(folder(), std::filesystem::perms::owner_all);
  std::ofstream(folder() + "/disk.json.tmp") << "{";
  const Emulator emulator(folder(), kDiskBytes);
  EXPECT_FALSE(emulator.record("ready").is_null());
}

TEST_F(EmulatedDiskTest, ItEndsWhereTheHostFailsToStoreAndServesAgainWhatWasFlushed) {
  Emulator host(folder("host"), kDiskBytes, {"--keep-all"});
  host.attach();
  require_program({"mkfs.ext2", "-q", host.path()});
  const Mount mount(host.path(), folder("mount"), "ext2");
  {
    Emulator emulator(mount.folder() + "/disk", kDiskBytes, {"--keep-all"});
    emulator.attach();
    ASSERT_EQ(write_direct(emulator.path(), 0, 1), 0);
    require_program({"blockdev", "--flushbufs", emulator.path()});
    require_program({"sync", emulator.path()});
    host.make_fault({{"kind", "write_error"}, {"first_byte", 0}, {"length_bytes", kDiskBytes}});
    ASSERT_EQ(write_direct(emulator.path(), 4096, 2), 0);
    EXPECT_NE(run_program({"sync", emulator.path()}).exit_code, 0);
    EXPECT_EQ(emulator.wait(), static_cast<int>(ErrorCode::kIoError));
    EXPECT_EQ(emulator.record("error")["code"], "io_error");
    host.make_fault({{"kind", "none"}});
  }
  Emulator again(mount.folder() + "/disk", kDiskBytes, {"--keep-all"});
  again.attach();
  EXPECT_EQ(read_direct(again.path(), 0, 1), 0);
}

TEST_F(EmulatedDiskTest, FaultsMakeTheirErrorsAndEnd) {
  Emulator emulator(folder(), kDiskBytes, {"--keep-all"});
  emulator.attach();
  const std::string& path = emulator.path();
  ASSERT_EQ(write_direct(path, 0, 1, 1 << 20U), 0);
  const auto end_all = [&] { EXPECT_EQ(emulator.make_fault({{"kind", "none"}})["faults"].size(), 0U); };

  EXPECT_EQ(
      emulator.make_fault({{"kind", "read_error"}, {"first_byte", 8192}, {"length_bytes", 4096}})["faults"]
          .size(),
      1U);
  EXPECT_EQ(read_direct(path, 8192, 1), EIO);
  EXPECT_EQ(read_direct(path, 4096, 1), 0);
  EXPECT_EQ(write_direct(path, 8192, 2), 0);
  end_all();
  EXPECT_EQ(read_direct(path, 8192, 2), 0);

  emulator.make_fault({{"kind", "write_error"}, {"first_byte", 8192}, {"length_bytes", 1}});
  EXPECT_EQ(write_direct(path, 4096, 3, 8192), EIO);
  EXPECT_EQ(read_direct(path, 8192, 2), 0);
  end_all();

  emulator.make_fault({{"kind", "ends_early"}, {"size_bytes", 1 << 20U}});
  EXPECT_EQ(write_direct(path, 1 << 20U, 3), EIO);
  EXPECT_EQ(read_direct(path, 8192, 2), 0);
  end_all();

  emulator.make_fault({{"kind", "read_only"}});
  EXPECT_EQ(write_direct(path, 0, 3), EIO);
  EXPECT_EQ(read_direct(path, 8192, 2), 0);
  end_all();

  emulator.make_fault({{"kind", "slow"}, {"delay_ms", 1}});
  EXPECT_EQ(read_direct(path, 8192, 2), 0);
  end_all();

  emulator.make_fault({{"kind", "disappears"}});
  EXPECT_EQ(read_direct(path, 8192, 2), ENODEV);
  EXPECT_EQ(write_direct(path, 8192, 2), ENODEV);
  end_all();
  EXPECT_EQ(read_direct(path, 8192, 2), 0);
}

TEST_F(EmulatedDiskTest, WrongRequestsAreRefusedWithTheReason) {
  const Emulator emulator(folder(), kDiskBytes);
  const std::vector<Emulator::Json> wrong = {
      {{"type", "nonsense"}},
      {{"type", 1}},
      {{"type", "end_selection"}},
      {{"type", "end_selection"}, {"selection", 1}},
      {{"type", "choose"}, {"selection", 1}},
      {{"type", "choose"}, {"selection", 1}, {"ranges", {{0, -1}}}},
      {{"type", "choose"}, {"selection", 1}, {"ranges", {{0, 1, 2}}}},
      {{"type", "choose"}, {"selection", 1}, {"ranges", {"all"}}},
      {{"type", "choose"}, {"selection", 1}, {"ranges", {{kDiskBytes, 1}}}},
      {{"type", "choose"}, {"selection", 1}, {"ranges", {{0, 1}}}},
      {{"type", "fault"}},
      {{"type", "fault"}, {"kind", "fire"}},
      {{"type", "fault"}, {"kind", "read_error"}},
      {{"type", "fault"}, {"kind", "read_error"}, {"first_byte", -1}, {"length_bytes", 1}},
      {{"type", "fault"}, {"kind", "read_error"}, {"first_byte", kDiskBytes}, {"length_bytes", 1}},
      {{"type", "fault"}, {"kind", "write_error"}, {"first_byte", 0}, {"length_bytes", kDiskBytes + 1}},
      {{"type", "fault"}, {"kind", "slow"}, {"delay_ms", 0}},
      {{"type", "fault"}, {"kind", "ends_early"}, {"size_bytes", "all"}},
      {{"type", "fault"}, {"kind", "power_cut"}, {"lost", "some"}},
      {{"type", "fault"}, {"kind", "power_cut"}, {"lost", 3}},
      Emulator::Json::array(),
      "status"};
  for (const Emulator::Json& request : wrong) {
    const Emulator::Json answer = emulator.ask(request);
    EXPECT_EQ(answer["type"], "error") << request;
    EXPECT_EQ(answer["code"], "usage") << request;
  }
  EXPECT_EQ(emulator.status()["faults"].size(), 0U);
}

TEST_F(EmulatedDiskTest, AFullStoreIsAnErrorAndTheDiskCanStillBeRead) {
  Emulator emulator(folder(), kDiskBytes, {"--keep-all", "--available", "4MiB"});
  emulator.attach();
  const std::string data = random_bytes(16 << 20U, 3);
  ASSERT_EQ(write_direct(emulator.path(), 0, 1), 0);
  const int fd = open(emulator.path().c_str(), O_WRONLY | O_CLOEXEC);
  ASSERT_GE(fd, 0);
  EXPECT_EQ(pwrite(fd, data.data(), data.size(), 1 << 20U), static_cast<ssize_t>(data.size()));
  EXPECT_EQ(fsync(fd), -1);
  EXPECT_EQ(errno, EIO);
  close(fd);
  EXPECT_NE(emulator.status()["error"].get<std::string>().find("may store 4.00 MiB"), std::string::npos);
  EXPECT_EQ(read_direct(emulator.path(), 0, 1), 0);
  require_program({"blkdiscard", emulator.path()});
  EXPECT_EQ(write_direct(emulator.path(), 0, 2, 1 << 20U), 0);
  EXPECT_EQ(read_direct(emulator.path(), 0, 2, 1 << 20U), 0);
}

TEST_F(EmulatedDiskTest, ThreadsThatCompactedGiveTheirMemoryBack) {
  Emulator emulator(folder(), kDiskBytes, {"--keep-all"});
  emulator.attach();
  constexpr int kWriters = 8;
  constexpr size_t kWriterBytes = 1 << 20U;
  const std::string data = random_bytes(kWriterBytes, 4);
  std::vector<std::thread> writers;
  writers.reserve(kWriters);
  for (int writer = 0; writer < kWriters; ++writer) {
    writers.emplace_back([&, writer] {
      const int fd = open(emulator.path().c_str(), O_WRONLY | O_CLOEXEC);
      for (int round = 0; round < 60; ++round) {
        EXPECT_EQ(pwrite(fd, data.data(), data.size(),
                         static_cast<off_t>(static_cast<size_t>(writer) * kWriterBytes)),
                  static_cast<ssize_t>(data.size()));
        EXPECT_EQ(fsync(fd), 0);
      }
      close(fd);
    });
  }
  for (std::thread& writer : writers) writer.join();
  const nlohmann::ordered_json status = emulator.status();
  EXPECT_LT(status["stored_bytes"].get<uint64_t>(), uint64_t{128} << 20U);  // it compacted
  EXPECT_LT(status["memory_bytes"].get<uint64_t>(), uint64_t{64} << 20U);
}

TEST_F(EmulatedDiskTest, AKilledEmulatorFailsRequestsAndServesWhatWasFlushedAgain) {
  Emulator killed(folder(), kDiskBytes, {"--keep-all"});
  killed.attach();
  ASSERT_EQ(write_direct(killed.path(), 0, 1, 1 << 20U), 0);
  require_program({"sync", killed.path()});
  EXPECT_EQ(killed.kill_and_wait(SIGKILL), -1);
  EXPECT_EQ(read_direct(killed.path(), 0, 1), EIO);
  EXPECT_EQ(write_direct(killed.path(), 0, 1), EIO);
  killed.detach();
  Emulator again(folder(), kDiskBytes, {"--keep-all"});
  again.attach();
  EXPECT_EQ(read_direct(again.path(), 0, 1, 1 << 20U), 0);
}

TEST_F(EmulatedDiskTest, MayOpenAsManySegmentsAsItsHostAllows) {
  rlimit usual = {};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &usual), 0);
  const rlimit few = {64, usual.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  const Emulator emulator(folder(), kDiskBytes);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &usual), 0);
  rlimit raised = {};
  ASSERT_EQ(::prlimit(emulator.pid(), RLIMIT_NOFILE, nullptr, &raised), 0);
  EXPECT_EQ(raised.rlim_cur, usual.rlim_max);
}

}  // namespace
}  // namespace patina
