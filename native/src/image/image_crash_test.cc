// Kills programs at random moments and runs the same command again: the result is right.
#include <algorithm>
#include <chrono>
#include <fstream>
#include <random>
#include <thread>

#include "device/device_generation.h"
#include "executor/posix_file_system.h"
#include "image/delta.h"
#include "testing/image_testing.h"
#include "testing/property_testing.h"
#include "testing/test_places.h"

namespace patina {
namespace {

class ImageCrashTest : public ImageTest {
 protected:
  static constexpr uint64_t kSizeBytes = uint64_t{48} << 20;
  const uint32_t kills_count_ = crash_cases(8);

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
  // `before` before and `after` after each, until enough were killed before they were done. Each that ends
  // before its kill updates that time.
  void kill_again_and_again(const std::vector<std::string>& argv, const std::function<void()>& before,
                            const std::function<void()>& after) {
    using Clock = std::chrono::steady_clock;
    before();
    Clock::time_point started = Clock::now();
    require_program(argv);
    std::chrono::duration<double> whole = Clock::now() - started;
    const Descriptor nowhere(::open("/dev/null", O_WRONLY | O_CLOEXEC));
    for (uint32_t killed_count = 0; killed_count < kills_count_;) {
      before();
      started = Clock::now();
      const pid_t pid = spawn_program(argv, nowhere.get());
      std::this_thread::sleep_for(whole * std::uniform_real_distribution<double>(0, 1)(generator_));
      ::kill(pid, SIGKILL);
      int status = 0;
      ASSERT_EQ(::waitpid(pid, &status, 0), pid);
      if (WIFSIGNALED(status)) {
        ++killed_count;
      } else {
        whole = std::min<std::chrono::duration<double>>(whole, Clock::now() - started);
      }
      after();
    }
  }

  std::mt19937 generator_{62};
  uint32_t seed_ = 63;
  std::unique_ptr<LoopDevice> device_;
  std::string copy_;
};

TEST_F(ImageCrashTest, ARestoreRunAgainIsRight) {
  const std::vector<std::string> argv = {kCoreProgram, "restore", "--index",  index_,
                                         "--store",    store_,    "--device", device_->path()};
  kill_again_and_again(
      argv, [this] { write_at(device_->path(), 14 << 20, random_bytes(8 << 20, seed_++)); },
      [&] {
        require_program(argv);
        expect_same(device_->path(), copy_);
      });
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
  kill_again_and_again(argv, trial, [&] {
    require_program(argv);
    expect_same(device_->path(), copy_);
  });
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
  kill_again_and_again(argv, forget, [&] {
    EXPECT_TRUE(verify(store_).ok()) << "after the kill";
    require_program(argv);
    EXPECT_TRUE(verify(store_).ok());
    sink_.events.clear();
    ASSERT_TRUE(
        run_collect({.store = store_, .keep_file = scratch_ / "keep", .dry_run = true}, sink_, stop_).ok());
    EXPECT_EQ(figure("removed_chunks_count"), 0U);
  });
}

TEST_F(ImageCrashTest, ACaptureRunAgainIsRight) {
  const auto device = make_device("captured", 96 << 20);
  write_at(device->path(), 32 << 20, random_bytes(48 << 20, 10));
  std::filesystem::remove_all(store_);
  std::filesystem::remove(index_);
  const std::vector<std::string> argv = {kCoreProgram, "capture", "--device", device->path(), "--store",
                                         store_,       "--mode",  "exact",    "--index",      index_};
  const auto expect_image_of_device = [&] {
    std::filesystem::remove(scratch_ / "out.img");
    require_program({"casync", "extract", "--store=" + store_, index_, scratch_ / "out.img"});
    expect_same(scratch_ / "out.img", device->path());
  };
  kill_again_and_again(
      argv, [] {},
      [&] {
        // An index that is there is a whole image, whenever the program was killed.
        if (!std::filesystem::exists(index_)) return;
        expect_image_of_device();
        std::filesystem::remove(index_);
        std::filesystem::remove_all(store_);
      });
  ASSERT_TRUE(capture(device->path()).ok());
  expect_image_of_device();
  EXPECT_FALSE(std::filesystem::exists(index_ + ".tmp"));
  for (const auto& entry : std::filesystem::directory_iterator(store_)) {
    EXPECT_EQ(entry.path().filename().string().size(), 4U) << "garbage of a dead capture: " << entry.path();
  }
}

}  // namespace
}  // namespace patina
