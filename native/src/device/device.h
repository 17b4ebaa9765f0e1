// A block device (or a regular file in place of one), opened for exclusive use.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>

#include "base/result.h"

namespace patina {

// The alignment that O_DIRECT needs on every supported device and file system.
inline constexpr uint64_t kDeviceAlignmentBytes = 4096;

// A shorter write would wait longer for the device than its copy takes: the page cache collects those, and
// settle() writes them together.
inline constexpr uint64_t kShortWriteBytes = uint64_t{128} << 10;

// Memory that O_DIRECT accepts.
class AlignedBuffer {
 public:
  explicit AlignedBuffer(size_t size_bytes);
  std::span<uint8_t> first(size_t size_bytes) { return {data_.get(), size_bytes}; }

 private:
  struct Free {
    void operator()(uint8_t* data) const { std::free(data); }
  };
  std::unique_ptr<uint8_t, Free> data_;
};

class Device {
 public:
  // Errors of both: kDeviceBusy (naming the holder, where known), kDeviceUnusable.
  static Result<std::unique_ptr<Device>> open_to_read(const std::string& path);
  static Result<std::unique_ptr<Device>> open_to_write(const std::string& path);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  const std::string& path() const { return path_; }
  uint64_t size_bytes() const { return size_bytes_; }
  bool is_block() const { return is_block_; }
  int fd() const { return fd_; }

  // Of an emulated disk: a read may return other data than were written, so none are compared.
  bool drops_data() const { return drops_data_; }
  void set_drops_data(bool drops_data) { drops_data_ = drops_data; }
  // Checks that an image of so many bytes fits. kDeviceTooSmall.
  Status check_fits(uint64_t image_bytes) const;
  // Writes everything written so far to the device and drops it from this machine's caches. kIoError.
  Status settle();

  // Returns device_generation() of this device; empty when unknown.
  std::string generation() const;

  // Bypasses the caches where offset, length and memory are aligned. Safe from several threads as long as no
  // two of them touch one kDeviceAlignmentBytes-block at a time. kIoError.
  Status read(uint64_t offset_bytes, std::span<uint8_t> data) const;
  // A short write reaches the device at the next settle() at the latest, which may then return its kIoError.
  Status write(uint64_t offset_bytes, std::span<const uint8_t> data) const;
  // Zeroes a range, by the device's own command where it has one, which may free the blocks.
  Status zero(uint64_t offset_bytes, uint64_t length_bytes) const;

 private:
  Device(std::string path, int fd) : path_(std::move(path)), fd_(fd) {}
  static Result<std::unique_ptr<Device>> open(const std::string& path, int access);
  Status learn_size();
  int fd_for(uint64_t offset_bytes, const void* data, uint64_t length_bytes) const;
  bool zero_by_command(uint64_t offset_bytes, uint64_t length_bytes) const;
  Status write_zeroes(uint64_t offset_bytes, uint64_t length_bytes) const;
  Error io_error(const char* what, uint64_t offset_bytes, int error_number) const;

  std::string path_;
  int fd_;
  int direct_fd_ = -1;  // the same device by O_DIRECT, or -1
  bool is_block_ = false;
  bool drops_data_ = false;
  uint64_t size_bytes_ = 0;
};

}  // namespace patina
