// Threads that wait for each other: counts and orders, never times.
#include "flow/flow_gates.h"

#include <gtest/gtest.h>

#include <functional>
#include <thread>
#include <vector>

#include "testing/device_testing.h"

namespace patina {
namespace {

TEST(FlowSemaphore, AWaitTakesWhatWasPosted) {
  const std::atomic<bool> stop{false};
  FlowSemaphore semaphore(1);
  EXPECT_TRUE(semaphore.post(3, /*blocking=*/false, stop));
  EXPECT_TRUE(semaphore.wait(2, stop));
  EXPECT_TRUE(semaphore.wait(1, stop));
}

TEST(FlowSemaphore, EveryPostIsWaitedForOnce) {
  constexpr int kPosts = 20'000;
  const std::atomic<bool> stop{false};
  FlowSemaphore semaphore(1);
  std::atomic<int> waited{0};
  {
    std::vector<std::jthread> threads;
    threads.reserve(5);
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        for (int j = 0; j < kPosts / 4; ++j) waited += semaphore.wait(1, stop) ? 1 : 0;
      });
    }
    threads.emplace_back([&] {
      for (int i = 0; i < kPosts / 10; ++i) semaphore.post(10, /*blocking=*/false, stop);
    });
  }
  EXPECT_EQ(waited, kPosts);
}

TEST(FlowSemaphore, ABlockingPostIsAheadOfTheWaitsByTheHighWaterAtMost) {
  constexpr uint64_t kHighWater = 5;
  constexpr uint64_t kPosts = 5000;
  const std::atomic<bool> stop{false};
  FlowSemaphore semaphore(kHighWater);
  std::atomic<uint64_t> waits_begun{0};
  std::jthread waiter([&] {
    for (uint64_t i = 0; i < kPosts; ++i) {
      ++waits_begun;
      semaphore.wait(1, stop);
    }
  });
  for (uint64_t posts = 1; posts <= kPosts; ++posts) {
    EXPECT_TRUE(semaphore.post(1, /*blocking=*/true, stop));
    EXPECT_LE(posts, waits_begun + kHighWater);
  }
}

TEST(FlowBlock, AWakeUpWakesEveryThreadThatWaits) {
  const std::atomic<bool> stop{false};
  FlowBlock block;
  std::atomic<int> woken{0};
  std::vector<std::jthread> threads;
  threads.reserve(5);
  for (int i = 0; i < 5; ++i) threads.emplace_back([&] { woken += block.wait(stop) ? 1 : 0; });
  // A wake-up before a thread waits is lost, so it is repeated.
  EXPECT_TRUE(wait_until("all are woken", [&] {
    block.wake_all();
    return woken == 5;
  }));
}

TEST(EventRate, WithoutARateNothingIsLimited) {
  const std::atomic<bool> stop{false};
  EventRate events;
  EXPECT_FALSE(events.is_limited());
  EXPECT_TRUE(events.take(1e18, stop));
  events.start(0);
  EXPECT_FALSE(events.is_limited());
  EXPECT_TRUE(events.take(1e18, stop));
}

TEST(EventRate, EventsAreTakenByAllThreadsUntilTheyAreEnough) {
  const std::atomic<bool> stop{false};
  EventRate events;
  events.start(1e6);
  EXPECT_TRUE(events.is_limited());
  std::atomic<int> taken{0};
  {
    std::vector<std::jthread> threads;
    threads.reserve(5);
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        for (int j = 0; j < 1000; ++j) taken += events.take(1, stop) ? 1 : 0;
      });
    }
  }
  EXPECT_EQ(taken, 4000);
  EXPECT_TRUE(events.take(0, stop));
}

TEST(FlowGates, AStopEndsEveryWait) {
  std::atomic<bool> stop{false};
  FlowSemaphore semaphore(1);
  FlowSemaphore full(0);
  FlowBlock block;
  EventRate events;
  events.start(0.001);
  EventRate nearly_never;
  nearly_never.start(1e-18);
  const std::vector<std::function<bool()>> waits = {
      [&] { return semaphore.wait(1, stop); }, [&] { return full.post(1, /*blocking=*/true, stop); },
      [&] { return block.wait(stop); }, [&] { return events.take(1000, stop); },
      [&] { return nearly_never.take(1, stop); }};
  std::atomic<int> begun{0};
  std::atomic<int> stopped{0};
  {
    std::vector<std::jthread> threads;
    threads.reserve(waits.size());
    for (const std::function<bool()>& wait : waits) {
      threads.emplace_back([&begun, &stopped, &wait] {
        ++begun;
        stopped += wait() ? 0 : 1;
      });
    }
    wait_until("all have begun", [&] { return begun == 5; });
    EXPECT_EQ(stopped, 0);
    stop = true;
    semaphore.wake_all();
    full.wake_all();
    block.wake_all();
    events.wake_all();
    nearly_never.wake_all();
  }
  EXPECT_EQ(stopped, 5);
}

}  // namespace
}  // namespace patina
