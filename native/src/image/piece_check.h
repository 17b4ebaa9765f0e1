// Compares a device with an image, piece by piece, by the digests of the index.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "base/result.h"
#include "device/device.h"
#include "device/device_data_map.h"
#include "image/image_pieces.h"

namespace patina {

// Safe from several threads.
class PieceCheck {
 public:
  explicit PieceCheck(const Device& device) : device_(device), data_map_(device) {}

  // Whether the device holds this chunk (not a zero run); its bytes are in the buffer then. kIoError.
  Result<bool> holds(const IndexEntry& chunk, std::span<uint8_t> buffer) const;
  // Calls `found` for each stretch, at most a buffer long, that is not all zero; its bytes are in the buffer
  // then. Errors: kIoError, and those of `found`.
  Status find_data(const ByteRange& run, std::span<uint8_t> buffer,
                   const std::function<Status(const ByteRange& place)>& found) const;
  // Checks that the device holds the piece, unless it drops data. kVerifyMismatch, naming the chunk and its
  // place, with `reason` as explanation.
  Status require(const Piece& piece, std::span<uint8_t> buffer, const char* reason) const;

 private:
  const Device& device_;
  const DeviceDataMap data_map_;
};

}  // namespace patina
