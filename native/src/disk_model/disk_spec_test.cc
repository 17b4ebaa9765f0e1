#include "disk_model/disk_spec.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "testing/device_testing.h"
#include "testing/disk_model_testing.h"

namespace patina {
namespace {

// The model of that name or file, as a disk of that size.
Result<std::unique_ptr<DiskModel>> made_disk(const std::string& model, uint64_t size_bytes, uint64_t seed) {
  const Result<ModelSpec> spec = read_model(model);
  if (!spec) return spec.error();
  return make_disk_model(*spec, size_bytes, seed);
}

TEST(DiskSpec, EveryBuiltInModelLoadsUnderTheNameOfItsFile) {
  ASSERT_EQ(builtin_disk_models().size(), 6U);
  for (const BuiltinDiskModel& builtin : builtin_disk_models()) {
    const Result<ModelSpec> spec = read_model(std::string(builtin.name));
    ASSERT_TRUE(spec.ok()) << spec.error().message;
    EXPECT_EQ(spec->name, builtin.name);
    EXPECT_TRUE(made_disk(std::string(builtin.name), spec->capacity_bytes, 1).ok());
  }
}

TEST(DiskSpec, TheDisksOfThePaperHaveItsTableI) {
  const ModelSpec small = spec_of(builtin_model("hitachi-80gb"));
  const ModelSpec large = spec_of(builtin_model("hitachi-1tb"));
  const auto cylinders = [](const ModelSpec& model) {
    uint32_t sum = 0;
    for (const ZoneSpec& zone : std::get<RotatingSpec>(model.disk).zones) sum += zone.cylinders_count;
    return sum;
  };
  EXPECT_EQ(cylinders(small), 88'283U);
  EXPECT_EQ(cylinders(large), 147'583U);
  const auto& disk = std::get<RotatingSpec>(large.disk);
  EXPECT_EQ(disk.zones.size(), 30U);
  EXPECT_EQ(disk.zones.front().track_sectors, 1680U);
  EXPECT_EQ(disk.zones.back().track_sectors, 840U);
  EXPECT_EQ(disk.head_switch_ns, 1'400'000U);
  EXPECT_EQ(disk.cylinder_switch_ns, 1'600'000U);
  EXPECT_EQ(disk.bus_bytes_per_s, 133'000'000U);
}

TEST(DiskSpec, AnEmulatedDiskIsNotLargerThanTheModelledOne) {
  EXPECT_TRUE(made_disk("hitachi-80gb", 80'026'361'856, 1).ok());
  const auto refused = made_disk("hitachi-80gb", 80'026'361'857, 1);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kModelInvalid);
  EXPECT_NE(refused.error().message.find("80026361856"), std::string::npos) << refused.error().message;
}

TEST(DiskSpec, AnUnknownNameNamesTheBuiltInOnes) {
  const auto refused = made_disk("hitachi", 4096, 1);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("flash-nvme, flash-sata, hdd-7200"), std::string::npos);
}

TEST(DiskSpec, AFileIsReadByItsPathAndNamedInErrors) {
  const ScratchFolder folder;
  std::ofstream(folder / "mine.json") << small_rotating().dump();
  EXPECT_TRUE(made_disk(folder / "mine.json", 4096, 1).ok());
  std::ofstream(folder / "bad.json") << "{";
  const auto refused = made_disk(folder / "bad.json", 4096, 1);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kModelInvalid);
  EXPECT_EQ(refused.error().message, (folder / "bad.json") + ": the model is not JSON");
  EXPECT_FALSE(made_disk(folder / "none.json", 4096, 1).ok());
}

TEST(DiskSpec, TheCapacityOfARaidIsThatOfItsLevel) {
  const uint64_t member = spec_of(builtin_model("hdd-7200")).capacity_bytes / 65'536 * 65'536;
  EXPECT_EQ(spec_of(raid_of(0, 4, "hdd-7200")).capacity_bytes, 4 * member);
  EXPECT_EQ(spec_of(raid_of(5, 4, "hdd-7200")).capacity_bytes, 3 * member);
  EXPECT_EQ(spec_of(raid_of(1, 4, "hdd-7200")).capacity_bytes, 2'000'398'934'016U);
}

TEST(DiskSpec, ARaidOfEqualDisksIsThatOfAFile) {
  const Result<ModelSpec> raid = raid_of_equals(spec_of(builtin_model("hitachi-1tb")), 5, 4);
  ASSERT_TRUE(raid.ok());
  nlohmann::json file = raid_of(5, 4, "hitachi-1tb");
  file.erase("chunk_bytes");
  EXPECT_EQ(raid->capacity_bytes, spec_of(file).capacity_bytes);
  const auto& disk = std::get<RaidSpec>(raid->disk);
  EXPECT_EQ(disk.chunk_bytes, 512U << 10U);
  EXPECT_TRUE(disk.synchronized_spindles);
  const auto refused = [](const nlohmann::json& member, uint32_t level, uint32_t disks_count) {
    return raid_of_equals(spec_of(member), level, disks_count).error();
  };
  EXPECT_EQ(refused(builtin_model("flash-sata"), 5, 2).message,
            "'members_count' is 2; it must be an integer from 3 to 64");
  EXPECT_EQ(refused(builtin_model("flash-sata"), 4, 4).code, ErrorCode::kModelInvalid);
  EXPECT_EQ(refused(raid_of(0, 2, "flash-sata"), 1, 2).message,
            "raid is a RAID; the disks of a RAID must be rotating or flash");
}

// A change of a valid model, and what the error then names.
struct Wrong {
  const char* name;
  const char* model;  // empty: the small RAID
  const char* pointer;
  nlohmann::json value;
  const char* message;
};

class WrongModel : public testing::TestWithParam<Wrong> {};

TEST_P(WrongModel, IsRefusedWithThePlaceAndTheRange) {
  const Wrong& wrong = GetParam();
  nlohmann::json document =
      *wrong.model == '\0' ? raid_of(5, 3, builtin_model("flash-sata")) : builtin_model(wrong.model);
  document[nlohmann::json::json_pointer(wrong.pointer)] = wrong.value;
  const Result<ModelSpec> refused = parse_model(document.dump());
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kModelInvalid);
  EXPECT_EQ(refused.error().message, wrong.message);
}

INSTANTIATE_TEST_SUITE_P(
    All, WrongModel,
    testing::Values(
        Wrong{"Zone", "hitachi-80gb", "/zones/3/track_sectors", 0,
              "'zones[3].track_sectors' is 0; it must be an integer from 1 to 65536"},
        Wrong{"Negative", "hitachi-80gb", "/rpm", -1, "'rpm' is -1; it must be an integer from 60 to 100000"},
        Wrong{"Fraction", "hitachi-80gb", "/heads_count", 1.5,
              "'heads_count' is 1.5; it must be an integer from 1 to 64"},
        Wrong{"Text", "hitachi-80gb", "/seek/long_factor_us", "fast",
              "'seek.long_factor_us' is \"fast\"; it must be a number from 0 to 1000"},
        Wrong{"NoZones", "hitachi-80gb", "/zones", nlohmann::json::array(),
              "'zones' must be a list of 1 to 1024 objects"},
        Wrong{"ZoneOfNumbers", "hitachi-80gb", "/zones/0", 7, "'zones[0]' is not a JSON object"},
        Wrong{"TooLargeForItsZones", "hitachi-80gb", "/capacity_bytes", 90'000'000'000,
              "'capacity_bytes' is 90000000000; the zones hold 80026396672"},
        Wrong{"UnknownKey", "hitachi-80gb", "/colour", "blue", "'colour' is not a known key"},
        Wrong{"UnknownKeyWithin", "hitachi-80gb", "/read_cache/kind", "LRU",
              "'read_cache.kind' is not a known key"},
        Wrong{"NoFlag", "hitachi-80gb", "/read_cache/read_ahead", 1,
              "'read_cache.read_ahead' is 1; it must be true or false"},
        Wrong{"QueueNeverResumes", "hitachi-80gb", "/queue/resume_count", 160,
              "'queue.resume_count' is 160; it must be less than entries_count, which is 160"},
        Wrong{"EmptyLabel", "hitachi-80gb", "/label", "",
              "'label' is \"\"; it must be a text of 1 to 128 bytes"},
        Wrong{"Kind", "hitachi-80gb", "/kind", "tape",
              "'kind' is \"tape\"; it must be one of rotating, flash, raid"},
        Wrong{"OddUnit", "flash-sata", "/mapping_unit_bytes", 3000,
              "'mapping_unit_bytes' is 3000; it must divide page_bytes, which is 16384"},
        Wrong{"NoSpare", "flash-sata", "/over_provisioning_fraction", 0,
              "'over_provisioning_fraction' is 0; it must be a number from 0.01 to 4"},
        Wrong{"Level", "", "/level", 6, "'level' is 6; it must be an integer from 0 to 5"},
        Wrong{"Level4", "", "/level", 4, "'level' is 4; it must be 0, 1 or 5"},
        Wrong{"TwoMembers", "", "/members_count", 2,
              "'members_count' is 2; it must be an integer from 3 to 64"},
        Wrong{"OddChunk", "", "/chunk_bytes", 5000, "'chunk_bytes' is 5000; it must be a power of two"},
        Wrong{"ValueOfAMember", "", "/member/channels_count", 0,
              "'member.channels_count' is 0; it must be an integer from 1 to 64"},
        Wrong{"MemberIsARaid", "", "/member/kind", "raid",
              "'member.kind' is raid; the member of a RAID must be rotating or flash"},
        Wrong{"UnknownMember", "", "/member", "mine",
              "'member' is not a built-in model; they are caveat-7200, flash-nvme, flash-sata, hdd-7200, "
              "hitachi-1tb, hitachi-80gb. Another one is given as an object"}),
    [](const auto& wrong) { return wrong.param.name; });

TEST(DiskSpec, AMissingValueIsNamed) {
  nlohmann::json document = builtin_model("flash-nvme");
  document.erase("page_read_us");
  EXPECT_EQ(parse_model(document.dump()).error().message, "'page_read_us' is missing");
}

}  // namespace
}  // namespace patina
