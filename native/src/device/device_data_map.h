// The ranges of a device that may be nonzero, as far as known without reading it.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/byte_range.h"
#include "base/result.h"
#include "device/device.h"

namespace patina {

// Finds holes in the device's own file, or in the file behind a loop device (or a partition of one). Where
// holes are unknown, everything may be data. The device must not be written to meanwhile.
class DeviceDataMap {
 public:
  // `zeroed`, ascending and disjoint, is taken as zero regardless of its content.
  explicit DeviceDataMap(const Device& device, std::vector<ByteRange> zeroed = {});
  ~DeviceDataMap();
  DeviceDataMap(const DeviceDataMap&) = delete;
  DeviceDataMap& operator=(const DeviceDataMap&) = delete;

  // Why holes are unknown; empty when they are known.
  const std::string& reason_unknown() const { return reason_unknown_; }
  // Returns the first range at or after the offset that may hold data; empty, at the device's end, when there
  // is none. Rounded out to kDeviceAlignmentBytes. Safe from several threads.
  ByteRange next_data(uint64_t offset_bytes) const;
  // Returns the ranges that the emulated disk behind the device keeps, ascending and disjoint; null if none
  // is behind it, or it keeps all data. kIoError.
  Result<std::optional<std::vector<ByteRange>>> kept_ranges() const;
  // Reads a part of the device; holes are filled in and not read. Returns the number of bytes read. kIoError.
  Result<uint64_t> read(uint64_t offset_bytes, std::span<uint8_t> data) const;

 private:
  void open_loop_backing();
  // Returns the first range at or after the offset that is no hole.
  ByteRange next_held(uint64_t offset_bytes) const;
  // The same, by a query to the file system.
  ByteRange seek_data(uint64_t offset_bytes) const;
  // Zeroes the bytes of `data` that lie in the ranges taken as zero.
  void clear_zeroed(uint64_t offset_bytes, std::span<uint8_t> data) const;

  const Device& device_;
  const std::vector<ByteRange> zeroed_;
  const std::vector<ByteRange> skipped_;  // the whole blocks of it, which need not be read
  int fd_ = -1;                           // the file whose holes are the device's
  uint64_t file_offset_bytes_ = 0;        // where in it the device begins
  std::string reason_unknown_;

  // The last answer. Finding the end of a range takes time in proportion to its length, in memory at least:
  // repeated for each chunk, that would be quadratic.
  mutable std::mutex mutex_;
  mutable uint64_t answered_from_bytes_ = 0;
  mutable ByteRange answer_;
};

}  // namespace patina
