// Tests that a command is held where a test made a FIFO, and nowhere else.
#include "base/gate.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <fstream>
#include <thread>
#include <vector>

#include "executor/posix_file_system.h"
#include "testing/device_testing.h"

namespace patina {
namespace {

constexpr std::chrono::milliseconds kPause{1};

class GateTest : public testing::Test {
 protected:
  void make_gate(const std::string& point) { ASSERT_EQ(::mkfifo((folder_ / point).c_str(), 0600), 0); }
  // Waits for a thread at the gate and returns the descriptor that holds it.
  Descriptor hold(const std::string& point) {
    for (;;) {
      Descriptor held(::open((folder_ / point).c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC));
      if (held.valid()) return held;
      EXPECT_EQ(errno, ENXIO) << "no thread waits there yet";
      std::this_thread::sleep_for(kPause);
    }
  }

  ScratchFolder folder_;
  Gates gates_{folder_.path()};
  std::atomic<bool> stop_{false};
};

TEST_F(GateTest, HoldsUntilItIsLetGo) {
  make_gate("here");
  std::atomic<bool> passed{false};
  std::thread thread([&] {
    gates_.pass("here", stop_);
    passed = true;
  });
  {
    const Descriptor held = hold("here");
    EXPECT_FALSE(passed);
  }
  thread.join();
  EXPECT_TRUE(passed);
}

TEST_F(GateTest, GivesWayToAStop) {
  make_gate("here");
  std::thread thread([&] { gates_.pass("here", stop_); });
  const Descriptor held = hold("here");
  stop_ = true;
  thread.join();
}

TEST_F(GateTest, WhereThereIsNoFifoNothingIsWaitedFor) {
  std::ofstream(folder_ / "file") << "no FIFO";
  gates_.pass("file", stop_);
  gates_.pass("missing", stop_);
  Gates("").pass("file", stop_);
  EXPECT_FALSE(Gates("").exist());
}

TEST_F(GateTest, WhileOneThreadStandsAtAStepNoOtherBeginsOne) {
  make_gate("step-2");
  StepGates steps(gates_, "step", stop_);
  std::atomic<int> begun_count{0};
  std::vector<std::thread> threads;
  constexpr int kThreads = 5;
  threads.reserve(kThreads);
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      steps.pass_next();
      ++begun_count;
    });
  }
  {
    const Descriptor held = hold("step-2");
    while (begun_count < 2) std::this_thread::sleep_for(kPause);
    EXPECT_EQ(begun_count, 2);
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(begun_count, kThreads);
}

TEST(GatesOfTheEnvironment, AreNoneUnlessItNamesThem) {
  EXPECT_EQ(Gates::of_environment().exist(), ::getenv("PATINA_GATES") != nullptr);
}

}  // namespace
}  // namespace patina
