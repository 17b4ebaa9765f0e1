// Table III of David (Agrawal et al., ACM TOS 7(4), 2012): requests of 4 KiB a second on one disk and on
// RAID-1 of two and three, by as many processes as there are disks. The disk that is fitted to it is
// hitachi-80gb.
#include <gtest/gtest.h>

#include "testing/disk_model_testing.h"

namespace patina {
namespace {

constexpr double kWithin = 0.03;
constexpr uint64_t kCapacityBytes = 80'026'361'856;

struct Row {
  const char* name;
  const char* model;
  uint32_t disks_count;
  DiskRequest::Kind kind;
  bool is_random;
  double per_s;
};

class PaperTable : public testing::TestWithParam<Row> {};

TEST_P(PaperTable, HoldsWithinThreePercentForEachSeed) {
  const Row& row = GetParam();
  nlohmann::json document = builtin_model(row.model);
  // The paper's sequential reads had no read-ahead: each waits for a revolution.
  if (!row.is_random) document.erase("read_cache");
  if (row.disks_count > 1) document = raid_of(1, row.disks_count, document);
  Load load;
  load.kind = row.kind;
  load.is_random = row.is_random;
  load.processes_count = row.is_random ? row.disks_count : 1;
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    const double found = requests_per_s(*disk_of(document, seed), kCapacityBytes, load, seed);
    RecordProperty("seed_" + std::to_string(seed), std::to_string(found));
    EXPECT_NEAR(found / row.per_s, 1, kWithin) << found << " requests a second, seed " << seed;
  }
}

constexpr auto kRead = DiskRequest::Kind::kRead;
constexpr auto kWrite = DiskRequest::Kind::kWrite;

INSTANTIATE_TEST_SUITE_P(All, PaperTable,
                         testing::Values(Row{"RandomReads1", "hitachi-80gb", 1, kRead, true, 78.66},
                                         Row{"RandomReads2", "hitachi-80gb", 2, kRead, true, 156.76},
                                         Row{"RandomReads3", "hitachi-80gb", 3, kRead, true, 232.77},
                                         Row{"RandomWrites1", "hitachi-80gb", 1, kWrite, true, 71.88},
                                         Row{"RandomWrites2", "hitachi-80gb", 2, kWrite, true, 72.02},
                                         Row{"RandomWrites3", "hitachi-80gb", 3, kWrite, true, 72.37},
                                         Row{"SequentialReads", "hitachi-80gb", 1, kRead, false, 118.65},
                                         Row{"SequentialWrites", "hitachi-80gb", 1, kWrite, false, 118.65},
                                         Row{"SequentialWrites3", "hitachi-80gb", 3, kWrite, false, 118.65}),
                         [](const auto& row) { return row.param.name; });

// The larger disk is fitted to the same random reads and writes, over all of its cylinders.
TEST(PaperTable1tb, RandomReadsAndWritesAreThoseOfTheSmallerDisk) {
  const nlohmann::json document = builtin_model("hitachi-1tb");
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    Load load;
    EXPECT_NEAR(requests_per_s(*disk_of(document, seed), 1'000'204'886'016, load, seed) / 78.66, 1, kWithin);
    load.kind = kWrite;
    EXPECT_NEAR(requests_per_s(*disk_of(document, seed), 1'000'204'886'016, load, seed) / 71.88, 1, kWithin);
  }
}

}  // namespace
}  // namespace patina
