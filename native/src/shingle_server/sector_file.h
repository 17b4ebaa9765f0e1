// A Caveat-Scriptor disk as a file: any bytes, for a file system that knows nothing of damage.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <span>

#include "fuse/served_file.h"
#include "shingle/caveat_disk.h"

namespace patina {

// A sector that is written in part is read first, so that it must not be damaged. EIO: a sector may be
// damaged, or the host's own error.
class SectorFile final : public ServedFile {
 public:
  // The disk must outlive it.
  explicit SectorFile(CaveatDisk& disk) : disk_(disk) {}

  uint64_t size_bytes() const override;
  uint64_t writes_count() const override { return writes_count_; }
  int read(uint64_t offset_bytes, std::span<uint8_t> data) override;
  int write(uint64_t offset_bytes, std::span<const uint8_t> data) override;
  // EOPNOTSUPP: the disk has no discards, and zeroes are written as other data.
  int zero(uint64_t offset_bytes, uint64_t length_bytes) override;
  int flush() override;

  // The fields of the summary.
  nlohmann::ordered_json report() const;

 private:
  int read_parts(uint64_t offset_bytes, std::span<uint8_t> data);
  int write_parts(uint64_t offset_bytes, std::span<const uint8_t> data);

  CaveatDisk& disk_;
  std::mutex parts_;  // nothing is written while the rest of a sector is read
  std::atomic<uint64_t> reads_count_ = 0;
  std::atomic<uint64_t> writes_count_ = 0;
  std::atomic<uint64_t> failed_reads_count_ = 0;
  std::atomic<uint64_t> refused_writes_count_ = 0;
};

}  // namespace patina
