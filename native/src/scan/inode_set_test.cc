// Each inode is first seen once, by any thread, and untracked beyond the bound.
#include "scan/inode_set.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace patina {
namespace {

TEST(InodeSet, EachIsFirstOnceAndThenAgain) {
  InodeSet inodes;
  for (uint64_t inode = 0; inode < 10'000; ++inode) EXPECT_EQ(inodes.insert(7, inode), InodeSeen::kFirst);
  for (uint64_t inode = 0; inode < 10'000; ++inode) EXPECT_EQ(inodes.insert(7, inode), InodeSeen::kAgain);
}

TEST(InodeSet, TheSameNumberOnAnotherDeviceIsAnotherInode) {
  InodeSet inodes;
  EXPECT_EQ(inodes.insert(1, 42), InodeSeen::kFirst);
  EXPECT_EQ(inodes.insert(2, 42), InodeSeen::kFirst);
  EXPECT_EQ(inodes.insert(1, 42), InodeSeen::kAgain);
}

TEST(InodeSet, BeyondTheBoundInodesAreUntrackedAndTheKnownOnesStayKnown) {
  InodeSet inodes(1000);
  uint64_t first_count = 0;
  for (uint64_t inode = 0; inode < 5000; ++inode) first_count += inodes.insert(1, inode) == InodeSeen::kFirst;
  EXPECT_LE(first_count, 1000U);
  EXPECT_GT(first_count, 900U);
  uint64_t again_count = 0;
  for (uint64_t inode = 0; inode < 5000; ++inode) again_count += inodes.insert(1, inode) == InodeSeen::kAgain;
  EXPECT_EQ(again_count, first_count);
}

TEST(InodeSet, ThreadsAgreeOnWhoWasFirst) {
  InodeSet inodes;
  std::atomic<uint64_t> first_count{0};
  {
    std::vector<std::jthread> threads;
    threads.reserve(4);
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&inodes, &first_count] {
        for (uint64_t inode = 1; inode <= 20'000; ++inode) {
          if (inodes.insert(3, inode) == InodeSeen::kFirst) ++first_count;
        }
      });
    }
  }
  EXPECT_EQ(first_count, 20'000U);
}

}  // namespace
}  // namespace patina
