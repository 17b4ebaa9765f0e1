// The executor: order, evenness, and behavior on a full or failing file system.
#include "executor/execute.h"

#include <gtest/gtest.h>

#include "testing/memory_file_system.h"
#include "testing/profile_testing.h"

namespace patina {
namespace {

// Carries the whole plan out on `file_system` with so many lanes; returns the error that stopped it, if any.
std::optional<Error> carry_out(const Forecast& forecast, FileSystem& file_system, int lanes,
                               uint64_t* no_space_count = nullptr) {
  Planner planner(forecast);
  Executor executor(file_system, spread_directories(forecast, planner.tree(), lanes), lanes);
  std::vector<Operation> block(1000);
  while (!planner.finished() && !executor.failure()) {
    const size_t planned = planner.next(block);
    executor.submit(std::span(block).first(planned));
  }
  executor.drain();
  if (!executor.failure()) {
    EXPECT_EQ(executor.executed_count(), planner.tick());
  }
  if (no_space_count != nullptr) *no_space_count = executor.no_space_count();
  return executor.failure();
}

TEST(Executor, AnyNumberOfLanesLeavesTheSameTree) {
  const Forecast forecast = small_forecast();
  MemoryFileSystem one;
  ASSERT_FALSE(carry_out(forecast, one, 1));
  EXPECT_GT(one.files().size(), 500U);
  for (const int lanes : {2, 3, 8}) {
    MemoryFileSystem several;
    ASSERT_FALSE(carry_out(forecast, several, lanes));
    EXPECT_EQ(several.files(), one.files()) << lanes;
    EXPECT_EQ(several.operations(), one.operations());
  }
}

TEST(Executor, SpreadsTheExpectedLoadEvenly) {
  const Forecast forecast = forecast_of(built_in_profile("agrawal"), request_of(1ULL << 30U));
  const DirectoryTree tree(forecast.subdirs_count);
  for (const int lanes : {2, 4}) {
    const std::vector<uint16_t> lane_of_directory = spread_directories(forecast, tree, lanes);
    std::vector<double> load(static_cast<size_t>(lanes), 0);
    for (const DepthBin& bin : forecast.depth) {
      for (uint32_t i = 0; i < tree.count_at(bin.depth); ++i) {
        load[lane_of_directory[tree.first_at(bin.depth) + i]] += bin.fraction / tree.count_at(bin.depth);
      }
    }
    for (const double share : load) EXPECT_NEAR(share, 1.0 / lanes, 0.01);
  }
}

TEST(Executor, GoesOnWhenTheFileSystemIsFullForAWhile) {
  const Forecast forecast = small_forecast();
  MemoryFileSystem roomy;
  ASSERT_FALSE(carry_out(forecast, roomy, 1));
  MemoryFileSystem tight;
  // The model wants 70 MiB and a little more at times.
  tight.capacity_bytes = 69ULL << 20U;
  uint64_t no_space_count = 0;
  ASSERT_FALSE(carry_out(forecast, tight, 2, &no_space_count));
  EXPECT_GT(no_space_count, 0U);
  // At the end the files given up are missing, and there are no others than planned.
  const MemoryFileSystem::Files wanted = roomy.files();
  const MemoryFileSystem::Files got = tight.files();
  EXPECT_LE(got.size(), wanted.size());
  EXPECT_GT(got.size(), wanted.size() * 9 / 10);
  for (const auto& [place, bytes] : got) EXPECT_EQ(wanted.count(place), 1U);
}

TEST(Executor, StopsWithinABoundWhenTheFileSystemStaysFull) {
  MemoryFileSystem full;
  full.capacity_bytes = 1;
  const std::optional<Error> error = carry_out(small_forecast(), full, 2);
  ASSERT_TRUE(error && error->code == ErrorCode::kNoSpace) << (error ? error->message : "no error");
  EXPECT_LT(full.operations(), 30'000U);
}

TEST(Executor, AFileWhoseCreateWaitsIsNotCreatedAfterItsDelete) {
  // Nothing fits at first; later everything does.
  MemoryFileSystem file_system;
  file_system.fault = [](bool is_delete, uint64_t operations) {
    return !is_delete && operations < 3 ? ENOSPC : 0;
  };
  Executor executor(file_system, {0}, 1);
  const auto create = [](uint64_t file) { return Operation{.file = file, .bytes = 4096}; };
  const auto remove = [](uint64_t file) {
    return Operation{.file = file, .bytes = 4096, .kind = OperationKind::kDelete};
  };
  const std::vector<Operation> ops = {create(1), create(2), create(3), remove(2),
                                      create(4), remove(4), remove(1)};
  executor.submit(ops);
  executor.drain();
  EXPECT_EQ(executor.no_space_count(), 3U);
  const MemoryFileSystem::Files files = file_system.files();
  EXPECT_EQ(files.count({0, 2}), 0U);
  EXPECT_EQ(files.count({0, 1}), 0U);
  EXPECT_EQ(files.count({0, 4}), 0U);
}

struct Breakage {
  const char* name;
  int error_number;
  ErrorCode code;
};

class BreakingFileSystem : public testing::TestWithParam<Breakage> {};

TEST_P(BreakingFileSystem, StopsTheExecutorWithTheNamedError) {
  for (const bool on_delete : {false, true}) {
    MemoryFileSystem file_system;
    file_system.fault = [on_delete](bool is_delete, uint64_t operations) {
      return operations > 5000 && is_delete == on_delete ? GetParam().error_number : 0;
    };
    const std::optional<Error> error = carry_out(small_forecast(), file_system, 2);
    ASSERT_TRUE(error && error->code == GetParam().code) << (error ? error->message : "no error");
    EXPECT_LT(file_system.operations(), 20'000U) << "went on after the error";
  }
}

INSTANTIATE_TEST_SUITE_P(All, BreakingFileSystem,
                         testing::Values(Breakage{"Eio", EIO, ErrorCode::kIoError},
                                         Breakage{"Erofs", EROFS, ErrorCode::kReadOnly},
                                         Breakage{"Edquot", EDQUOT, ErrorCode::kQuotaExceeded},
                                         Breakage{"Eopnotsupp", EOPNOTSUPP, ErrorCode::kIoError}),
                         [](const auto& breakage) { return breakage.param.name; });

}  // namespace
}  // namespace patina
