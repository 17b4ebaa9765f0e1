#include "disk_model/raid.h"

#include <gtest/gtest.h>

#include "testing/disk_model_testing.h"

namespace patina {
namespace {

using Kind = DiskRequest::Kind;

nlohmann::json plain_disk() {
  nlohmann::json model = builtin_model("hitachi-80gb");
  model.erase("queue");
  return model;
}

double read_s(DiskModel& disk, uint64_t bytes) {
  return static_cast<double>(disk.end_ns({Kind::kRead, 0, bytes}, 0)) / 1e9;
}

TEST(Raid, Level0StreamsAtTheRateOfAllMembers) {
  const double one = read_s(*disk_of(plain_disk()), 256 << 20U);
  for (const uint32_t members : {2U, 4U, 8U}) {
    const double all = read_s(*disk_of(raid_of(0, members, plain_disk())), 256ULL * members << 20U);
    EXPECT_NEAR(all / one, 1, 0.02) << members;
  }
}

TEST(Raid, Level5StreamsAtTheRateOfItsDataMembers) {
  const double one = read_s(*disk_of(plain_disk()), 256 << 20U);
  const auto raid = disk_of(raid_of(5, 5, plain_disk()));
  // Reads pass over the parity.
  EXPECT_NEAR(read_s(*raid, 256ULL * 4 << 20U) / one, 1, 0.02);
  const auto written = disk_of(raid_of(5, 5, plain_disk()));
  const double write_s = static_cast<double>(written->end_ns({Kind::kWrite, 0, 256ULL * 4 << 20U}, 0)) / 1e9;
  EXPECT_NEAR(write_s / one, 1, 0.05);
}

uint64_t sum_of(const nlohmann::ordered_json& report, const char* key) {
  uint64_t sum = 0;
  for (const auto& member : report["members"]) sum += member[key].get<uint64_t>();
  return sum;
}

TEST(Raid, Level0SendsASmallRequestToOneMember) {
  const auto raid = disk_of(raid_of(0, 4, plain_disk()));
  raid->end_ns({Kind::kRead, uint64_t{3} * 65'536, 4096}, 0);
  EXPECT_EQ(raid->report()["members"][3]["reads_count"], 1);
  EXPECT_EQ(sum_of(raid->report(), "reads_count"), 1U);
}

TEST(Raid, Level1WritesToAllAndReadsFromTheOneThatIsFree) {
  const auto raid = disk_of(raid_of(1, 3, plain_disk()));
  const uint64_t at = raid->end_ns({Kind::kWrite, 0, 4096}, 0);
  EXPECT_EQ(sum_of(raid->report(), "writes_count"), 3U);
  for (uint64_t i = 0; i < 3; ++i) raid->end_ns({Kind::kRead, i << 32U, 4096}, at);
  const nlohmann::ordered_json report = raid->report();
  for (const auto& member : report["members"]) EXPECT_EQ(member["reads_count"], 1);
}

TEST(Raid, Level1ReadsAStreamFromOneMember) {
  const auto raid = disk_of(raid_of(1, 2, plain_disk()));
  uint64_t at = 0;
  for (uint64_t i = 0; i < 20; ++i) at = raid->end_ns({Kind::kRead, (1 << 30U) + i * 4096, 4096}, at);
  EXPECT_EQ(raid->report()["members"][0]["reads_count"].get<uint64_t>() % 20, 0U);
}

TEST(Raid, WritesOfUnsynchronizedMirrorsWaitForTheSlowest) {
  Load load;
  load.kind = Kind::kWrite;
  load.requests_count = 5000;
  const double together =
      requests_per_s(*disk_of(raid_of(1, 3, plain_disk(), true)), 80'000'000'000, load, 1);
  const double apart = requests_per_s(*disk_of(raid_of(1, 3, plain_disk(), false)), 80'000'000'000, load, 1);
  EXPECT_LT(apart, 0.95 * together);
}

TEST(Raid, Level5ReadsBeforeItWritesAPartOfAStripe) {
  const auto small = disk_of(raid_of(5, 4, plain_disk()));
  const uint64_t end = small->end_ns({Kind::kWrite, 0, 4096}, 0);
  // The data and the parity: two members read, two written, the writes a revolution after the reads.
  EXPECT_EQ(sum_of(small->report(), "reads_count"), 2U);
  EXPECT_EQ(sum_of(small->report(), "writes_count"), 2U);
  EXPECT_GT(end, 8'333'333U);
  const auto most = disk_of(raid_of(5, 4, plain_disk()));
  most->end_ns({Kind::kWrite, 0, uint64_t{2} * 65'536}, 0);
  // Two of three chunks: the third is read, two and the parity are written.
  EXPECT_EQ(sum_of(most->report(), "reads_count"), 1U);
  EXPECT_EQ(sum_of(most->report(), "writes_count"), 3U);
  const auto whole = disk_of(raid_of(5, 4, plain_disk()));
  whole->end_ns({Kind::kWrite, 0, uint64_t{3} * 65'536}, 0);
  EXPECT_EQ(sum_of(whole->report(), "reads_count"), 0U);
  EXPECT_EQ(sum_of(whole->report(), "writes_count"), 4U);
}

TEST(Raid, AFlushReachesAllMembers) {
  const auto raid = disk_of(raid_of(5, 3, small_flash()));
  raid->end_ns({Kind::kFlush, 0, 0}, 0);
  EXPECT_EQ(sum_of(raid->report(), "flushes_count"), 3U);
}

}  // namespace
}  // namespace patina
