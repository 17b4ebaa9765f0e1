// Against a plain table of blocks, and the cleaner's promise.
#include "shingle/banded_space.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "base/random.h"
#include "testing/property_testing.h"

namespace patina {
namespace {

constexpr uint64_t kBands = 12;
constexpr uint64_t kBandBlocks = 40;

// Places files, and cleans by moving them, as SMRfs does.
class Files {
 public:
  explicit Files(const CleaningPolicy& policy) : space_(kBands, kBandBlocks, policy) {}

  bool create(uint64_t count) {
    std::vector<BlockExtent> places = space_.allocate(count, PlacedBy::kUser);
    while (places.empty() && clean()) places = space_.allocate(count, PlacedBy::kUser);
    if (places.empty()) return false;
    take(places);
    files_.push_back(places);
    return true;
  }
  void remove(size_t file) {
    for (const BlockExtent& each : files_[file]) give_back(each);
    files_.erase(files_.begin() + static_cast<std::ptrdiff_t>(file));
  }
  size_t files_count() const { return files_.size(); }
  uint64_t live_count() const { return live_.size(); }

  void expect_sound() const {
    ASSERT_EQ(space_.live_count(), live_.size());
    std::vector<uint64_t> live_of(kBands);
    for (const auto& [block, is_live] : live_) ++live_of[space_.band_of(block)];
    for (uint64_t band = 0; band < kBands; ++band) ASSERT_EQ(space_.live_count_of(band), live_of[band]);
    ASSERT_LE(space_.live_count() + space_.dead_count(), space_.blocks_count());
    for (const auto& file : files_) {
      for (const BlockExtent& each : file) {
        ASSERT_EQ(space_.band_of(each.first), space_.band_of(each.end() - 1));
      }
    }
  }

 private:
  void take(const std::vector<BlockExtent>& places) {
    for (const BlockExtent& each : places) {
      for (uint64_t i = 0; i < each.count; ++i) ASSERT_TRUE(live_.emplace(each.first + i, true).second);
    }
  }
  void give_back(const BlockExtent& extent) {
    space_.release(extent);
    for (uint64_t i = 0; i < extent.count; ++i) live_.erase(extent.first + i);
  }
  bool clean() {
    const bool has_dead = space_.has_dead();
    const std::optional<uint64_t> band = space_.begin_cleaning();
    if (!band) return false;
    for (auto& file : files_) {
      for (BlockExtent& each : file) {
        if (space_.band_of(each.first) != *band) continue;
        const std::vector<BlockExtent> places = space_.allocate(each.count, PlacedBy::kCleaner);
        EXPECT_EQ(places.size(), 1U);  // the cleaner's band has room for all of it
        if (places.empty()) return false;
        take(places);
        give_back(each);
        each = places.front();
      }
    }
    EXPECT_EQ(space_.live_count_of(*band), 0U);
    EXPECT_TRUE(space_.has_gained() || !has_dead);
    return space_.has_gained();
  }

  BandedSpace space_;
  std::vector<std::vector<BlockExtent>> files_;
  std::map<uint64_t, bool> live_;
};

TEST(BandedSpace, NoBlockIsTakenTwiceAndCleaningGivesEveryDeadBlockBack) {
  for (const CleaningPolicy& policy : kCleaningPolicies) {
    for (uint32_t seed = 0; seed < property_cases(10); ++seed) {
      SCOPED_TRACE(seed);
      Random random(seed);
      Files files(policy);
      for (int i = 0; i < 1500; ++i) {
        const uint64_t count = 1 + random.below(random.below(10) == 0 ? 100 : 12);
        // All bands but the cleaner's can be filled, but for what is too short for a file in each.
        const bool fits = files.live_count() + count <= (kBands - 1) * (kBandBlocks - 12) - 100;
        if (fits && random.below(3) < 2) {
          ASSERT_TRUE(files.create(count)) << policy.name << " " << files.live_count() << " + " << count;
        } else if (files.files_count() > 0) {
          files.remove(random.below(static_cast<uint32_t>(files.files_count())));
        }
        files.expect_sound();
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

TEST(BandedSpace, LeavesABandToTheCleaner) {
  BandedSpace space(3, 10, kCleaningPolicies[0]);
  EXPECT_EQ(space.allocate(10, PlacedBy::kUser).size(), 1U);
  EXPECT_EQ(space.allocate(10, PlacedBy::kUser).size(), 1U);
  EXPECT_TRUE(space.allocate(1, PlacedBy::kUser).empty());
  EXPECT_FALSE(space.begin_cleaning().has_value());  // nothing is dead
  space.release({3, 2});
  EXPECT_EQ(space.begin_cleaning(), 0U);
  EXPECT_EQ(space.allocate(8, PlacedBy::kCleaner).size(), 1U);
}

TEST(BandedSpace, AFileThatIsLongerThanABandHasBandsOfItsOwnOrNone) {
  BandedSpace space(4, 10, kCleaningPolicies[0]);
  EXPECT_TRUE(space.allocate(35, PlacedBy::kUser).empty());
  EXPECT_EQ(space.live_count(), 0U);
  EXPECT_EQ(space.allocate(25, PlacedBy::kUser), (std::vector<BlockExtent>{{0, 10}, {10, 10}, {20, 5}}));
}

TEST(BandedSpace, AdoptsWhatIsWithinABand) {
  BandedSpace space(2, 10, kCleaningPolicies[0]);
  EXPECT_TRUE(space.adopt({2, 8}));
  EXPECT_FALSE(space.adopt({8, 4}));
  EXPECT_FALSE(space.adopt({15, 6}));
  EXPECT_FALSE(space.adopt({0, 3}));
  EXPECT_EQ(space.live_count(), 8U);
}

}  // namespace
}  // namespace patina
