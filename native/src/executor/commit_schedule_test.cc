// Commits depend on operations and bytes, not on how the stream is cut into blocks.
#include "executor/commit_schedule.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/random.h"

namespace patina {
namespace {

constexpr uint64_t kBlockSizeBytes = 4096;
constexpr uint64_t kFreeBytes = 100'000'000;

std::vector<Operation> stream_of(uint64_t seed) {
  Random random(seed);
  std::vector<Operation> ops(5000);
  for (size_t i = 0; i < ops.size(); ++i) {
    ops[i].file = i + 1;
    ops[i].bytes = random.next() % 1'000'000;
    ops[i].kind = static_cast<OperationKind>(random.next() % kOperationKindsCount);
  }
  return ops;
}

// Returns the operations count at each commit, for a stream passed in blocks of `block_ops`.
std::vector<size_t> commits_of(const CommitBounds& bounds, std::span<const Operation> ops, size_t block_ops) {
  CommitSchedule schedule(bounds, kFreeBytes, kBlockSizeBytes);
  std::vector<size_t> commits;
  size_t done = 0;
  while (done < ops.size()) {
    auto block = ops.subspan(done, std::min(block_ops, ops.size() - done));
    while (!block.empty()) {
      const CommitSchedule::Stretch stretch = schedule.next(block);
      EXPECT_GT(stretch.ops_count, 0U);
      done += stretch.ops_count;
      block = block.subspan(stretch.ops_count);
      if (stretch.commit_is_due) commits.push_back(done);
    }
  }
  return commits;
}

TEST(CommitSchedule, CommitsComeAtTheSamePlacesHoweverTheStreamIsCut) {
  for (const CommitBounds& bounds :
       {CommitBounds{.interval_ops = 7}, CommitBounds{.reuse_lag_fraction = 0.01},
        CommitBounds{.interval_ops = 40, .reuse_lag_fraction = 0.02}}) {
    const std::vector<Operation> ops = stream_of(1);
    const std::vector<size_t> whole = commits_of(bounds, ops, ops.size());
    EXPECT_GT(whole.size(), 10U);
    for (const size_t block_ops : {1U, 3U, 256U}) EXPECT_EQ(commits_of(bounds, ops, block_ops), whole);
  }
}

TEST(CommitSchedule, NoMoreThanTheBoundAndOneOperationIsFreedBetweenTwoCommits) {
  const double most = 0.02 * kFreeBytes;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const std::vector<Operation> ops = stream_of(seed);
    size_t begin = 0;
    for (const size_t end : commits_of({.reuse_lag_fraction = 0.02}, ops, 256)) {
      double freed = 0;
      for (size_t i = begin; i + 1 < end; ++i) {
        freed += static_cast<double>(freed_bytes(ops[i], kBlockSizeBytes));
      }
      EXPECT_LT(freed, most);
      EXPECT_GE(freed + static_cast<double>(freed_bytes(ops[end - 1], kBlockSizeBytes)), most);
      begin = end;
    }
  }
}

TEST(CommitSchedule, WithoutBoundsNoCommitIsDue) {
  EXPECT_TRUE(commits_of({}, stream_of(1), 256).empty());
}

}  // namespace
}  // namespace patina
