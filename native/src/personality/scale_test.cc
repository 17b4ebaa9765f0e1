// Personalities that are scaled to limits.
#include "personality/scale.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "personality/builtin.h"

namespace patina {
namespace {

ScaledPersonality scale(std::string_view text, const ScaleLimits& limits) {
  Result<ScaledPersonality> scaled = read_scaled(text, "file.f", limits);
  EXPECT_TRUE(scaled.ok()) << scaled.error().message;
  return scaled ? std::move(*scaled) : ScaledPersonality{};
}

ScaleLimits files(uint64_t count) {
  return {.files_count = count, .bytes = {}, .inodes = {}};
}
ScaleLimits bytes(uint64_t count) {
  return {.files_count = {}, .bytes = count, .inodes = {}};
}
ScaleLimits inodes(uint64_t count) {
  return {.files_count = {}, .bytes = {}, .inodes = count};
}

std::string with_thread(const std::string& statements) {
  return statements + "define process name=p { thread name=t { flowop hog value=1 } }\n";
}

double count_of(const ScaledPersonality& scaled, size_t set) {
  return scaled.personality.file_sets.at(set).files_count.expected();
}
double bytes_of(const ScaledPersonality& scaled, size_t set) {
  return scaled.personality.file_sets.at(set).bytes.expected();
}

TEST(Scale, WithoutALimitNothingIsScaled) {
  const ScaledPersonality scaled = scale(with_thread("define fileset name=a,entries=1000\n"), {});
  EXPECT_EQ(scaled.scale_fraction, 1);
  EXPECT_EQ(count_of(scaled, 0), 1000);
}

TEST(Scale, ALimitThatIsNotReachedScalesNothing) {
  const std::string text = with_thread("define fileset name=a,entries=1000,size=4k\n");
  EXPECT_EQ(scale(text, bytes(100 << 20)).scale_fraction, 1);
  EXPECT_EQ(scale(text, inodes(1000)).scale_fraction, 1);
}

TEST(Scale, ANumberOfFilesIsMetUpAndDown) {
  const std::string text = with_thread(
      "define fileset name=a,entries=1000\ndefine fileset name=b,entries=3000\ndefine file name=c\n");
  for (const uint64_t count : {40U, 400U, 4000U, 400'000U}) {
    const ScaledPersonality scaled = scale(text, files(count));
    EXPECT_EQ(count_of(scaled, 0), static_cast<double>(count) / 4);
    EXPECT_EQ(count_of(scaled, 1), static_cast<double>(count) * 3 / 4);
    EXPECT_EQ(count_of(scaled, 2), 1);
    EXPECT_EQ(scaled.scale_fraction, static_cast<double>(count) / 4000);
  }
}

TEST(Scale, FilesAndSlackStayBelowTheBytes) {
  const ScaledPersonality scaled =
      scale(with_thread("define fileset name=a,entries=1000,size=14k\n"), bytes(1 << 20));
  EXPECT_EQ(bytes_of(scaled, 0), 14336);
  EXPECT_EQ(count_of(scaled, 0), 64);  // of 16 KiB
}

TEST(Scale, FilesStayBelowTheInodes) {
  const ScaledPersonality scaled = scale(
      with_thread("define fileset name=a,entries=1000\ndefine fileset name=b,entries=10,leafdirs=990\n"),
      inodes(100));
  EXPECT_EQ(count_of(scaled, 0), 50);
  EXPECT_EQ(count_of(scaled, 1), 1);
  EXPECT_EQ(scaled.personality.file_sets[1].leaf_directories_count.expected(), 49);
}

TEST(Scale, WhatDependsOnAVariableFollowsIt) {
  const ScaledPersonality scaled = scale(
      "set $nfiles=1000\nset $twice=$nfiles * 2\ndefine fileset name=a,entries=$nfiles\n"
      "define process name=p { thread name=t {\n"
      "  flowop hog name=x,value=1,iters=$nfiles\n"
      "  flowop hog name=y,value=1,iters=$twice\n"
      "  flowop finishoncount name=z,value=1000 } }\n",
      files(50));
  EXPECT_EQ(count_of(scaled, 0), 50);
  const std::vector<FlowSpec>& flow = scaled.personality.processes[0].threads[0].flow;
  EXPECT_EQ(flow[0].iterations.mean, 50);
  EXPECT_EQ(flow[1].iterations.mean, 100);
  EXPECT_EQ(flow[2].value.mean, 1000);
}

TEST(Scale, OneLargeFileIsScaledByItsSize) {
  const std::string text = with_thread("define file name=large,size=1g\ndefine file name=small,size=64k\n");
  const ScaledPersonality scaled = scale(text, bytes(100 << 20));
  EXPECT_EQ(count_of(scaled, 0), 1);
  EXPECT_LE(bytes_of(scaled, 0), 100 << 20);
  EXPECT_GT(bytes_of(scaled, 0), 99 << 20);
  EXPECT_EQ(static_cast<uint64_t>(bytes_of(scaled, 0)) % 4096, 0U);
  EXPECT_EQ(bytes_of(scaled, 1), 65536);
  EXPECT_EQ(bytes_of(scale(text, files(5)), 0), 0x1p30);
}

TEST(Scale, SizesAreScaledWhereOneFileOfEachSetIsTooMuch) {
  const ScaledPersonality scaled = scale(
      with_thread("define fileset name=a,entries=10,size=100m\ndefine fileset name=b,entries=10,size=50m\n"),
      bytes(15 << 20));
  EXPECT_EQ(count_of(scaled, 0), 1);
  EXPECT_EQ(count_of(scaled, 1), 1);
  EXPECT_NEAR(bytes_of(scaled, 0), 10 << 20, 8192);
  EXPECT_NEAR(bytes_of(scaled, 1), 5 << 20, 8192);
}

TEST(Scale, ASmallFileDoesNotGrow) {
  const ScaledPersonality scaled =
      scale(with_thread("define file name=large,size=1g\ndefine fileset name=a,entries=2000,size=512\n"),
            bytes(8192));
  EXPECT_LE(bytes_of(scaled, 1), 512);
}

TEST(Scale, DrawnSizesKeepTheirShape) {
  const std::vector<const char*> distributions = {
      "type=cvar-uniform,parameters=lower:100m;upper:300m",
      "type=cvar-gamma,parameters=mean:200m;gamma:2",
      "type=cvar-normal,parameters=mean:200m;sigma:10m",
      "type=cvar-weibull,parameters=scale:200m;shape:1",
      "type=cvar-exponential,parameters=mean:200m",
      "type=cvar-erlang,parameters=shape:200m;rate:1",
      "type=cvar-lognormal,parameters=scale:19;shape:0.5",
      "type=cvar-triangular,parameters=lower:100m;upper:300m;mode:200m"};
  for (const char* distribution : distributions) {
    const std::string text =
        with_thread(fmt::format("set $s=cvar({})\ndefine file name=a,size=$s\n", distribution));
    const ScaledPersonality whole = scale(text, {});
    const ScaledPersonality scaled = scale(text, bytes(20 << 20));
    EXPECT_NEAR(bytes_of(scaled, 0), 20 << 20, 4096) << distribution;
    const auto spread = [](const Number& number) {
      Random random(1);
      double squares = 0;
      for (int i = 0; i < 20'000; ++i) squares += std::pow(number.sample(random) / number.expected() - 1, 2);
      return squares / 20'000;
    };
    const double before = spread(whole.personality.file_sets[0].bytes);
    EXPECT_NEAR(spread(scaled.personality.file_sets[0].bytes), before, 0.001 + before / 100) << distribution;
  }
}

TEST(Scale, MoreThanMemoryHoldsIsRefused) {
  const Result<ScaledPersonality> scaled = read_scaled(
      with_thread("define fileset name=a,entries=2,leafdirs=1000\n"), "file.f", files(50'000'000));
  EXPECT_TRUE(scaled.ok());
  const Result<ScaledPersonality> more = read_scaled(
      with_thread("define fileset name=a,entries=10\ndefine file name=b\n"), "file.f", files(60'000'000));
  ASSERT_FALSE(more.ok());
  EXPECT_EQ(more.error().code, ErrorCode::kWorkloadInvalid);
}

TEST(Scale, AMistakeInTheTextIsReturned) {
  const Result<ScaledPersonality> scaled = read_scaled("frobnicate", "file.f", bytes(1));
  ASSERT_FALSE(scaled.ok());
  EXPECT_EQ(scaled.error().code, ErrorCode::kWorkloadInvalid);
}

class BuiltinOfALimit : public testing::TestWithParam<BuiltinPersonality> {};

TEST_P(BuiltinOfALimit, TakesAFewPercentMoreThanTheLimitAtMost) {
  for (const uint64_t mib : {1U, 7U, 64U, 1000U, 16'000U}) {
    const uint64_t limit = uint64_t{mib} << 20U;
    const ScaledPersonality scaled = scale(GetParam().text, bytes(limit));
    const double needed = scaled.personality.expected_bytes() + 2048 * scaled.personality.files_count();
    EXPECT_LE(needed, 1.05 * static_cast<double>(limit)) << mib << " MiB";
    if (scaled.scale_fraction < 1) {
      EXPECT_GE(needed, 0.5 * static_cast<double>(limit)) << mib << " MiB";
    }
  }
  for (const uint64_t count : {10U, 100U, 10'000U}) {
    const ScaledPersonality scaled = scale(GetParam().text, inodes(count));
    EXPECT_LE(scaled.personality.files_count(), static_cast<double>(count) + 1);
  }
}

INSTANTIATE_TEST_SUITE_P(All, BuiltinOfALimit, testing::ValuesIn(builtin_personalities()),
                         [](const auto& builtin) {
                           std::string name(builtin.param.name);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace patina
