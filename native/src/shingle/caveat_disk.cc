// Records damage before the data that causes it, and what is sound after it.
#include "shingle/caveat_disk.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/whole_io.h"
#include "shingle/backing_file.h"

namespace patina {
namespace {

constexpr uint64_t kSectorBytes = CaveatGeometry::kSectorBytes;

}  // namespace

Error CaveatDisk::failed(const char* verb) const {
  return {ErrorCode::kIoError, fmt::format("cannot {} '{}': {}", verb, data_path_, std::strerror(errno))};
}

Result<Descriptor> CaveatDisk::open_data(const std::string& path, const CaveatGeometry& geometry) {
  const bool is_addressable = geometry.sectors_count > 0 &&
                              geometry.sectors_count <= (UINT64_MAX - geometry.begin_bytes) / kSectorBytes;
  const bool is_possible = geometry.dnor_sectors <= geometry.did_sectors &&
                           geometry.unshingled_sectors <= geometry.sectors_count && is_addressable;
  if (!is_possible) {
    return Error{ErrorCode::kUsage,
                 fmt::format("a shingled disk of {} sectors, {} of them unshingled, with DNOR {} and DID {} "
                             "cannot be: DNOR is at most DID, and it has a sector",
                             geometry.sectors_count, geometry.unshingled_sectors, geometry.dnor_sectors,
                             geometry.did_sectors)};
  }
  return open_backing(path, geometry.begin_bytes + geometry.sectors_count * kSectorBytes);
}

Result<std::unique_ptr<CaveatDisk>> CaveatDisk::create(const std::string& data_path,
                                                       const std::string& map_path,
                                                       const CaveatGeometry& geometry, Unwritten unwritten) {
  const Result<Descriptor> data = open_data(data_path, geometry);
  if (!data) return data.error();
  const bool is_zeroed = unwritten == Unwritten::kZeroes;
  if (is_zeroed && ::access(map_path.c_str(), F_OK) != 0) {
    if (Status status = zero_backing(
            *data, data_path,
            {geometry.begin_bytes, geometry.begin_bytes + geometry.sectors_count * kSectorBytes});
        !status) {
      return status.error();
    }
  }
  const Result<std::unique_ptr<DamageMap>> map = DamageMap::create(map_path, geometry, !is_zeroed);
  if (!map) return map.error();
  return open(data_path, map_path);
}

Result<std::unique_ptr<CaveatDisk>> CaveatDisk::open(const std::string& data_path,
                                                     const std::string& map_path) {
  Result<std::unique_ptr<DamageMap>> map = DamageMap::open(map_path);
  if (!map) return map.error();
  const CaveatGeometry geometry = (*map)->geometry();
  Result<Descriptor> data = open_data(data_path, geometry);
  if (!data) return data.error();
  return std::unique_ptr<CaveatDisk>(new CaveatDisk(data_path, std::move(*data), std::move(*map), geometry));
}

Status CaveatDisk::check_range(uint64_t first, uint64_t bytes_count) const {
  const uint64_t count = bytes_count / kSectorBytes;
  const bool is_on_disk = first < geometry_.sectors_count && count <= geometry_.sectors_count - first;
  if (bytes_count % kSectorBytes == 0 && count > 0 && is_on_disk) return ok_status();
  return Error{ErrorCode::kUsage,
               fmt::format("{} bytes from sector {} on are not whole sectors of a disk of {}", bytes_count,
                           first, geometry_.sectors_count)};
}

Status CaveatDisk::write(uint64_t first, std::span<const uint8_t> data) {
  if (Status status = check_range(first, data.size()); !status) return status;
  const std::lock_guard lock(mutex_);
  const uint64_t end = first + data.size() / kSectorBytes;
  const uint64_t shingled = std::max(first, geometry_.unshingled_sectors);  // the first one of those written
  const uint64_t reach = shingled < end ? geometry_.did_sectors : 0;
  const uint64_t damaged_end = std::min(end + reach, geometry_.sectors_count);
  const uint64_t damaged_first = std::min(std::max(shingled + 1 + geometry_.dnor_sectors, end), damaged_end);
  if (Status status = map_->damage(damaged_first, damaged_end); !status) return status;
  if (!write_whole(data_.get(), geometry_.begin_bytes + first * kSectorBytes, data)) return failed("write");
  position_ = end;
  return map_->repair(first, end);
}

Status CaveatDisk::read(uint64_t first, std::span<uint8_t> data) {
  if (Status status = check_range(first, data.size()); !status) return status;
  const std::lock_guard lock(mutex_);
  const uint64_t end = first + data.size() / kSectorBytes;
  if (const std::optional<uint64_t> damaged = map_->next_damaged(first, end)) {
    return Error{ErrorCode::kMaybeDamaged,
                 fmt::format("sector {} of the shingled disk may be damaged: a sector up to {} before it was "
                             "written later, or it was never written",
                             *damaged, geometry_.did_sectors)};
  }
  if (!read_whole(data_.get(), geometry_.begin_bytes + first * kSectorBytes, data)) return failed("read");
  position_ = end;
  return ok_status();
}

Status CaveatDisk::flush() {
  const std::lock_guard lock(mutex_);
  if (::fdatasync(data_.get()) != 0) return failed("sync");
  return map_->sync();
}

std::vector<BlockExtent> CaveatDisk::dump(uint64_t from, size_t most) const {
  const std::lock_guard lock(mutex_);
  std::vector<BlockExtent> runs;
  while (runs.size() < most) {
    const std::optional<uint64_t> first = map_->next_damaged(from, geometry_.sectors_count);
    if (!first) break;
    from = map_->next_sound(*first, geometry_.sectors_count).value_or(geometry_.sectors_count);
    runs.push_back({*first, from - *first});
  }
  return runs;
}

uint64_t CaveatDisk::damaged_count() const {
  const std::lock_guard lock(mutex_);
  return map_->damaged_count();
}

uint64_t CaveatDisk::position() const {
  const std::lock_guard lock(mutex_);
  return position_;
}

}  // namespace patina
