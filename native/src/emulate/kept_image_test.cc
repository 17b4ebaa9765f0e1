// Images of what emulated disks keep: without generated data, and restored with the same layout.
#include <gtest/gtest.h>

#include <map>

#include "image/image.h"
#include "testing/emulated_aging_testing.h"

namespace patina {
namespace {

using Json = nlohmann::ordered_json;

Json last_record(const std::string& printed) {
  Json last;
  std::istringstream in(printed);
  for (std::string line; std::getline(in, line);) last = Json::parse(line);
  return last;
}

Json run_core(std::vector<std::string> argv) {
  argv.insert(argv.begin(), kCoreProgram);
  return last_record(require_program(argv));
}

class KeptImage : public testing::TestWithParam<MadeFileSystem> {
 protected:
  void SetUp() override { PATINA_REQUIRE_ROOT(); }

  Json capture(const std::string& device) {
    return run_core(
        {"capture", "--device", device, "--store", store_, "--mode", "metadata", "--index", index_});
  }
  void restore(const std::string& device, bool drops_data) {
    std::vector<std::string> argv = {"restore", "--device", device, "--store", store_, "--index", index_};
    if (drops_data) argv.emplace_back("--drops-data");
    run_core(argv);
  }
  void expect_held(const std::string& device, const std::string& layout_digest) {
    const std::map<std::string, std::vector<std::string>> checks = {
        {"ext4", {"e2fsck", "-fn", device}},
        {"xfs", {"xfs_repair", "-n", device}},
        {"btrfs", {"btrfs", "check", "--readonly", device}}};
    const ProgramResult checked = run_program(checks.at(GetParam().type));
    EXPECT_EQ(checked.exit_code, 0) << checked.output;
    EXPECT_EQ(run_core({"layout", "--device", device})["layout_digest"], layout_digest);
  }

  const ScratchFolder scratch_;
  const std::string store_ = scratch_ / "store";
  const std::string index_ = scratch_ / "image.caibx";
};

TEST_P(KeptImage, HoldsWhatTheDiskKeepsAndNoGeneratedData) {
  std::string layout_digest;
  uint64_t used_bytes = 0;
  std::set<std::string> names;
  {
    EmulatedAgedDevice source(GetParam(), {"--data", "random"});
    AgingOrder order;
    order.seed = 7;
    order.horizon_ops_count = 5000;
    order.data_mode = "write";
    {
      RunningAge aging(order.command(source.folder(), source.scratch("checkpoint")));
      ASSERT_EQ(aging.wait_for_exit(), 0) << aging.error_message();
    }
    names = names_and_sizes(source.folder());
    source.unmount();
    layout_digest = run_core({"layout", "--device", source.device()})["layout_digest"];
    const Json captured = capture(source.device());
    EXPECT_EQ(captured["mode"], "metadata");
    const Json status = source.emulator().status();
    used_bytes = status["used_bytes"];
    EXPECT_GT(used_bytes, kAgedDeviceBytes / 8);
    EXPECT_GT(status["dropped_bytes"], 4 * status["kept_bytes"].get<uint64_t>());
    EXPECT_LT(captured["stored_bytes"], status["kept_bytes"]) << status;
  }  // two devices with one UUID are never there at once
  {
    Emulator target(scratch_ / "target", kAgedDeviceBytes, {"--data", "text"});
    restore(target.attach(), /*drops_data=*/true);
    expect_held(target.path(), layout_digest);
    const Json status = target.status();
    EXPECT_LT(status["dropped_bytes"], used_bytes / 10) << status;  // what only looked like metadata
    EXPECT_EQ(status["used_bytes"], used_bytes);
    EXPECT_GT(status["saved_bytes"], used_bytes / 2);
    const Mount mount(target.path(), scratch_ / "mount", GetParam().type, GetParam().options);
    EXPECT_EQ(names_and_sizes(mount.folder()), names);
  }
  const LoopDevice plain(scratch_ / "plain", kAgedDeviceBytes);
  restore(plain.path(), /*drops_data=*/false);
  expect_held(plain.path(), layout_digest);
}

INSTANTIATE_TEST_SUITE_P(Kinds, KeptImage, testing::ValuesIn(file_systems_of_emulated_disks()), name_of_kind);

class KeptContent : public testing::Test {
 protected:
  void SetUp() override { PATINA_REQUIRE_ROOT(); }

  ProgramResult capture(const std::string& device) {
    return run_program({kCoreProgram, "capture", "--device", device, "--store", scratch_ / "store", "--mode",
                        "metadata", "--index", scratch_ / "image.caibx"});
  }

  static constexpr uint64_t kDiskBytes = uint64_t{64} << 20U;
  const ScratchFolder scratch_;
};

// More ranges than one answer has.
TEST_F(KeptContent, OfAnUnknownKindIsAllInTheImage) {
  Emulator emulator(scratch_ / "disk", kDiskBytes);
  const std::string device = emulator.attach();
  constexpr uint64_t kPieces = 2500;
  constexpr uint64_t kStepBytes = uint64_t{16} << 10U;
  for (uint64_t i = 0; i < kPieces; ++i) write_at(device, 8192 + i * kStepBytes, std::string(4096, 'x'));
  const Json captured = last_record(capture(device).output);
  EXPECT_EQ(captured["mode"], "metadata") << captured;
  EXPECT_EQ(emulator.status()["kept_bytes"], kPieces * 4096);
  const LoopDevice plain(scratch_ / "plain", kDiskBytes);
  require_program({kCoreProgram, "restore", "--device", plain.path(), "--store", scratch_ / "store",
                   "--index", scratch_ / "image.caibx"});
  EXPECT_EQ(run_program({"cmp", device, plain.path()}).output, "");
}

TEST_F(KeptContent, OfADiskThatKeepsAllNeedsAFileSystemAsOnAPlainDevice) {
  Emulator emulator(scratch_ / "disk", kDiskBytes, {"--keep-all"});
  const ProgramResult captured = capture(emulator.attach());
  EXPECT_NE(captured.exit_code, 0);
  EXPECT_NE(captured.output.find("layout_unsupported"), std::string::npos) << captured.output;
}

}  // namespace
}  // namespace patina
