// SMRfs on a device of its own: made, mounted, checked, measured, and left alone by what does not know it.
#include "smrfs/smr_device.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <numeric>

#include "base/random.h"
#include "layout/file_extents.h"
#include "layout/settled_mount.h"
#include "layout/space_map.h"
#include "layout/unmounted.h"
#include "shingle/caveat_disk.h"
#include "shingle/strict_append_disk.h"
#include "smrfs/reported.h"
#include "testing/smrfs_testing.h"
#include "testing/test_places.h"

namespace patina {
namespace {

using Json = nlohmann::ordered_json;

constexpr uint64_t kDeviceBytes = uint64_t{64} << 20U;
constexpr uint64_t kBlockBytes = 4096;

struct DiskOptions {
  const char* name;
  std::vector<std::string> words;
};

std::vector<std::pair<uint64_t, uint64_t>> ends_of(const std::vector<ByteRange>& ranges) {
  std::vector<std::pair<uint64_t, uint64_t>> ends;
  ends.reserve(ranges.size());
  for (const ByteRange& each : ranges) ends.emplace_back(each.begin_bytes, each.end_bytes);
  return ends;
}

class SmrDeviceTest : public testing::TestWithParam<DiskOptions> {
 protected:
  void SetUp() override {
    PATINA_REQUIRE_ROOT();
    device_ = std::make_unique<LoopDevice>(folder_ / "device", kDeviceBytes);
  }

  ProgramResult core(const std::vector<std::string>& words) const {
    std::vector<std::string> argv = {kCoreProgram};
    argv.insert(argv.end(), words.begin(), words.end());
    return run_program(argv);
  }
  ProgramResult format() const {
    std::vector<std::string> words = {"shingle", "format", "--device", device_->path(), "--uuid", kUuid};
    words.insert(words.end(), GetParam().words.begin(), GetParam().words.end());
    return core(words);
  }
  ProgramResult check() const { return core({"shingle", "check", "--device", device_->path()}); }

  // The record of this type.
  static Json record(const std::string& output, const std::string& type) {
    std::istringstream in(output);
    for (std::string line; std::getline(in, line);) {
      Json event = Json::parse(line, nullptr, /*allow_exceptions=*/false);
      if (event.is_object() && event.value("type", "") == type) return event;
    }
    return {};
  }
  static Json block_map(const std::vector<std::string>& place) {
    std::vector<std::string> argv = {kCoreProgram, "layout", "--map-cells", "64"};
    argv.insert(argv.end(), place.begin(), place.end());
    return record(require_program(argv), "layout")["block_map"];
  }
  static std::vector<std::string> keys_of(const Json& object) {
    std::vector<std::string> keys;
    for (const auto& [key, value] : object.items()) keys.push_back(key);
    return keys;
  }
  static uint64_t sum_of(const Json& column) {
    const auto blocks = column.get<std::vector<uint64_t>>();
    return std::accumulate(blocks.begin(), blocks.end(), uint64_t{0});
  }
  // By the state of the disk.
  uint64_t damaged_count() const {
    SmrPlace place{.device = device_->path(), .disk = {}, .metadata = {}};
    const Result<std::optional<SmrDevice>> opened = open_place(place, true);
    EXPECT_TRUE(opened.ok());
    if (!StrictAppendDisk::has_state(place.disk.state)) {
      return (*CaveatDisk::open(place.disk.data, place.disk.state))->damaged_count();
    }
    const auto disk = StrictAppendDisk::open(place.disk.data, place.disk.state);
    uint64_t count = 0;
    for (uint64_t band = 0; band < (*disk)->modesense().bands_count; ++band) {
      count += (*disk)->modesense().band_sectors - *(*disk)->get(band);
    }
    return count;
  }
  // Writes files, and deletes every third one.
  static void fill(const SmrFs& files) {
    Random random(7);
    for (int i = 0; i < kFilesCount; ++i) {
      std::ofstream(files / name_of(i)) << random_bytes(1 + random.below(60000), static_cast<uint32_t>(i));
    }
    for (int i = 0; i < kFilesCount; i += 3) std::filesystem::remove(files / name_of(i));
  }
  static std::string name_of(int i) { return "f" + std::to_string(i); }

  static constexpr int kFilesCount = 300;
  static constexpr const char* kUuid = "4d83500f-fa7a-47b1-a19f-4e591545b2a2";

  const ScratchFolder folder_;
  std::unique_ptr<LoopDevice> device_;
};

TEST_P(SmrDeviceTest, HasItsFilesAgainWhenItIsMountedAgain) {
  ASSERT_EQ(format().exit_code, 0);
  EXPECT_NE(run_program({"blkid", "-p", device_->path()}).output.find(kUuid), std::string::npos);
  SmrFs files(*device_);
  fill(files);
  const std::string before = read_whole_file(files / name_of(1));
  EXPECT_EQ(check().exit_code, static_cast<int>(ErrorCode::kDeviceBusy));
  EXPECT_EQ(format().exit_code, static_cast<int>(ErrorCode::kDeviceBusy));
  const Json summary = files.stop();
  const ProgramResult checked = check();
  EXPECT_EQ(checked.exit_code, 0) << checked.output;
  const Json found = record(checked.output, "summary");
  EXPECT_EQ(found["files_count"], kFilesCount - kFilesCount / 3);
  EXPECT_EQ(found["allocated_blocks"], summary["allocated_blocks"]);
  files.start();
  EXPECT_EQ(read_whole_file(files / name_of(1)), before);
}

TEST_P(SmrDeviceTest, ReportsItsFreeSpaceAndTheExtentsOfFilesWhileMounted) {
  ASSERT_EQ(format().exit_code, 0);
  SmrFs files(*device_);
  fill(files);
  const Result<Descriptor> root = open_settled_mount(files.path());
  ASSERT_TRUE(root.ok());
  const Result<SpaceMap> map = read_space_map(root->get());
  ASSERT_TRUE(map.ok()) << map.error().message;
  // Each byte of a file is where its extents say, and in no free extent.
  const int device = ::open(device_->path().c_str(), O_RDONLY | O_CLOEXEC);
  uint64_t free_bytes = 0;
  for (const ByteRange& each : map->free_extents) free_bytes += each.end_bytes - each.begin_bytes;
  uint64_t live_bytes = 0;
  for (const auto& entry : std::filesystem::directory_iterator(files.path())) {
    const std::string content = read_whole_file(entry.path());
    const Descriptor file(::open(entry.path().c_str(), O_RDONLY | O_CLOEXEC));
    std::vector<FileExtent> extents;
    ASSERT_TRUE(FileExtentReader().read(file.get(), extents).ok());
    uint64_t covered_bytes = 0;
    for (const FileExtent& each : extents) {
      std::string found(each.length_bytes, '\0');
      ASSERT_EQ(::pread(device, found.data(), found.size(), static_cast<off_t>(each.physical_bytes)),
                static_cast<ssize_t>(found.size()));
      const std::string expected = content.substr(each.logical_bytes, each.length_bytes);
      EXPECT_EQ(found.substr(0, expected.size()), expected) << entry.path();
      covered_bytes += each.length_bytes;
      for (const ByteRange& range : map->free_extents) {
        EXPECT_TRUE(each.physical_end_bytes() <= range.begin_bytes || each.physical_bytes >= range.end_bytes);
      }
    }
    EXPECT_GE(covered_bytes, content.size());
    live_bytes += covered_bytes;
  }
  ::close(device);
  const Json summary = files.stop();
  EXPECT_EQ(free_bytes, summary["free_blocks"].get<uint64_t>() * kBlockBytes);
  EXPECT_EQ(live_bytes, summary["allocated_blocks"].get<uint64_t>() * kBlockBytes);
}

TEST_P(SmrDeviceTest, HasTheSameLayoutMountedAndUnmounted) {
  ASSERT_EQ(format().exit_code, 0);
  SmrFs files(*device_);
  fill(files);
  const Json measured = record(require_program({kCoreProgram, "layout", "--mount", files.path()}), "layout");
  EXPECT_EQ(measured["files"]["files_count"], kFilesCount - kFilesCount / 3);
  const Json summary = files.stop();
  EXPECT_EQ(measured["free_extents"]["free_blocks_count"], summary["free_blocks"]);
  const Json unmounted =
      record(require_program({kCoreProgram, "layout", "--device", device_->path()}), "layout");
  EXPECT_EQ(measured["free_extents"], unmounted["free_extents"]);
  EXPECT_EQ(measured["files"], unmounted["files"]);
  EXPECT_EQ(measured["layout_digest"], unmounted["layout_digest"]);
}

TEST_P(SmrDeviceTest, TellsWhichFreeBlocksAreUnusableOrMaybeDamaged) {
  ASSERT_EQ(format().exit_code, 0);
  SmrFs files(*device_);
  fill(files);
  const Json mounted = block_map({"--mount", files.path()});
  const Json summary = files.stop();
  const Json& shingled = mounted["shingled"];
  const std::string golden =
      read_whole_file(std::string(kCheckoutFolder) + "/native/contract/layout_smrfs.jsonl");
  EXPECT_EQ(keys_of(mounted), keys_of(record(golden, "layout")["block_map"]));
  EXPECT_EQ(keys_of(shingled), keys_of(record(golden, "layout")["block_map"]["shingled"]));
  EXPECT_EQ(shingled, block_map({"--device", device_->path()})["shingled"]);
  EXPECT_EQ(sum_of(mounted["data_blocks"]), summary["allocated_blocks"]);
  EXPECT_EQ(sum_of(mounted["free_blocks"]), summary["free_blocks"]);
  const uint64_t first_block =
      (mounted["device_bytes"].get<uint64_t>() / kBlockBytes) - summary["total_blocks"].get<uint64_t>();
  EXPECT_EQ(sum_of(mounted["metadata_blocks"]), first_block);
  EXPECT_GT(sum_of(shingled["unusable_blocks"]), 0U);
  EXPECT_EQ(sum_of(shingled["unusable_blocks"]), summary["unusable_blocks"]);
  EXPECT_EQ(sum_of(shingled["damaged_blocks"]), damaged_count());
  for (size_t i = 0; i < shingled["damaged_blocks"].size(); ++i) {
    const auto at = [i](const Json& column) { return column[i].get<uint64_t>(); };
    const uint64_t both = at(shingled["unusable_and_damaged_blocks"]);
    EXPECT_LE(at(shingled["unusable_blocks"]) + at(shingled["damaged_blocks"]) - both,
              at(mounted["free_blocks"]));
    EXPECT_LE(both, std::min(at(shingled["unusable_blocks"]), at(shingled["damaged_blocks"])));
  }
}

TEST_P(SmrDeviceTest, IsWholeAfterAKill) {
  ASSERT_EQ(format().exit_code, 0);
  SmrFs files(*device_);
  fill(files);
  files.kill();
  // The kernel unmounts the metadata partition after the process has ended.
  ProgramResult checked;
  wait_until("the device is free", [&] {
    checked = check();
    return checked.exit_code != static_cast<int>(ErrorCode::kDeviceBusy);
  });
  EXPECT_EQ(checked.exit_code, 0) << checked.output;
  files.start();
  files.stop();
  EXPECT_EQ(check().exit_code, 0);
}

TEST_P(SmrDeviceTest, IsCapturedWithoutUnusedSpaceAndRestored) {
  ASSERT_EQ(format().exit_code, 0);
  SmrFs files(*device_);
  fill(files);
  const std::string before = read_whole_file(files / name_of(1));
  files.stop();
  const std::string store = folder_ / "store";
  const std::string index = folder_ / "image.caibx";
  require_program({kCoreProgram, "capture", "--device", device_->path(), "--store", store, "--index", index,
                   "--mode", "allocated"});
  const Json layout =
      record(require_program({kCoreProgram, "layout", "--device", device_->path()}), "layout");
  // What is not in the image is zeroed.
  write_at(device_->path(), 0, std::string(kDeviceBytes, '\xff'));
  require_program({kCoreProgram, "restore", "--device", device_->path(), "--store", store, "--index", index});
  EXPECT_EQ(check().exit_code, 0);
  const Json restored =
      record(require_program({kCoreProgram, "layout", "--device", device_->path()}), "layout");
  EXPECT_EQ(layout["layout_digest"], restored["layout_digest"]);
  files.start();
  EXPECT_EQ(read_whole_file(files / name_of(1)), before);
}

TEST_P(SmrDeviceTest, IsNotSoundWhereE2fsckFindsErrors) {
  ASSERT_EQ(format().exit_code, 0);
  {
    SmrFs files(*device_);
    fill(files);
    files.stop();
  }
  require_program({"debugfs", "-w", "-R", "clri /files/" + name_of(1), device_->path()});
  const ProgramResult checked = check();
  EXPECT_EQ(checked.exit_code, static_cast<int>(ErrorCode::kDeviceUnusable)) << checked.output;
  EXPECT_NE(checked.output.find("e2fsck failed with exit status 4"), std::string::npos) << checked.output;
}

TEST_P(SmrDeviceTest, IsNotMadeOnADeviceThatIsTooSmall) {
  const LoopDevice small(folder_ / "small", uint64_t{16} << 20U);
  EXPECT_EQ(core({"shingle", "format", "--device", small.path()}).exit_code,
            static_cast<int>(ErrorCode::kDeviceTooSmall));
  EXPECT_EQ(core({"shingle", "format", "--device", device_->path(), "--partition", "64MiB"}).exit_code,
            static_cast<int>(ErrorCode::kDeviceTooSmall));
}

TEST_P(SmrDeviceTest, IsRefusedWhereThereIsNone) {
  require_program({"mkfs.ext4", "-q", device_->path()});
  const ProgramResult mounted =
      core({"shingle", "mount", "--device", device_->path(), "--mount", folder_.path()});
  EXPECT_EQ(mounted.exit_code, static_cast<int>(ErrorCode::kDeviceUnusable)) << mounted.output;
  EXPECT_EQ(check().exit_code, static_cast<int>(ErrorCode::kDeviceUnusable));
  EXPECT_EQ(core({"shingle", "check", "--data", "x"}).exit_code, static_cast<int>(ErrorCode::kUsage));
  EXPECT_EQ(core({"shingle", "check", "--device", device_->path(), "--data", "x"}).exit_code,
            static_cast<int>(ErrorCode::kUsage));
}

INSTANTIATE_TEST_SUITE_P(Interfaces, SmrDeviceTest,
                         testing::Values(DiskOptions{"Caveat", {"--did", "16"}},
                                         DiskOptions{"StrictAppend",
                                                     {"--interface", "strict-append", "--band", "1MiB"}}),
                         [](const auto& each) { return each.param.name; });

// More free extents and more damaged ranges than one answer has.
TEST(SmrReportsTest, AreTheSameInSeveralAnswers) {
  PATINA_REQUIRE_ROOT();
  constexpr int kGroupsCount = static_cast<int>(kMostReported) + 50;
  const ScratchFolder folder;
  const LoopDevice device(folder / "device", 4 * kDeviceBytes);  // a name takes 16 KiB of it
  require_program({kCoreProgram, "shingle", "format", "--device", device.path(), "--did", "1"});
  SmrFs files(device);
  const auto write_block = [&files](const std::string& name) {
    std::ofstream file(files / name);
    file << random_bytes(kBlockBytes, 1);
    file.close();
    ASSERT_TRUE(file.good()) << name;
  };
  // One block remains of four; two are placed behind it, which damages the fourth.
  for (int i = 0; i < 4 * kGroupsCount; ++i) write_block(std::to_string(i));
  for (int i = 0; i < 4 * kGroupsCount; ++i) {
    if (i % 4 == 0) continue;
    ASSERT_TRUE(std::filesystem::remove(files / std::to_string(i)));
  }
  for (int i = 0; i < 2 * kGroupsCount; ++i) write_block("again" + std::to_string(i));
  Result<SpaceMap> mounted = SpaceMap();
  {
    const Result<Descriptor> root = open_settled_mount(files.path());
    ASSERT_TRUE(root.ok());
    mounted = read_space_map(root->get());
  }
  ASSERT_TRUE(mounted.ok()) << mounted.error().message;
  EXPECT_GT(mounted->free_extents.size(), kMostReported);
  EXPECT_GT(mounted->damaged.size(), kMostReported);
  files.stop();
  const Result<std::unique_ptr<Unmounted>> unmounted = Unmounted::open(device.path());
  ASSERT_TRUE(unmounted.ok()) << unmounted.error().message;
  const Result<SpaceMap> expected = (*unmounted)->space();
  ASSERT_TRUE(expected.ok()) << expected.error().message;
  EXPECT_EQ(ends_of(mounted->free_extents), ends_of(expected->free_extents));
  EXPECT_EQ(ends_of(mounted->unusable), ends_of(expected->unusable));
  EXPECT_EQ(ends_of(mounted->damaged), ends_of(expected->damaged));
}

TEST(SmrCheckTest, NamesAFileThatAWriteBeforeItMayHaveDamaged) {
  PATINA_REQUIRE_ROOT();
  const ScratchFolder folder;
  make_data_file(folder.path(), 1000 * kBlockBytes);
  SmrFs files(folder.path(), {"--did", "16", "--policy", "first"});
  std::ofstream(files / "first") << random_bytes(40000, 1);
  std::ofstream(files / "second") << random_bytes(40000, 2);
  files.stop();
  const std::vector<std::string> words = {kCoreProgram,  "shingle",    "check",
                                          "--data",      files.data(), "--state",
                                          files.state(), "--metadata", files.metadata()};
  EXPECT_EQ(run_program(words).exit_code, 0);
  const Result<std::unique_ptr<CaveatDisk>> disk = CaveatDisk::open(files.data(), files.state());
  ASSERT_TRUE(disk.ok());
  ASSERT_TRUE((*disk)->write(0, std::vector<uint8_t>(10 * kBlockBytes)).ok());
  const ProgramResult checked = run_program(words);
  EXPECT_EQ(checked.exit_code, static_cast<int>(ErrorCode::kBackingInvalid)) << checked.output;
  EXPECT_NE(checked.output.find(R"("path":"second")"), std::string::npos) << checked.output;
  EXPECT_EQ(checked.output.find(R"("path":"first")"), std::string::npos) << checked.output;
}

}  // namespace
}  // namespace patina
