// Compares the program's output with the golden files of native/contract, and checks its exit codes.
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

#include "testing/device_testing.h"
#include "testing/profile_testing.h"
#include "testing/test_places.h"

namespace patina {
namespace {

using Keys = std::map<std::string, std::set<std::string>>;  // event type -> paths of its keys

void collect_paths(const nlohmann::ordered_json& value, const std::string& path, std::set<std::string>& out) {
  if (!value.is_structured()) return;
  for (const auto& [key, inner] : value.items()) {
    std::string place = path;
    place.append(value.is_array() ? "[]" : ".").append(value.is_array() ? "" : key);
    if (value.is_object()) out.insert(place);
    collect_paths(inner, place, out);
  }
}

std::vector<nlohmann::ordered_json> events_of(const std::string& lines) {
  std::vector<nlohmann::ordered_json> events;
  std::istringstream in(lines);
  for (std::string line; std::getline(in, line);) {
    if (in.eof()) break;  // a line without its end: the program still writes it
    // The output includes standard error, whose lines are not JSON.
    if (line.starts_with("{")) events.push_back(nlohmann::ordered_json::parse(line));
  }
  return events;
}

Keys keys_of(const std::vector<nlohmann::ordered_json>& events) {
  Keys keys;
  for (const auto& event : events) {
    EXPECT_EQ(event.begin().key(), "type");
    collect_paths(event, "", keys[event["type"].get<std::string>()]);
  }
  return keys;
}

Keys golden(const std::string& name) {
  const std::string text =
      read_whole_file(std::string(kCheckoutFolder) + "/native/contract/" + name + ".jsonl");
  EXPECT_FALSE(text.empty()) << "native/contract/regenerate.sh writes it";
  return keys_of(events_of(text));
}

std::vector<std::string> planned(const std::string& command, std::vector<std::string> rest) {
  std::vector<std::string> argv = {kCoreProgram, command, "--profile", built_in_profile_file("meyer"),
                                   "--fullness", "0.7"};
  argv.insert(argv.end(), rest.begin(), rest.end());
  return argv;
}

TEST(Contract, ForecastPrintsTheGoldenKeys) {
  const ProgramResult result = run_program(planned("forecast", {"--capacity", "64MiB"}));
  EXPECT_EQ(result.exit_code, 0);
  const auto events = events_of(result.output);
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events.front()["type"], "hello");
  EXPECT_EQ(events.back()["type"], "plan");
  EXPECT_EQ(keys_of(events), golden("forecast"));
}

TEST(Contract, SimulatePrintsTheGoldenKeysAndTheSummaryLast) {
  const ProgramResult result = run_program(planned("simulate", {"--capacity", "64MiB"}));
  EXPECT_EQ(result.exit_code, 0);
  const auto events = events_of(result.output);
  EXPECT_EQ(events.back()["type"], "summary");
  EXPECT_EQ(keys_of(events), golden("simulate"));
}

TEST(Contract, SimulationsOfShingledDisksPrintTheGoldenKeys) {
  for (const auto& [name, argv] : std::vector<std::pair<std::string, std::vector<std::string>>>{
           {"shingle_capacity", {"capacity", "--policy", "worst", "--did", "16", "--usable", "4MiB"}},
           {"shingle_cleaning", {"cleaning", "--policy", "best", "--size", "64MiB", "--times", "1"}}}) {
    std::vector<std::string> words = {kCoreProgram, "shingle"};
    words.insert(words.end(), argv.begin(), argv.end());
    const ProgramResult result = run_program(words);
    EXPECT_EQ(result.exit_code, 0) << result.output;
    EXPECT_EQ(keys_of(events_of(result.output)), golden(name));
  }
}

TEST(Contract, ScanPrintsTheGoldenKeys) {
  const ScratchFolder folder;
  std::ofstream(folder / "file") << "x";
  const ProgramResult result = run_program({kCoreProgram, "scan", folder.path()});
  EXPECT_EQ(result.exit_code, 0);
  Keys expected = golden("scan");
  expected.erase("progress");  // such a small tree takes no time
  EXPECT_EQ(keys_of(events_of(result.output)), expected);
}

TEST(Contract, AgePrintsTheGoldenKeys) {
  PATINA_REQUIRE_ROOT();
  const ScratchFolder folder;
  const LoopDevice loop(folder / "device.img", 64ULL << 20U);
  require_program({"mkfs.ext4", "-q", "-b", "4096", "-m", "0", loop.path()});
  const Mount mount(loop.path(), folder / "mount", "ext4", "noload");
  const ProgramResult result =
      run_program(planned("age", {"--mount", mount.folder(), "--checkpoint", folder / "checkpoint",
                                  "--layout-interval-ms", "10", "--sample-interval-ms", "50"}));
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_EQ(keys_of(events_of(result.output)), golden("age"));
}

TEST(Contract, AgePrintsTheGoldenKeysOfAWorkload) {
  PATINA_REQUIRE_ROOT();
  const ScratchFolder folder;
  const LoopDevice loop(folder / "device.img", 64ULL << 20U);
  require_program({"mkfs.ext4", "-q", "-b", "4096", "-m", "0", loop.path()});
  const Mount mount(loop.path(), folder / "mount", "ext4", "noload");
  const ProgramResult result =
      run_program({kCoreProgram, "age", "--mount", mount.folder(), "--workload", "fsfb", "--rounds", "3",
                   "--fullness", "0.7", "--checkpoint", folder / "checkpoint"});
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_EQ(keys_of(events_of(result.output)), golden("age_workload"));
}

TEST(Contract, WorkloadPrintsTheGoldenKeys) {
  PATINA_REQUIRE_ROOT();
  const ScratchFolder folder;
  keep_mounts_private();
  const Mount mount("tmpfs", folder / "mount", "tmpfs", "size=16m");
  std::ofstream(folder / "make.f") << "set mode quit firstdone\n"
                                      "define fileset name=files,entries=5\n"
                                      "define process name=p { thread name=t {\n"
                                      "  flowop createfile name=create,filesetname=files,fd=1\n"
                                      "  flowop closefile name=close,fd=1 } }\n";
  const ProgramResult result = run_program(
      {kCoreProgram, "workload", "--spec", folder / "make.f", "--mount", mount.folder(), "--seconds", "0"});
  EXPECT_EQ(result.exit_code, 0) << result.output;
  Keys expected = golden("workload");
  expected.erase("progress");  // so few files take no time
  EXPECT_EQ(keys_of(events_of(result.output)), expected);
}

TEST(Contract, AWorkloadIsDescribedWithoutAMount) {
  const ProgramResult result =
      run_program({kCoreProgram, "workload", "--spec", "varmail", "--describe", "--files", "100"});
  EXPECT_EQ(result.exit_code, 0) << result.output;
  Keys expected = golden("workload");
  expected.erase("progress");
  expected.erase("summary");
  EXPECT_EQ(keys_of(events_of(result.output)), expected);
}

TEST(Contract, ModelsPrintsTheGoldenKeys) {
  const ProgramResult result = run_program({kCoreProgram, "models"});
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_EQ(keys_of(events_of(result.output)), golden("models"));
  const ProgramResult one = run_program({kCoreProgram, "models", "--model", "flash-nvme"});
  const auto events = events_of(one.output);
  ASSERT_EQ(events.size(), 3U);
  EXPECT_EQ(events[1]["name"], "flash-nvme");
  EXPECT_EQ(events[2]["models_count"], 1);
}

TEST(Contract, LayoutPrintsTheGoldenKeysOfMountsAndDevices) {
  PATINA_REQUIRE_ROOT();
  const ScratchFolder folder;
  const LoopDevice loop(folder / "device.img", 64ULL << 20U);
  require_program({"mkfs.ext4", "-q", "-b", "4096", "-m", "0", loop.path()});
  const auto printed = [](const char* option, const std::string& place) {
    const ProgramResult result =
        run_program({kCoreProgram, "layout", option, place, "--threads", "2", "--map-cells", "16"});
    EXPECT_EQ(result.exit_code, 0) << result.output;
    return events_of(result.output);
  };
  const auto of_device = printed("--device", loop.path());
  EXPECT_EQ(keys_of(of_device), golden("layout"));
  EXPECT_EQ(of_device.back()["block_map"]["free_blocks"].size(), 16U);
  const Mount mount(loop.path(), folder / "mount", "ext4");
  EXPECT_EQ(keys_of(printed("--mount", mount.folder())), golden("layout"));
}

struct BadCommand {
  const char* name;
  std::vector<std::string> argv;
  int exit_code;
  const char* error_code;
};

class BadCommandLine : public testing::TestWithParam<BadCommand> {};

TEST_P(BadCommandLine, EndsWithAnErrorEventAndItsExitCode) {
  const ProgramResult result = run_program(GetParam().argv);
  EXPECT_EQ(result.exit_code, GetParam().exit_code) << result.output;
  const auto events = events_of(result.output);
  ASSERT_FALSE(events.empty());
  EXPECT_EQ(events.back()["type"], "error");
  EXPECT_EQ(events.back()["code"], GetParam().error_code);
}

TEST(Contract, SimulateTakesSamplesEquallyFarApartInOperations) {
  const auto events =
      events_of(run_program(planned("simulate", {"--capacity", "64MiB", "--samples", "50"})).output);
  const double interval = events.back()["horizon_ops_count"].get<double>() / 50;
  std::vector<double> ticks;
  for (const auto& event : events) {
    if (event["type"] == "sample") ticks.push_back(event["ops_count"].get<double>());
  }
  ASSERT_NEAR(static_cast<double>(ticks.size()), 50, 2);
  for (size_t i = 1; i + 1 < ticks.size(); ++i)
    EXPECT_NEAR(ticks[i] - ticks[i - 1], interval, 0.1 * interval) << i;
}

TEST(Contract, ProfileOnStandardInputIsThatOfTheFile) {
  const std::string profile = built_in_profile_file("meyer");
  const std::string rest = " --fullness 0.7 --capacity 256MiB";
  const std::string core = std::string(kCoreProgram) + " forecast --profile ";
  const std::string piped = require_program({"sh", "-c", "cat " + profile + " | " + core + "-" + rest});
  EXPECT_EQ(piped, require_program({"sh", "-c", core + profile + rest}));
  const ProgramResult endless = run_program({"sh", "-c", core + "- < /dev/zero" + rest});
  EXPECT_EQ(endless.exit_code, 10);
  EXPECT_NE(endless.output.find("is larger than 1048576 bytes"), std::string::npos) << endless.output;
}

INSTANTIATE_TEST_SUITE_P(
    All, BadCommandLine,
    testing::Values(
        BadCommand{"NoCommand", {kCoreProgram}, 2, "usage"},
        BadCommand{"UnknownOption", {kCoreProgram, "forecast", "--nonsense"}, 2, "usage"},
        BadCommand{"ZeroFullness",
                   {kCoreProgram, "forecast", "--profile", built_in_profile_file("meyer"), "--fullness", "0",
                    "--capacity", "1GiB"},
                   2,
                   "usage"},
        BadCommand{"TwoBudgets",
                   planned("forecast", {"--capacity", "1GiB", "--max-ops", "9", "--max-rmse", "1"}), 2,
                   "usage"},
        BadCommand{"WrongUnit", planned("forecast", {"--capacity", "1parsec"}), 2, "usage"},
        BadCommand{"NoProfile",
                   {kCoreProgram, "simulate", "--profile", "/nonexistent", "--fullness", "0.7", "--capacity",
                    "1GiB"},
                   10,
                   "profile_invalid"},
        BadCommand{"TooSmall", planned("simulate", {"--capacity", "64KiB"}), 11, "profile_does_not_fit"},
        BadCommand{"EmptyArgument", planned("age", {"--mount", "/mnt", "", "--checkpoint", "c"}), 2, "usage"},
        BadCommand{"ProfileAndWorkload", planned("age", {"--mount", "/mnt", "--workload", "fsfb"}), 2,
                   "usage"},
        BadCommand{"NeitherProfileNorWorkload",
                   {kCoreProgram, "age", "--mount", "/", "--fullness", "0.7"},
                   2,
                   "usage"},
        BadCommand{"ProfileInPlaceOfControlLines",
                   {kCoreProgram, "age", "--mount", "/", "--profile", "-", "--fullness", "0.7"},
                   2,
                   "usage"},
        BadCommand{"FullnessOfStatfsForAWorkload",
                   {kCoreProgram, "age", "--mount", "/", "--fullness", "0.7", "--workload", "churn",
                    "--fullness-of", "statfs"},
                   2,
                   "usage"},
        BadCommand{
            "ReplayOfNothing", {kCoreProgram, "age", "--mount", "/", "--workload", "replay"}, 2, "usage"},
        BadCommand{"RoundsOfChurn",
                   {kCoreProgram, "age", "--mount", "/", "--fullness", "0.7", "--workload", "churn",
                    "--rounds", "9"},
                   2,
                   "usage"},
        BadCommand{"BudgetOfAWorkload",
                   {kCoreProgram, "age", "--mount", "/", "--fullness", "0.7", "--workload", "fsfb",
                    "--max-rmse", "1"},
                   2,
                   "usage"},
        BadCommand{"NoTree", {kCoreProgram, "scan", "/nonexistent"}, 35, "tree_unreadable"},
        BadCommand{"NoRoot", {kCoreProgram, "scan"}, 2, "usage"},
        BadCommand{"NoMount", planned("age", {"--mount", "/nonexistent"}), 12, "mount_unusable"},
        BadCommand{"LayoutOfNothing", {kCoreProgram, "layout"}, 2, "usage"},
        BadCommand{
            "LayoutOfTwo", {kCoreProgram, "layout", "--mount", "/", "--device", "/dev/null"}, 2, "usage"},
        BadCommand{
            "LayoutOfNoMount", {kCoreProgram, "layout", "--mount", "/nonexistent"}, 12, "mount_unusable"},
        BadCommand{
            "LayoutOfNoDevice", {kCoreProgram, "layout", "--device", "/nonexistent"}, 21, "device_unusable"},
        BadCommand{"WorkloadWithoutASpec", {kCoreProgram, "workload", "--mount", "/"}, 2, "usage"},
        BadCommand{"WorkloadWithoutAMount", {kCoreProgram, "workload", "--spec", "varmail"}, 2, "usage"},
        BadCommand{"HistoryWithoutAFile", {kCoreProgram, "history", "--commits", "1"}, 2, "usage"},
        BadCommand{"UnknownWorkload",
                   {kCoreProgram, "workload", "--spec", "nonsense", "--describe"},
                   39,
                   "workload_invalid"},
        BadCommand{"UnknownModel", {kCoreProgram, "models", "--model", "nonsense"}, 40, "model_invalid"},
        BadCommand{
            "ServeOfNoDisk",
            {kCoreProgram, "shingle", "serve", "--data", "/nonexistent", "--state", "s", "--socket", "k"},
            41,
            "backing_invalid"},
        BadCommand{"CleaningOfAnotherFileSystem",
                   {kCoreProgram, "shingle", "clean", "--mount", "/proc"},
                   12,
                   "mount_unusable"},
        BadCommand{"ExposeOfBands",
                   {kCoreProgram, "shingle", "expose", "--data", "d", "--state", "s", "--path", "p", "--band",
                    "1MiB"},
                   2,
                   "usage"},
        BadCommand{"WorkloadOnNoMount",
                   {kCoreProgram, "workload", "--spec", "varmail", "--mount", "/nonexistent"},
                   12,
                   "mount_unusable"},
        BadCommand{"TraceOfNothing", {kCoreProgram, "trace", "--out", "t"}, 2, "usage"},
        BadCommand{"TraceOfNoDevice",
                   {kCoreProgram, "trace", "--device", "/nonexistent", "--out", "t"},
                   21,
                   "device_unusable"},
        BadCommand{"DeltaOfNoTrace",
                   {kCoreProgram, "delta", "--trace", "/nonexistent", "--device-size", "1GiB", "--out", "d"},
                   37,
                   "trace_invalid"},
        BadCommand{"NoCheckpoint", planned("age", {"--mount", "/", "--resume", "/nonexistent"}), 17,
                   "checkpoint_invalid"}),
    [](const auto& bad) { return bad.param.name; });

TEST(Contract, HelpAndVersionSucceed) {
  EXPECT_EQ(run_program({kCoreProgram, "--version"}).output, "patina-core 0.1.0\n");
  for (const char* command : {"forecast", "simulate", "age", "layout", "capture", "restore", "scan", "trace",
                              "delta", "workload", "models", "history"}) {
    const ProgramResult help = run_program({kCoreProgram, command, "--help"});
    EXPECT_EQ(help.exit_code, 0);
    EXPECT_NE(help.output.find("--"), std::string::npos);
  }
}

TEST(Contract, CapacityTakesBinarySuffixes) {
  const auto capacity = [](const char* text) {
    return events_of(run_program(planned("forecast", {"--capacity", text})).output).back()["capacity_bytes"];
  };
  EXPECT_EQ(capacity("1073741824"), 1U << 30U);
  EXPECT_EQ(capacity("1GiB"), 1U << 30U);
  EXPECT_EQ(capacity("1024 MiB"), 1U << 30U);
  EXPECT_EQ(capacity("2TiB"), 2ULL << 40U);
}

TEST(Contract, SigtermEndsASimulationWithASummary) {
  const ScratchFolder folder;
  const int output = open((folder / "output").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  const pid_t pid =
      spawn_program(planned("simulate", {"--capacity", "1GiB", "--horizon", "100000000000"}), output);
  // The plan is the second line: from there on it runs.
  wait_until("the plan", [&] { return events_of(read_whole_file(folder / "output")).size() >= 2; });
  kill(pid, SIGTERM);
  int status = 0;
  ASSERT_EQ(waitpid(pid, &status, 0), pid);
  close(output);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT_EQ(events_of(read_whole_file(folder / "output")).back()["stop_reason"], "canceled");
}

TEST(Contract, StretchTablePrintsTargetsAndNothingElse) {
  const ProgramResult result = run_program({kCoreProgram, "stretch-table", "--size", "8KiB", "--over", "1MiB",
                                            "--pieces", "2", "--device", "/dev/sdx"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.output, "0 8 linear /dev/sdx 0\n8 8 linear /dev/sdx 1024\n");
}

struct Refused {
  std::vector<std::string> words;
  const char* message;
};

TEST(Contract, AStretchOrARaidThatCannotBeIsRefusedBeforeADiskIsMade) {
  const ScratchFolder folder;
  const std::vector<std::string> table = {"stretch-table", "--pieces", "2", "--over", "1MiB"};
  const std::vector<std::string> disk = {"emulate", "--backing", folder / "disk", "--size", "64MiB"};
  const auto with = [](std::vector<std::string> words, const std::vector<std::string>& more) {
    words.insert(words.begin(), kCoreProgram);
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  const std::vector<Refused> all = {
      {with(table, {"--size", "2MiB", "--device", "/dev/sdx"}), "cannot be laid over"},
      {with(table, {"--size", "1000", "--device", "/dev/sdx"}), "multiple of 512"},
      {with(table, {"--size", "8KiB", "--device", "/dev/a b"}), "has a space"},
      {with(disk, {"--stretch-pieces", "4"}), "--stretch-pieces needs --model"},
      {with(disk, {"--model", "hdd-7200", "--stretch", "1GiB"}), "--stretch needs --stretch-pieces"},
      {with(disk, {"--raid", "0", "--disks", "2"}), "--raid needs --disks and --model"},
      {with(disk, {"--raid", "0", "--model", "hdd-7200"}), "--raid needs --disks and --model"},
      {with(disk, {"--raid", "5", "--disks", "2", "--model", "hdd-7200"}), "an integer from 3 to 64"},
  };
  for (const Refused& refused : all) {
    const ProgramResult result = run_program(refused.words);
    EXPECT_NE(result.exit_code, 0);
    EXPECT_NE(result.output.find(refused.message), std::string::npos) << result.output;
  }
}

}  // namespace
}  // namespace patina
