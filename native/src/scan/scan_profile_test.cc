// The bins of a scanned profile: --profile reads them, and their shares are those of the counts.
#include "scan/scan_profile.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/random.h"
#include "model/profile.h"

namespace patina {
namespace {

constexpr uint64_t kHourNs = 3'600'000'000'000;

// Returns a number of random magnitude, up to 2^bits.
uint64_t any_magnitude(Random& random, uint32_t bits) {
  return random.next() >> (64 - 1 - random.below(bits));
}

Profile parsed(const ScanTally& tally) {
  Result<Profile> profile = parse_profile(profile_json(profile_of(tally)).dump());
  EXPECT_TRUE(profile.ok()) << (profile.ok() ? "" : profile.error().message);
  return profile.ok() ? *profile : Profile{};
}

TEST(ScanTally, ASizeIsInTheBinOfTheNextPowerOfTwo) {
  Random random(1);
  for (int i = 0; i < 100'000; ++i) {
    const uint64_t bytes = any_magnitude(random, 62);
    const size_t tally = size_tally_of(bytes);
    EXPECT_LE(bytes, size_tally_bytes(tally));
    if (bytes > 0) {
      EXPECT_GT(bytes, tally == 1 ? 0 : size_tally_bytes(tally - 1));
    }
  }
  EXPECT_EQ(size_tally_bytes(size_tally_of(4096)), 4096U);
  EXPECT_EQ(size_tally_bytes(size_tally_of(4097)), 8192U);
  EXPECT_LT(size_tally_of(UINT64_MAX), kSizeTalliesCount);
  EXPECT_EQ(size_tally_bytes(size_tally_of(UINT64_MAX)), uint64_t{1} << 63U);
}

TEST(ScanTally, AnAgeIsKeptToThreePercent) {
  Random random(2);
  for (int i = 0; i < 100'000; ++i) {
    const uint64_t age_ns = any_magnitude(random, 64);
    const size_t tally = age_tally_of(age_ns);
    ASSERT_LT(tally, kAgeTalliesCount);
    EXPECT_LE(age_ns, age_tally_ns(tally));
    EXPECT_GE(static_cast<double>(age_ns) * 1.0313 + 1, static_cast<double>(age_tally_ns(tally)));
    if (tally > 0) {
      EXPECT_GT(age_ns, age_tally_ns(tally - 1));
    }
  }
  EXPECT_EQ(age_tally_of(UINT64_MAX), kAgeTalliesCount - 1);
}

TEST(ScanTally, SumsOfPartsAreTheWhole) {
  Random random(3);
  ScanTally whole;
  ScanTally parts;
  for (int part = 0; part < 5; ++part) {
    ScanTally tally;
    for (int i = 0; i < 100; ++i) {
      const uint64_t bytes = any_magnitude(random, 40);
      const uint32_t depth = random.below(80);
      const uint64_t age_ns = any_magnitude(random, 60);
      tally.add_file(bytes, depth, age_ns);
      whole.add_file(bytes, depth, age_ns);
      tally.add_directory(depth);
      whole.add_directory(depth);
    }
    parts.add(tally);
  }
  EXPECT_EQ(profile_json(profile_of(parts)), profile_json(profile_of(whole)));
  EXPECT_EQ(parts.bytes, whole.bytes);
  EXPECT_EQ(parts.deeper_files_count, whole.deeper_files_count);
  EXPECT_GT(parts.deeper_directories_count, 0U);
}

TEST(ScanTally, ASumOfSparseGiantsDoesNotWrapAround) {
  ScanTally tally;
  for (int i = 0; i < 3; ++i) tally.add_file(INT64_MAX, 0, 1);
  EXPECT_EQ(tally.bytes, UINT64_MAX);
  ScanTally other = tally;
  other.add(tally);
  EXPECT_EQ(other.bytes, UINT64_MAX);
}

// For any counts the profile is legal, and every file is in the bin of its value.
TEST(ScanProfile, OfRandomTreesIsReadByProfileAndHoldsEveryFileOnce) {
  Random random(4);
  for (int trial = 0; trial < 2000; ++trial) {
    ScanTally tally;
    const uint32_t age_bits = 1 + random.below(62);
    const uint32_t files_count = 1 + random.below(30);
    std::vector<uint64_t> ages;
    std::vector<uint64_t> sizes;
    for (uint32_t i = 0; i < files_count; ++i) {
      sizes.push_back(any_magnitude(random, 45));
      ages.push_back(any_magnitude(random, age_bits));
      tally.add_file(sizes.back(), random.below(70), ages.back());
      tally.add_directory(random.below(70));
    }
    const Profile profile = parsed(tally);
    ASSERT_LE(profile.age.size(), kMaxScanAgeBins);
    double young_edge = 0;
    for (const AgeBin& bin : profile.age) {
      const auto inside = std::count_if(ages.begin(), ages.end(), [&](uint64_t age_ns) {
        const double age = static_cast<double>(age_ns) / 1e9;
        return (young_edge == 0 || age > young_edge) && age <= bin.age;
      });
      ASSERT_NEAR(bin.fraction * files_count, static_cast<double>(inside), 1e-6) << trial;
      young_edge = bin.age;
    }
    for (const SizeBin& bin : profile.size) {
      const auto inside = std::count_if(sizes.begin(), sizes.end(), [&bin](uint64_t bytes) {
        return bytes <= bin.bytes && (bytes > bin.above_bytes || bin.bytes <= 1 || bytes == bin.bytes);
      });
      if (bin.bytes > 1) {
        ASSERT_NEAR(bin.fraction * files_count, static_cast<double>(inside), 1e-6) << bin.bytes;
      }
    }
  }
}

TEST(ScanProfile, AgeEdgesHalveFromTheOldestFileDown) {
  ScanTally tally;
  for (uint64_t hours = 1; hours <= 100'000; ++hours) tally.add_file(1, 0, hours * kHourNs);
  const Profile profile = parsed(tally);
  ASSERT_EQ(profile.age.size(), kMaxScanAgeBins);
  EXPECT_DOUBLE_EQ(profile.age.back().age, 100'000 * 3600.0);
  for (size_t i = 1; i < profile.age.size(); ++i) {
    EXPECT_NEAR(profile.age[i].age / profile.age[i - 1].age, 2, 0.07);
  }
  // Files of even ages: each bin holds the share of the time that it spans.
  EXPECT_NEAR(profile.age.back().fraction, 0.5, 0.02);
  EXPECT_NEAR(profile.age[kMaxScanAgeBins - 2].fraction, 0.25, 0.02);
}

TEST(ScanProfile, ATimeInWhichNothingWasMadeIsOneEmptyBin) {
  ScanTally tally;
  tally.add_file(1, 0, 1000 * kHourNs);
  tally.add_file(1, 0, 900 * kHourNs);
  const Profile profile = parsed(tally);
  ASSERT_EQ(profile.age.size(), 2U);
  EXPECT_EQ(profile.age[0].fraction, 0);
  EXPECT_NEAR(profile.age[0].age, 500 * 3600, 500 * 3600 * 0.032);
  EXPECT_EQ(profile.age[1].fraction, 1);
}

TEST(ScanProfile, FilesWithoutAgeMakeOneBin) {
  ScanTally tally;
  tally.add_file(1, 0, 0);
  const Profile profile = parsed(tally);
  ASSERT_EQ(profile.age.size(), 1U);
  EXPECT_GT(profile.age[0].age, 0);
}

TEST(ScanProfile, EmptyFilesHaveABinOfTheirOwnWithAnEmptyOneAbove) {
  ScanTally tally;
  tally.add_file(0, 0, 1);
  tally.add_file(1000, 0, 1);
  tally.add_file(5000, 0, 1);
  const Profile profile = parsed(tally);
  std::vector<uint64_t> bins;
  bins.reserve(profile.size.size());
  for (const SizeBin& bin : profile.size) bins.push_back(bin.bytes);
  EXPECT_EQ(bins, (std::vector<uint64_t>{0, 512, 1024, 2048, 4096, 8192}));
  EXPECT_EQ(profile.size[1].fraction, 0);
  EXPECT_EQ(profile.size[2].above_bytes, 512U);
}

TEST(ScanProfile, OnlyEmptyFilesMakeOneSize) {
  ScanTally tally;
  tally.add_file(0, 0, 1);
  EXPECT_EQ(parsed(tally).size.size(), 1U);
}

TEST(ScanProfile, FilesLargerThanAProfileCanSayAreCountedAsItsLargest) {
  ScanTally tally;
  tally.add_file(kMaxFileBytes, 0, 1);
  tally.add_file(kMaxFileBytes + 1, 0, 1);
  tally.add_file(uint64_t{1} << 62U, 0, 1);
  EXPECT_EQ(profile_of(tally).oversized_files_count, 2U);
  const Profile profile = parsed(tally);
  ASSERT_EQ(profile.size.size(), 1U);
  EXPECT_EQ(profile.size[0].bytes, kMaxFileBytes);
}

TEST(ScanProfile, DepthsBeyondTheLimitAreFoldedIntoTheDeepestBin) {
  ScanTally tally;
  tally.add_file(1, kMaxDepth + 10, 1);
  tally.add_file(1, kMaxDepth, 1);
  tally.add_directory(kMaxDepth + 10);
  EXPECT_EQ(tally.deeper_files_count, 1U);
  EXPECT_EQ(tally.deeper_directories_count, 1U);
  const Profile profile = parsed(tally);
  EXPECT_EQ(profile.depth.back().depth, kMaxDepth);
  EXPECT_EQ(profile.depth.back().fraction, 1);
  EXPECT_EQ(profile.depth.back().subdirs_count, 1U);
}

TEST(ScanProfile, TooManyDirectoriesAreScaledDownAndNoDepthLosesItsLast) {
  ScanTally tally;
  tally.add_file(1, 3, 1);
  for (int i = 0; i < 300'000; ++i) tally.add_directory(2);
  for (int i = 0; i < 100'000; ++i) tally.add_directory(3);
  tally.add_directory(1);
  EXPECT_NEAR(profile_of(tally).subdirs_scale, 0.25, 0.001);
  const Profile profile = parsed(tally);
  EXPECT_EQ(profile.depth[1].subdirs_count, 1U);
  EXPECT_NEAR(profile.depth[2].subdirs_count, 75'000, 100);
  EXPECT_NEAR(profile.depth[3].subdirs_count, 25'000, 100);
}

}  // namespace
}  // namespace patina
