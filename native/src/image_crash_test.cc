// Programs killed at random moments, and the same command again: right in the end.
#include <fstream>
#include <random>
#include <thread>

#include "delta.h"
#include "device_generation.h"
#include "image_testing.h"
#include "test_places.h"

namespace patina {
namespace {

class ImageCrashTest : public ImageTest {
 protected:
  static constexpr uint64_t kSizeBytes = uint64_t{48} << 20;
  static constexpr int kKills = 20;

  void SetUp() override {
    ImageTest::SetUp();
    if (IsSkipped()) return;
    device_ = make_device("disk", kSizeBytes);
    write_at(device_->path(), 16 << 20, random_bytes(24 << 20, 61));
    ASSERT_TRUE(capture(device_->path()).ok());
    copy_ = scratch_ / "copy";
    require_program({"cp", "--sparse=always", device_->path(), copy_});
  }

  // Runs it to its end once to learn how long it takes; then kills it at random moments of that time, calls
  // `before` before and `after` after each. Gives how many were killed before they were done.
  int kill_again_and_again(const std::vector<std::string>& argv, const std::function<void()>& before,
                           const std::function<void()>& after) {
    before();
    const auto started = std::chrono::steady_clock::now();
    require_program(argv);
    const std::chrono::duration<double> whole = std::chrono::steady_clock::now() - started;
    const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    std::uniform_real_distribution<double> moment(0, whole.count());
    int killed_count = 0;
    for (int round = 0; round < kKills; ++round) {
      before();
      const pid_t pid = spawn_program(argv, nowhere);
      std::this_thread::sleep_for(std::chrono::duration<double>(moment(generator_)));
      ::kill(pid, SIGKILL);
      int status = 0;
      EXPECT_EQ(::waitpid(pid, &status, 0), pid);
      killed_count += WIFSIGNALED(status);
      after();
    }
    ::close(nowhere);
    return killed_count;
  }

  std::mt19937 generator_{62};
  uint32_t seed_ = 63;
  std::unique_ptr<LoopDevice> device_;
  std::string copy_;
};

TEST_F(ImageCrashTest, ARestoreRunAgainIsRight) {
  const std::vector<std::string> argv = {kCoreProgram, "restore", "--index",  index_,
                                         "--store",    store_,    "--device", device_->path()};
  const int killed_count = kill_again_and_again(
      argv, [this] { write_at(device_->path(), 14 << 20, random_bytes(8 << 20, seed_++)); },
      [&] {
        require_program(argv);
        expect_same(device_->path(), copy_);
      });
  EXPECT_GT(killed_count, 5);
}

TEST_F(ImageCrashTest, ARollbackRunAgainIsRight) {
  const std::string delta_file = scratch_ / "delta";
  const std::vector<std::string> argv = {kCoreProgram, "rollback", "--index",       index_,    "--store",
                                         store_,       "--device", device_->path(), "--delta", delta_file};
  const auto trial = [&] {
    Delta delta;
    delta.device_bytes = kSizeBytes;
    delta.source = "tracefs";
    for (uint64_t at = 1 << 20; at < kSizeBytes - (2 << 20); at += 3 << 20) {
      write_at(device_->path(), at, random_bytes(1 << 20, seed_++));
      delta.extents.push_back({at, at + (1 << 20)});
    }
    delta.generation_end = *device_generation(device_->path());
    ASSERT_TRUE(write_delta(delta_file, delta).ok());
  };
  const int killed_count = kill_again_and_again(argv, trial, [&] {
    require_program(argv);
    expect_same(device_->path(), copy_);
  });
  EXPECT_GT(killed_count, 5);
}

TEST_F(ImageCrashTest, ACollectionRunAgainIsRightAndNeverTakesWhatIsNamed) {
  const std::string forgotten = scratch_ / "forgotten.caibx";
  const auto forget = [&] {
    write_at(scratch_ / "file", 0, random_bytes(8 << 20, seed_++));
    const std::string kept = std::exchange(index_, forgotten);
    ASSERT_TRUE(capture(scratch_ / "file", 4096).ok());
    index_ = kept;
  };
  std::ofstream(scratch_ / "keep") << index_ << "\n";
  const std::vector<std::string> argv = {kCoreProgram, "gc", "--store", store_, "--keep", scratch_ / "keep"};
  const int killed_count = kill_again_and_again(argv, forget, [&] {
    EXPECT_TRUE(verify(store_).ok()) << "after the kill";
    require_program(argv);
    EXPECT_TRUE(verify(store_).ok());
    sink_.events.clear();
    ASSERT_TRUE(
        run_collect({.store = store_, .keep_file = scratch_ / "keep", .dry_run = true}, sink_, stop_).ok());
    EXPECT_EQ(figure("removed_chunks_count"), 0U);
  });
  EXPECT_GT(killed_count, 5);
}

}  // namespace
}  // namespace patina
