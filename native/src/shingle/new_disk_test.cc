// The sectors and bands that fit into a size.
#include "shingle/new_disk.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <array>

#include "base/whole_io.h"
#include "shingle/backing_file.h"
#include "testing/device_testing.h"

namespace patina {
namespace {

TEST(NewDisk, HasTheSizeOfItsFileOrTheGivenOne) {
  const ScratchFolder folder;
  write_at(folder / "data", 20'000, "x");
  EXPECT_EQ(caveat_geometry({}, folder / "data")->sectors_count, 4U);
  EXPECT_EQ(caveat_geometry({.size_bytes = 1 << 20U}, folder / "none")->sectors_count, 256U);
  EXPECT_EQ(caveat_geometry({}, folder / "none").error().code, ErrorCode::kBackingInvalid);
  EXPECT_EQ(band_geometry({}, folder / "none").error().code, ErrorCode::kBackingInvalid);
  const auto geometry = caveat_geometry(
      {.size_bytes = 1 << 20U, .did_blocks = 7, .dnor_blocks = 3, .unshingled_bytes = 4097}, "");
  EXPECT_EQ(
      *geometry,
      (CaveatGeometry{.sectors_count = 256, .did_sectors = 7, .dnor_sectors = 3, .unshingled_sectors = 2}));
}

TEST(NewDisk, TheLastBandNeedsNoGap) {
  const auto bands = [](uint64_t sectors, uint64_t band_sectors, uint64_t did) {
    return band_geometry({.interface = DiskInterface::kStrictAppend,
                          .size_bytes = sectors * 4096,
                          .did_blocks = did,
                          .band_bytes = band_sectors * 4096},
                         "");
  };
  EXPECT_EQ(*bands(204, 100, 4), (BandGeometry{2, 100, 4}));
  EXPECT_EQ(bands(203, 100, 4).error().code, ErrorCode::kUsage);
  EXPECT_EQ(bands(100, 0, 0).error().code, ErrorCode::kUsage);
}

TEST(BackingFile, ALockIsOfOneUntilItIsClosed) {
  const ScratchFolder folder;
  EXPECT_EQ(lock_backing(folder / "data").error().code, ErrorCode::kBackingInvalid);
  write_at(folder / "data", 0, "x");
  {
    const auto lock = lock_backing(folder / "data");
    ASSERT_TRUE(lock.ok());
    EXPECT_EQ(lock_backing(folder / "data").error().code, ErrorCode::kBackingInvalid);
  }
  EXPECT_TRUE(lock_backing(folder / "data").ok());
}

TEST(BackingFile, ReadsOfADeviceDoNotReadAheadOfThem) {
  PATINA_REQUIRE_ROOT();
  constexpr uint64_t kDeviceBytes = uint64_t{1} << 20U;
  constexpr uint64_t kPageBytes = 4096;
  const ScratchFolder folder;
  const LoopDevice device(folder / "device", kDeviceBytes);
  const auto data = open_backing(device.path(), kDeviceBytes);
  ASSERT_TRUE(data.ok());
  std::array<uint8_t, kPageBytes> page{};
  for (const uint64_t number : {100U, 101U}) ASSERT_TRUE(read_whole(data->get(), number * kPageBytes, page));
  void* const mapped = ::mmap(nullptr, kDeviceBytes, PROT_READ, MAP_SHARED, data->get(), 0);
  ASSERT_NE(mapped, MAP_FAILED);
  std::array<uint8_t, kDeviceBytes / kPageBytes> cached{};
  EXPECT_EQ(::mincore(mapped, kDeviceBytes, cached.data()), 0);
  ::munmap(mapped, kDeviceBytes);
  EXPECT_EQ(cached[101] & 1U, 1U);
  EXPECT_EQ(cached[102] & 1U, 0U);
}

}  // namespace
}  // namespace patina
