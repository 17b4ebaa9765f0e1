// Whole sectors go to the disk as they are. Others are completed in a buffer.
#include "shingle_server/sector_file.h"

#include <algorithm>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <vector>

namespace patina {
namespace {

constexpr uint64_t kSectorBytes = CaveatGeometry::kSectorBytes;

// The sectors that have these bytes.
struct Sectors {
  Sectors(uint64_t offset_bytes, uint64_t length_bytes)
      : first(offset_bytes / kSectorBytes),
        count((offset_bytes + length_bytes + kSectorBytes - 1) / kSectorBytes - first),
        are_whole(offset_bytes % kSectorBytes == 0 && length_bytes % kSectorBytes == 0) {}

  uint64_t first;
  uint64_t count;
  bool are_whole;
};

std::span<uint8_t> sector_in(std::vector<uint8_t>& buffer, uint64_t index) {
  return std::span(buffer).subspan(index * kSectorBytes, kSectorBytes);
}

}  // namespace

uint64_t SectorFile::size_bytes() const {
  return disk_.modesense().sectors_count * kSectorBytes;
}

int SectorFile::read(uint64_t offset_bytes, std::span<uint8_t> data) {
  if (data.empty()) return 0;
  ++reads_count_;
  const int error = read_parts(offset_bytes, data);
  if (error != 0) ++failed_reads_count_;
  return error;
}

int SectorFile::read_parts(uint64_t offset_bytes, std::span<uint8_t> data) {
  const Sectors sectors(offset_bytes, data.size());
  if (sectors.are_whole) return disk_.read(sectors.first, data).ok() ? 0 : EIO;
  std::vector<uint8_t> buffer(sectors.count * kSectorBytes);
  if (!disk_.read(sectors.first, buffer).ok()) return EIO;
  std::copy_n(buffer.begin() + static_cast<ptrdiff_t>(offset_bytes % kSectorBytes), data.size(),
              data.begin());
  return 0;
}

int SectorFile::write(uint64_t offset_bytes, std::span<const uint8_t> data) {
  if (data.empty()) return 0;
  const std::lock_guard lock(parts_);
  ++writes_count_;
  const int error = write_parts(offset_bytes, data);
  if (error != 0) ++refused_writes_count_;
  return error;
}

int SectorFile::write_parts(uint64_t offset_bytes, std::span<const uint8_t> data) {
  const Sectors sectors(offset_bytes, data.size());
  if (sectors.are_whole) return disk_.write(sectors.first, data).ok() ? 0 : EIO;
  std::vector<uint8_t> buffer(sectors.count * kSectorBytes);
  const uint64_t begin = offset_bytes % kSectorBytes;
  const bool is_end_partial = (begin + data.size()) % kSectorBytes != 0;
  const bool is_first_read = begin != 0 || (is_end_partial && sectors.count == 1);
  const bool is_last_read = is_end_partial && sectors.count > 1;
  if (is_first_read && !disk_.read(sectors.first, sector_in(buffer, 0)).ok()) return EIO;
  const uint64_t last = sectors.count - 1;
  if (is_last_read && !disk_.read(sectors.first + last, sector_in(buffer, last)).ok()) return EIO;
  std::copy(data.begin(), data.end(), buffer.begin() + static_cast<ptrdiff_t>(begin));
  return disk_.write(sectors.first, buffer).ok() ? 0 : EIO;
}

int SectorFile::zero(uint64_t /*offset_bytes*/, uint64_t /*length_bytes*/) {
  return EOPNOTSUPP;
}

int SectorFile::flush() {
  return disk_.flush().ok() ? 0 : EIO;
}

nlohmann::ordered_json SectorFile::report() const {
  return {{"sectors_count", disk_.modesense().sectors_count},
          {"damaged_sectors_count", disk_.damaged_count()},
          {"reads_count", reads_count_.load()},
          {"failed_reads_count", failed_reads_count_.load()},
          {"writes_count", writes_count_.load()},
          {"refused_writes_count", refused_writes_count_.load()}};
}

}  // namespace patina
