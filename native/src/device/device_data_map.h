// Where a device may hold anything but zero, as far as that can be known without reading it.
#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "base/byte_range.h"
#include "base/result.h"
#include "device/device.h"

namespace patina {

// Knows holes from the device's own file, or from the file behind a loop device (or a partition of one).
// Where nothing can be known for certain, everything may be data. Nobody may write to the device meanwhile.
class DeviceDataMap {
 public:
  // `zeroed`, ascending and disjoint, is taken as zero whatever is there.
  explicit DeviceDataMap(const Device& device, std::vector<ByteRange> zeroed = {});
  ~DeviceDataMap();
  DeviceDataMap(const DeviceDataMap&) = delete;
  DeviceDataMap& operator=(const DeviceDataMap&) = delete;

  // Why nothing is known; empty when holes are known.
  const std::string& reason_unknown() const { return reason_unknown_; }
  // The first range at or after the offset that may hold data; empty, at the device's end, when there is
  // none. Rounded out to kDeviceAlignmentBytes. Safe from several threads.
  ByteRange next_data(uint64_t offset_bytes) const;
  // Reads a part of the device; holes are filled in and not read. Gives the bytes that were read. kIoError.
  Result<uint64_t> read(uint64_t offset_bytes, std::span<uint8_t> data) const;

 private:
  void open_loop_backing();
  // The first range at or after the offset that is no hole.
  ByteRange next_held(uint64_t offset_bytes) const;
  // The same, asked of the file system.
  ByteRange seek_data(uint64_t offset_bytes) const;
  // Zeroes what of these bytes of the device is to be taken as zero.
  void clear_zeroed(uint64_t offset_bytes, std::span<uint8_t> data) const;

  const Device& device_;
  const std::vector<ByteRange> zeroed_;
  const std::vector<ByteRange> skipped_;  // the whole blocks of it, which need not be read
  int fd_ = -1;                           // the file whose holes are the device's
  uint64_t file_offset_bytes_ = 0;        // where in it the device begins
  std::string reason_unknown_;

  // The last answer. Finding the end of a range costs as much as the range is long, in memory at least: asked
  // for each chunk of it, that would be quadratic.
  mutable std::mutex mutex_;
  mutable uint64_t answered_from_bytes_ = 0;
  mutable ByteRange answer_;
};

}  // namespace patina
