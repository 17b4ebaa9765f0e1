// Many threads on one disk, without the kernel between.
#include "emulate/emulated_disk.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>
#include <vector>

#include "testing/device_testing.h"

namespace patina {
namespace {

constexpr uint64_t kDiskBytes = uint64_t{64} << 20U;
constexpr int kThreads = 4;
constexpr uint64_t kPartBytes = kDiskBytes / kThreads;

std::unique_ptr<EmulatedDisk> open_disk(const std::string& folder, KeepKind keep = KeepKind::kAll) {
  Result<std::unique_ptr<EmulatedDisk>> disk = EmulatedDisk::open(
      {.folder = folder, .size_bytes = kDiskBytes, .keep = keep, .content = {.kind = ContentKind::kRandom}});
  EXPECT_TRUE(disk.ok());
  return std::move(*disk);
}

// Writes, zeroes and reads any bytes of its part, and compares with a copy.
void disturb(EmulatedDisk& disk, uint64_t begin_bytes, uint32_t seed, std::vector<uint8_t>& copy) {
  std::mt19937_64 random(seed);
  std::vector<uint8_t> data;
  for (int i = 0; i < 400; ++i) {
    const uint64_t at = random() % kPartBytes;
    const uint64_t length =
        1 + random() % std::min<uint64_t>(kPartBytes - at, random() % 4 == 0 ? 100'000 : 6000);
    data.resize(length);
    switch (random() % 4) {
      case 0:
        ASSERT_EQ(disk.zero(begin_bytes + at, length), 0);
        std::fill_n(copy.begin() + static_cast<std::ptrdiff_t>(at), length, uint8_t{0});
        break;
      case 1:
        ASSERT_EQ(disk.read(begin_bytes + at, data), 0);
        ASSERT_TRUE(std::equal(data.begin(), data.end(), copy.begin() + static_cast<std::ptrdiff_t>(at)));
        break;
      default:
        std::generate(data.begin(), data.end(), [&random] { return static_cast<uint8_t>(random()); });
        ASSERT_EQ(disk.write(begin_bytes + at, data), 0);
        std::copy(data.begin(), data.end(), copy.begin() + static_cast<std::ptrdiff_t>(at));
    }
    if (random() % 20 == 0) {
      ASSERT_EQ(disk.flush(), 0);
      ASSERT_EQ(disk.report()["size_bytes"], kDiskBytes);
    }
  }
}

TEST(EmulatedDisk, ThreadsReadWhatTheyWroteAlsoAfterANewStart) {
  const ScratchFolder folder;
  std::vector<std::vector<uint8_t>> copies(kThreads, std::vector<uint8_t>(kPartBytes));
  {
    const std::unique_ptr<EmulatedDisk> disk = open_disk(folder.path());
    std::vector<std::thread> threads;
    threads.reserve(kThreads);
    for (uint32_t i = 0; i < kThreads; ++i) {
      threads.emplace_back([&, i] { disturb(*disk, i * kPartBytes, i, copies[i]); });
    }
    for (std::thread& thread : threads) thread.join();
    ASSERT_TRUE(disk->close().ok());
  }
  const std::unique_ptr<EmulatedDisk> disk = open_disk(folder.path());
  std::vector<uint8_t> found(kPartBytes);
  for (uint32_t i = 0; i < kThreads; ++i) {
    ASSERT_EQ(disk->read(i * kPartBytes, found), 0);
    EXPECT_TRUE(found == copies[i]) << i;
  }
}

TEST(EmulatedDisk, DroppedDataAreGeneratedAndStayTheSame) {
  const ScratchFolder folder;
  std::vector<uint8_t> first(1 << 20U);
  std::vector<uint8_t> again(first.size());
  {
    const std::unique_ptr<EmulatedDisk> disk = open_disk(folder.path(), KeepKind::kNothing);
    ASSERT_EQ(disk->write(0, std::vector<uint8_t>(first.size(), 7)), 0);
    ASSERT_EQ(disk->read(0, first), 0);
    EXPECT_EQ(disk->report()["dropped_bytes"], first.size());
    EXPECT_EQ(disk->report()["kept_bytes"], 0);
    EXPECT_FALSE(std::ranges::all_of(first, [](uint8_t byte) { return byte == 7; }));
    ASSERT_TRUE(disk->close().ok());
  }
  const std::unique_ptr<EmulatedDisk> disk = open_disk(folder.path(), KeepKind::kNothing);
  ASSERT_EQ(disk->read(0, again), 0);
  EXPECT_TRUE(again == first);
}

TEST(EmulatedDisk, AModelThatDoesNotExistIsRefused) {
  const ScratchFolder folder;
  const auto disk =
      EmulatedDisk::open({.folder = folder.path(), .size_bytes = kDiskBytes, .model = "a disk of cheese"});
  ASSERT_FALSE(disk.ok());
  EXPECT_EQ(disk.error().code, ErrorCode::kModelInvalid);
}

}  // namespace
}  // namespace patina
