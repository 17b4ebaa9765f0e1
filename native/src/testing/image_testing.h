// A device, a store and an index in a scratch folder, for the tests of capture and restore.
#pragma once

#include <memory>
#include <string>

#include "image/image.h"
#include "testing/device_testing.h"

namespace patina {

class ImageTest : public testing::Test {
 protected:
  void SetUp() override { PATINA_REQUIRE_ROOT(); }

  // Makes a device with data at the ends, in the middle, in pieces, twice, and written zeroes; the rest are
  // holes.
  std::unique_ptr<LoopDevice> make_device(const std::string& name, uint64_t size_bytes = kDeviceBytes) {
    auto device = std::make_unique<LoopDevice>(scratch_ / name, size_bytes);
    write_at(device->path(), 0, random_bytes(5000, 1));
    write_at(device->path(), 3 * kChunkBytes + 8192, random_bytes(4096, 2));
    write_at(device->path(), 4 * kChunkBytes, random_bytes(kChunkBytes, 3));
    write_at(device->path(), 5 * kChunkBytes, random_bytes(kChunkBytes, 3));
    write_at(device->path(), 9 * kChunkBytes, std::string(2 * kChunkBytes, '\0'));
    write_at(device->path(), size_bytes - 4096, random_bytes(4096, 4));
    return device;
  }

  Status capture(const std::string& device, uint64_t chunk_size_bytes = kDefaultChunkSizeBytes,
                 CaptureMode mode = CaptureMode::kExact) {
    sink_.events.clear();
    return run_capture({.device = device,
                        .store = store_,
                        .index_file = index_,
                        .mode = mode,
                        .chunk_size_bytes = chunk_size_bytes,
                        .threads = 3},
                       sink_, stop_);
  }

  Status restore(const std::string& device, const std::string& assume = "") {
    sink_.events.clear();
    return run_restore(
        {.index_file = index_, .store = store_, .device = device, .assume = assume, .threads = 3}, sink_,
        stop_);
  }

  Status verify(const std::string& store, const std::string& device = "") {
    sink_.events.clear();
    return run_verify({.index_file = index_, .store = store, .device = device, .threads = 3}, sink_, stop_);
  }

  // Returns a figure of the last command's last event.
  uint64_t figure(const char* name) const { return sink_.last()[name].get<uint64_t>(); }

  static void flip_bit(const std::string& file, uint64_t at) {
    ASSERT_EQ(::chmod(file.c_str(), 0600), 0);
    const char flipped = static_cast<char>(read_whole_file(file)[at] ^ 0x10);
    write_at(file, at, std::string(1, flipped));
  }

  static void expect_code(const Status& status, ErrorCode code, const std::string& mentions) {
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().code, code) << status.error().message;
    EXPECT_NE(status.error().message.find(mentions), std::string::npos) << status.error().message;
  }

  static void expect_same(const std::string& a, const std::string& b) {
    EXPECT_EQ(run_program({"cmp", a, b}).output, "");
  }

  std::string a_chunk_file() const {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(store_)) {
      if (entry.path().extension() == ".cacnk" && entry.file_size() > 100000) return entry.path();
    }
    return "";
  }

  static constexpr uint64_t kChunkBytes = kDefaultChunkSizeBytes;
  static constexpr uint64_t kDeviceBytes = 64 * kChunkBytes;
  ScratchFolder scratch_;
  std::string store_ = scratch_ / "store";
  std::string index_ = scratch_ / "image.caibx";
  CollectingSink sink_;
  std::atomic<bool> stop_{false};
};

}  // namespace patina
