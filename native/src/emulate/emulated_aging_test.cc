// File systems on emulated disks: as on a plain device, and clean after kills and power cuts.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>

#include "testing/emulated_aging_testing.h"
#include "testing/property_testing.h"

namespace patina {
namespace {

// Changes nothing.
void expect_clean(const std::string& type, const std::string& device) {
  const std::map<std::string, std::vector<std::string>> checks = {
      {"ext4", {"e2fsck", "-fn", device}},
      {"xfs", {"xfs_repair", "-n", device}},
      {"btrfs", {"btrfs", "check", "--readonly", device}}};
  const ProgramResult checked = run_program(checks.at(type));
  EXPECT_EQ(checked.exit_code, 0) << checked.output;
}

Emulator::Json layout_of(const std::string& device) {
  const std::string printed = require_program({kCoreProgram, "layout", "--device", device});
  Emulator::Json last;
  std::istringstream in(printed);
  for (std::string line; std::getline(in, line);) last = Emulator::Json::parse(line);
  return last;
}

class EmulatedAging : public testing::TestWithParam<MadeFileSystem> {
 protected:
  void SetUp() override { PATINA_REQUIRE_ROOT(); }

  static AgingOrder order(uint32_t seed) {
    AgingOrder order;
    order.seed = seed;
    order.horizon_ops_count = 5000;
    order.data_mode = "write";
    order.mode = "reference";
    order.threads_count = 1;
    return order;
  }
  // Long enough for every disturbance on the way.
  static AgingOrder endless(uint32_t seed) {
    AgingOrder endless = order(seed);
    endless.horizon_ops_count = 10'000'000;
    return endless;
  }
  // io_error, or read_only where the file system turns read-only first.
  static void expect_io_error(RunningAge& aging) {
    const int exit_code = aging.wait_for_exit();
    EXPECT_TRUE(exit_code == 14 || exit_code == 15) << exit_code << ": " << aging.error_message();
  }
  static void age(const AgingOrder& order, const std::string& folder, const std::string& checkpoint) {
    RunningAge aging(order.command(folder, checkpoint));
    EXPECT_EQ(aging.wait_for_exit(), 0) << aging.error_message();
  }
  static void copy(const std::string& from, const std::string& to) {
    require_program({"dd", "if=" + from, "of=" + to, "bs=1M", "iflag=direct", "oflag=direct", "status=none"});
  }
  static void expect_same(const Emulator& emulator, const Emulator::Json& expected,
                          const std::set<std::string>& names) {
    expect_clean(GetParam().type, emulator.path());
    EXPECT_EQ(layout_of(emulator.path())["layout_digest"], expected["layout_digest"]);
    const ScratchFolder scratch;
    const Mount mount(emulator.path(), scratch / "mount", GetParam().type, GetParam().options);
    EXPECT_EQ(names_and_sizes(mount.folder()), names);
  }
  // Ages up to this operation, lets the disk fail, starts it again, and goes on from the checkpoint to the
  // same tree as without the failure.
  static void expect_goes_on_after(uint64_t ops_count, const std::function<void(EmulatedAgedDevice&)>& fail) {
    const AgingOrder asked = order(13);
    EmulatedAgedDevice device(GetParam());
    const UndisturbedAging undisturbed(asked.forecast(device.folder()));
    const std::string checkpoint = device.scratch("checkpoint");
    {
      const std::string gate = device.scratch(fmt::format("age.{}", ops_count));
      ASSERT_EQ(mkfifo(gate.c_str(), 0600), 0);
      std::vector<std::string> command = asked.command(device.folder(), checkpoint);
      command.insert(command.begin(), {"env", "PATINA_GATES=" + device.scratch("")});
      RunningAge aging(command);
      {
        const Descriptor held = aging.stands_at(gate);
        ASSERT_TRUE(held.valid()) << aging.error_message();
        fail(device);
      }
      expect_io_error(aging);
      EXPECT_NE(aging.error_message().find("are durable, with their checkpoint"), std::string::npos)
          << aging.error_message();
    }
    device.restart();
    RunningAge resumed(asked.resume_command(device.folder(), checkpoint));
    EXPECT_EQ(resumed.wait_for_exit(), 0) << resumed.error_message();
    EXPECT_EQ(names_and_sizes(device.folder()), undisturbed.names);
    device.unmount();
    expect_clean(GetParam().type, device.device());
  }
};

TEST_P(EmulatedAging, KeepsTheFileSystemOfAPlainDeviceAndDropsItsData) {
  Emulator::Json expected;
  std::set<std::string> names;
  const ScratchFolder scratch;
  Emulator emulator(scratch / "disk", kAgedDeviceBytes, {"--data", "random"});
  emulator.attach();
  {
    AgedDevice plain(GetParam());
    age(order(7), plain.folder(), plain.scratch("checkpoint"));
    names = names_and_sizes(plain.folder());
    plain.unmount();
    expected = layout_of(plain.device());
    copy(plain.device(), emulator.path());
  }  // two devices with one UUID are never there at once
  expect_same(emulator, expected, names);
  const Emulator::Json status = emulator.status();
  EXPECT_EQ(status["file_system"], GetParam().type);
  EXPECT_EQ(status["kept_whole_reason"], nullptr);
  uint64_t data_bytes = 0;
  for (const std::string& name : names) data_bytes += std::stoull(name.substr(name.rfind(' ')));
  EXPECT_GT(status["dropped_bytes"].get<double>(), 0.9 * static_cast<double>(data_bytes));
}

// The journal holds what the power cut left in it.
TEST_P(EmulatedAging, RecoversFromItsJournalAsAPlainDeviceDoes) {
  Emulator::Json expected;
  std::set<std::string> names;
  const ScratchFolder scratch;
  Emulator emulator(scratch / "disk", kAgedDeviceBytes);
  emulator.attach();
  {
    EmulatedAgedDevice whole(GetParam(), {"--keep-all"});
    {
      RunningAge aging(endless(9).command(whole.folder(), whole.scratch("checkpoint")));
      aging.reaches(3000);
      whole.cut_power("random", 9);
      expect_io_error(aging);
    }
    whole.unmount();
    whole.start_again();
    copy(whole.device(), emulator.path());
    whole.mount();  // recovers
    names = names_and_sizes(whole.folder());
    whole.unmount();
    expected = layout_of(whole.device());
  }
  {
    const Mount recovered(emulator.path(), scratch / "mount", GetParam().type, GetParam().options);
  }
  expect_same(emulator, expected, names);
}

// The disk held another kind of file system, whose rules must not judge the image.
TEST_P(EmulatedAging, TakesAnImageAndRollsBackToIt) {
  const ScratchFolder scratch;
  const std::string index = scratch / "image.caibx";
  const std::string store = scratch / "store";
  Emulator::Json expected;
  std::set<std::string> names;
  {
    AgedDevice plain(GetParam());
    age(order(11), plain.folder(), plain.scratch("checkpoint"));
    names = names_and_sizes(plain.folder());
    plain.unmount();
    expected = layout_of(plain.device());
    require_program({kCoreProgram, "capture", "--device", plain.device(), "--store", store, "--mode",
                     "metadata", "--index", index});
  }
  Emulator emulator(scratch / "disk", kAgedDeviceBytes);
  const std::string device = emulator.attach();
  const bool is_ext = std::string(GetParam().type) == "ext4";
  const auto make_other = [&] {
    require_program({"wipefs", "--all", "--quiet", device});
    require_program(is_ext ? std::vector<std::string>{"mkfs.xfs", "-q", "-f", device}
                           : std::vector<std::string>{"mkfs.ext4", "-q", "-F", device});
  };
  make_other();
  require_program(
      {kCoreProgram, "restore", "--device", device, "--store", store, "--index", index, "--drops-data"});
  expect_same(emulator, expected, names);
  make_other();
  require_program(
      {kCoreProgram, "rollback", "--device", device, "--store", store, "--index", index, "--drops-data"});
  expect_same(emulator, expected, names);
}

TEST_P(EmulatedAging, IsCleanAfterAPowerCutAtAnyMoment) {
  for (uint32_t round = 0; round < crash_cases(4); ++round) {
    SCOPED_TRACE(round);
    const AgingOrder asked = endless(round + 20);
    EmulatedAgedDevice device(GetParam());
    {
      RunningAge aging(asked.command(device.folder(), device.scratch("checkpoint")));
      aging.reaches(500 + 700 * round);
      device.cut_power(round % 2 == 0 ? "random" : "all", round);
      expect_io_error(aging);
    }
    device.restart();
    const std::set<std::string> names = names_and_sizes(device.folder());
    EXPECT_FALSE(names.empty());
    device.unmount();
    expect_clean(GetParam().type, device.device());
  }
}

// What the checkpoint has is there after the journal was replayed, also where all behind the last flush is
// lost.
TEST_P(EmulatedAging, GoesOnFromItsCheckpointAfterAPowerCut) {
  for (const char* lost : {"all", "random"}) {
    SCOPED_TRACE(lost);
    expect_goes_on_after(4000, [&](EmulatedAgedDevice& device) { device.cut_power(lost, 13); });
  }
}

TEST_P(EmulatedAging, FailsWithAnIoErrorWhenTheEmulatorIsKilledAndIsCleanAfterwards) {
  const AgingOrder asked = endless(3);
  EmulatedAgedDevice device(GetParam());
  {
    RunningAge aging(asked.command(device.folder(), device.scratch("checkpoint")));
    aging.reaches(2000);
    device.emulator().kill_and_wait(SIGKILL);
    expect_io_error(aging);
  }
  device.restart();
  device.unmount();
  expect_clean(GetParam().type, device.device());
}

TEST_P(EmulatedAging, FailsWithAnIoErrorWhereTheDiskEndsEarlyAndGoesOnOnceItDoesNot) {
  expect_goes_on_after(2000, [](EmulatedAgedDevice& device) {
    device.emulator().make_fault({{"kind", "ends_early"}, {"size_bytes", 0}});
  });
}

INSTANTIATE_TEST_SUITE_P(Kinds, EmulatedAging, testing::ValuesIn(file_systems_of_emulated_disks()),
                         name_of_kind);

}  // namespace
}  // namespace patina
