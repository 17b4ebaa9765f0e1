// Data of chosen paths on real file systems: as written after selections, new starts, faults and deletes.
#include "emulate/keep.h"

#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <random>
#include <thread>

#include "squash/piece.h"
#include "testing/emulated_aging_testing.h"
#include "testing/filled_tree.h"

namespace patina {
namespace {

using Json = Emulator::Json;

constexpr const char* kHold = "64MiB";

class KeptPaths : public testing::TestWithParam<MadeFileSystem> {
 protected:
  void SetUp() override { PATINA_REQUIRE_ROOT(); }

  static std::vector<std::string> options(const char* hold = kHold) {
    return {"--data", "random", "--hold", hold};
  }

  // Files by path, with what was written to them.
  void write(const EmulatedAgedDevice& device, const std::string& path, size_t length, uint32_t seed) {
    const std::string whole = device.folder() + "/" + path;
    std::filesystem::create_directories(std::filesystem::path(whole).parent_path());
    written_[path] = random_bytes(length, seed);
    std::ofstream(whole, std::ios::binary) << written_[path];
  }
  void overwrite(const EmulatedAgedDevice& device, const std::string& path, size_t at, size_t length,
                 uint32_t seed) {
    overwrite_with(device, path, at, random_bytes(length, seed));
  }
  void overwrite_with(const EmulatedAgedDevice& device, const std::string& path, size_t at,
                      const std::string& data) {
    written_[path].replace(at, data.size(), data);
    std::fstream file(device.folder() + "/" + path, std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(static_cast<std::streamoff>(at));
    file << data;
  }
  void expect_as_written(const EmulatedAgedDevice& device, const std::string& path) const {
    EXPECT_TRUE(read_whole_file(device.folder() + "/" + path) == written_.at(path)) << path;
  }
  // Most of it: some blocks of data look like metadata.
  void expect_generated(const EmulatedAgedDevice& device, const std::string& path) const {
    const std::string found = read_whole_file(device.folder() + "/" + path);
    const std::string& written = written_.at(path);
    ASSERT_EQ(found.size(), written.size()) << path;
    size_t same = 0;
    for (size_t at = 0; at < found.size(); at += kPieceBytes) {
      same += found.compare(at, kPieceBytes, written, at, kPieceBytes) == 0 ? 1 : 0;
    }
    EXPECT_LT(same * kPieceBytes * 4, found.size() + 4 * kPieceBytes) << path;
  }
  static ProgramResult run_keep(const EmulatedAgedDevice& device, const std::vector<std::string>& paths) {
    std::vector<std::string> argv = {kCoreProgram,           "keep",    "--backing",
                                     device.scratch("disk"), "--mount", device.folder()};
    for (const std::string& path : paths) argv.insert(argv.end(), {"--path", path});
    return run_program(argv);
  }
  // Returns the summary.
  static Json keep(const EmulatedAgedDevice& device, const std::vector<std::string>& paths) {
    const ProgramResult result = run_keep(device, paths);
    EXPECT_EQ(result.exit_code, 0) << result.output;
    Json last;
    std::istringstream in(result.output);
    for (std::string line; std::getline(in, line);) last = Json::parse(line);
    return last;
  }
  static void sync(const EmulatedAgedDevice& device) {
    require_program({"sync", "--file-system", device.folder()});
  }
  static void mount_again(EmulatedAgedDevice& device) {
    device.unmount();
    require_program({"blockdev", "--flushbufs", device.device()});
    device.mount();
  }

  std::map<std::string, std::string> written_;
};

TEST_P(KeptPaths, StayAsWrittenAndOtherDataIsGenerated) {
  EmulatedAgedDevice device(GetParam(), options());
  write(device, "database/a", (3 << 20U) + 777, 1);
  write(device, "database/deep/er/b", 5000, 2);
  write(device, "etc/x.conf", 100'000, 3);
  write(device, "etc/y.txt", 100'000, 4);
  write(device, "other", 2 << 20U, 5);
  const Json summary = keep(device, {"database/**", "etc/*.conf", "nothing/*"});
  EXPECT_EQ(summary["files_count"], 3);
  EXPECT_EQ(summary["missing_bytes"], 0);
  EXPECT_EQ(summary["lost_held_bytes"], 0);
  EXPECT_GT(summary["chosen_bytes"].get<uint64_t>(), uint64_t{3} << 20U);
  EXPECT_LT(summary["chosen_bytes"].get<uint64_t>(), uint64_t{4} << 20U);
  const auto expect_all = [&] {
    for (const char* path : {"database/a", "database/deep/er/b", "etc/x.conf"})
      expect_as_written(device, path);
    for (const char* path : {"etc/y.txt", "other"}) expect_generated(device, path);
  };
  mount_again(device);
  expect_all();
  device.restart();
  expect_all();
  EXPECT_EQ(keep(device, {"database/**", "etc/*.conf"})["missing_bytes"], 0);
  mount_again(device);
  expect_all();
}

TEST_P(KeptPaths, StayAsWrittenWhenTheyAreOverwritten) {
  EmulatedAgedDevice device(GetParam(), options());
  write(device, "database/a", 4 << 20U, 1);
  write(device, "other", 1 << 20U, 2);
  keep(device, {"database/**"});
  overwrite(device, "database/a", 1'000'001, 500'000, 3);
  sync(device);
  device.restart();
  expect_as_written(device, "database/a");
  overwrite(device, "database/a", 3'000'000, 70'000, 4);
  EXPECT_EQ(keep(device, {"database/**"})["missing_bytes"], 0);
  device.restart();
  expect_as_written(device, "database/a");
  expect_generated(device, "other");
}

// It looks like the target of a symbolic link until the unmount, which comes after the selection.
TEST_P(KeptPaths, TheEndOfATextStaysAsWrittenAlsoAtTheBound) {
  EmulatedAgedDevice device(GetParam(), options("4MiB"));
  write(device, "etc/text", 2100, 1);
  Random random(1);
  overwrite_with(device, "etc/text", 0, TreeFiller::text(2100, random));
  keep(device, {"etc/*"});
  mount_again(device);
  write(device, "other", 12 << 20U, 2);
  sync(device);
  device.restart();
  expect_as_written(device, "etc/text");
}

TEST_P(KeptPaths, BlocksOfDeletedFilesAreReleasedAndTakeOtherData) {
  EmulatedAgedDevice device(GetParam(), options("256MiB"));
  constexpr size_t kLength = 40 << 20U;
  for (uint32_t i = 0; i < 4; ++i) write(device, "database/" + std::to_string(i), kLength, i);
  EXPECT_GT(keep(device, {"database/**"})["chosen_bytes"].get<uint64_t>(), 4 * kLength * 9 / 10);
  for (int i = 1; i < 4; ++i) std::filesystem::remove(device.folder() + "/database/" + std::to_string(i));
  sync(device);
  // They do not fit where nothing was.
  for (uint32_t i = 0; i < 3; ++i) write(device, "other" + std::to_string(i), kLength, 10 + i);
  write(device, "database/new", 1 << 20U, 20);
  const Json summary = keep(device, {"database/**"});
  EXPECT_EQ(summary["missing_bytes"], 0);
  EXPECT_LT(summary["chosen_bytes"].get<uint64_t>(), kLength + (2 << 20U));
  mount_again(device);
  expect_as_written(device, "database/0");
  expect_as_written(device, "database/new");
  for (int i = 0; i < 3; ++i) expect_generated(device, "other" + std::to_string(i));
}

// Selections run beside the writes that they must not drop.
TEST_P(KeptPaths, StayAsWrittenWhileTheyAreWritten) {
  EmulatedAgedDevice device(GetParam(), options("256MiB"));
  write(device, "database/0", 1 << 20U, 99);
  sync(device);
  std::atomic<bool> stop = false;
  std::thread writer([&] {
    std::mt19937 random(5);
    for (uint32_t i = 0; !stop && i < 400; ++i) {
      const std::string chosen = "database/" + std::to_string(i % 7);
      if (random() % 3 == 0 && written_.contains(chosen)) {
        const size_t length = written_[chosen].size();
        overwrite(device, chosen, random() % (length / 2), length / 4, i);
      } else {
        write(device, chosen, 100'000 + random() % 1'000'000, i);  // gives up its blocks
      }
      write(device, "other" + std::to_string(i % 3), 50'000 + random() % 500'000, i);
      if (random() % 4 == 0) sync(device);
    }
  });
  for (int i = 0; i < 8; ++i) EXPECT_EQ(keep(device, {"database/*"})["missing_bytes"], 0);
  stop = true;
  writer.join();
  sync(device);
  device.restart();
  for (const auto& [path, data] : written_) {
    if (path.starts_with("database/")) expect_as_written(device, path);
  }
  EXPECT_EQ(device.emulator().status()["lost_held_bytes"], 0);
}

TEST_P(KeptPaths, LossAtTheBoundIsReported) {
  EmulatedAgedDevice device(GetParam(), options("1MiB"));
  write(device, "database/a", 8 << 20U, 1);
  sync(device);
  EXPECT_GT(device.emulator().status()["lost_held_bytes"].get<uint64_t>(), uint64_t{6} << 20U);
  const Json summary = keep(device, {"database/**"});
  EXPECT_GT(summary["missing_bytes"].get<uint64_t>(), uint64_t{6} << 20U);
  EXPECT_LE(summary["missing_bytes"].get<uint64_t>(), summary["lost_held_bytes"].get<uint64_t>());
  EXPECT_LE(summary["chosen_bytes"].get<uint64_t>(), uint64_t{1} << 20U);
  device.restart();
  EXPECT_GT(device.emulator().status()["lost_held_bytes"].get<uint64_t>(), uint64_t{6} << 20U);
}

TEST_P(KeptPaths, ThatWereFlushedAreThereAfterAPowerCut) {
  for (const char* lost : {"all", "random"}) {
    EmulatedAgedDevice device(GetParam(), options());
    write(device, "database/a", 3 << 20U, 1);
    write(device, "other", 3 << 20U, 2);
    sync(device);  // the cut comes before the selection
    write(device, "database/late", 3 << 20U, 3);
    device.cut_power(lost, 7);
    device.restart();
    expect_as_written(device, "database/a");
    EXPECT_EQ(keep(device, {"database/a"})["missing_bytes"], 0);
    write(device, "other", 1 << 20U, 4);
    device.cut_power(lost, 8);
    device.restart();
    expect_as_written(device, "database/a");
  }
}

TEST_P(KeptPaths, AWrongMountOrPathDropsNothing) {
  EmulatedAgedDevice device(GetParam(), options());
  write(device, "database/a", 1 << 20U, 1);
  sync(device);
  const auto expect_refused = [&](const std::string& mount, const std::string& path, int exit_code) {
    const ProgramResult result = run_program(
        {kCoreProgram, "keep", "--backing", device.scratch("disk"), "--mount", mount, "--path", path});
    EXPECT_EQ(result.exit_code, exit_code) << result.output;
  };
  EmulatedAgedDevice other(MadeFileSystem{"ext4", {"mkfs.ext4", "-q"}}, options());
  expect_refused(other.folder(), "database/**", 12);
  expect_refused(device.folder() + "/database", "a", 12);
  expect_refused("/dev/shm", "a", 12);
  expect_refused(device.folder(), "/database/a", 2);
  // Some of it may look like metadata.
  EXPECT_GT(device.emulator().status()["held_bytes"].get<uint64_t>(), uint64_t{1} << 19U);
  mount_again(device);
  expect_as_written(device, "database/a");
  const ProgramResult unserved = run_program(
      {kCoreProgram, "keep", "--backing", device.scratch("none"), "--mount", device.folder(), "--path", "a"});
  EXPECT_EQ(unserved.exit_code, 41) << unserved.output;
}

TEST(Hold, ExcludesWhatKeepsOrDropsAll) {
  const ScratchFolder scratch;
  for (const std::vector<std::string>& with :
       {std::vector<std::string>{"--keep-all"}, {"--keep-nothing"}, {"--available", "1MiB"}}) {
    std::vector<std::string> argv = {kCoreProgram, "emulate", "--backing", scratch / "disk",
                                     "--size",     "64MiB",   "--hold",    "2MiB"};
    argv.insert(argv.end(), with.begin(), with.end());
    EXPECT_EQ(run_program(argv).exit_code, 2) << with.front();
  }
}

TEST_P(KeptPaths, PrintsTheGoldenRecords) {
  EmulatedAgedDevice device(GetParam(), options());
  write(device, "database/a", 1 << 20U, 1);
  const ProgramResult result = run_keep(device, {"database/**"});
  CollectingSink sink;
  std::istringstream in(result.output);
  for (std::string line; std::getline(in, line);) sink.events.push_back(Json::parse(line));
  expect_shaped_like_golden(sink, "keep");
}

INSTANTIATE_TEST_SUITE_P(Kinds, KeptPaths, testing::ValuesIn(file_systems_of_emulated_disks()), name_of_kind);

}  // namespace
}  // namespace patina
