// A file whose content this process has: a disk, for a loop device over it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/byte_range.h"

namespace patina {

// Called by several threads. Offsets and lengths lie within the file. Requests return 0 or an errno.
class ServedFile {
 public:
  static constexpr uint64_t kBlockBytes = 4096;  // that it has best

  ServedFile() = default;
  virtual ~ServedFile() = default;
  ServedFile(const ServedFile&) = delete;
  ServedFile& operator=(const ServedFile&) = delete;

  virtual uint64_t size_bytes() const = 0;
  // Changes with every write; for the times of the file.
  virtual uint64_t writes_count() const = 0;
  virtual int read(uint64_t offset_bytes, std::span<uint8_t> data) = 0;
  virtual int write(uint64_t offset_bytes, std::span<const uint8_t> data) = 0;
  virtual int zero(uint64_t offset_bytes, uint64_t length_bytes) = 0;
  virtual int flush() = 0;

  // As lseek(2) does: the first byte from `offset_bytes` on that may not be zero (or is zero).
  virtual uint64_t next_data(uint64_t offset_bytes) const { return offset_bytes; }
  virtual uint64_t next_hole(uint64_t /*offset_bytes*/) const { return size_bytes(); }
  // Returns up to `most` of the ranges from `offset_bytes` on that are kept; null if no data is dropped.
  virtual std::optional<std::vector<ByteRange>> kept_ranges(uint64_t /*offset_bytes*/,
                                                            size_t /*most*/) const {
    return std::nullopt;
  }
};

}  // namespace patina
