// Stores a cursor after the data before it.
#include "shingle/strict_append_disk.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/durable_file.h"
#include "base/whole_io.h"
#include "shingle/backing_file.h"

namespace patina {
namespace {

constexpr uint64_t kSectorBytes = BandGeometry::kSectorBytes;

// Behind it, the cursors: 8 bytes each.
struct Head {
  static constexpr uint64_t kMark = 0x53524f5352554342;  // "BCURSORS"
  uint64_t mark = kMark;
  uint64_t version = 3;
  BandGeometry geometry;
};

Error failed(const char* verb, const std::string& path) {
  return {ErrorCode::kIoError, fmt::format("cannot {} '{}': {}", verb, path, std::strerror(errno))};
}

}  // namespace

StrictAppendDisk::StrictAppendDisk(std::string data_path, Descriptor data, std::string cursors_path,
                                   Descriptor cursors_file, const BandGeometry& geometry)
    : data_path_(std::move(data_path)),
      data_(std::move(data)),
      cursors_path_(std::move(cursors_path)),
      cursors_file_(std::move(cursors_file)),
      geometry_(geometry),
      cursors_(geometry.bands_count) {}

Result<Descriptor> StrictAppendDisk::open_data(const std::string& path, const BandGeometry& geometry) {
  const uint64_t step = geometry.band_sectors + geometry.gap_sectors;
  const bool fits = geometry.band_sectors > 0 && step >= geometry.band_sectors && geometry.bands_count > 0 &&
                    geometry.bands_count <= (UINT64_MAX - geometry.begin_bytes) / kSectorBytes / step;
  if (!fits) {
    return Error{ErrorCode::kUsage,
                 fmt::format("{} bands of {} sectors with gaps of {} cannot be", geometry.bands_count,
                             geometry.band_sectors, geometry.gap_sectors)};
  }
  const uint64_t sectors_count = geometry.bands_count * step - geometry.gap_sectors;
  return open_backing(path, geometry.begin_bytes + sectors_count * kSectorBytes);
}

Result<std::unique_ptr<StrictAppendDisk>> StrictAppendDisk::create(const std::string& data_path,
                                                                   const std::string& cursors_path,
                                                                   const BandGeometry& geometry) {
  const Result<Descriptor> data = open_data(data_path, geometry);
  if (!data) return data.error();
  if (::access(cursors_path.c_str(), F_OK) == 0) {
    return Error{ErrorCode::kBackingInvalid,
                 fmt::format("'{}' exists: open the disk, or remove it first", cursors_path)};
  }
  const Result<std::unique_ptr<DurableFile>> file = DurableFile::create(cursors_path, "the file of cursors");
  if (!file) return file.error();
  const Head head{.geometry = geometry};
  std::string bytes(sizeof head + geometry.bands_count * sizeof(uint64_t), '\0');
  std::memcpy(bytes.data(), &head, sizeof head);
  if (Status status = (*file)->append(bytes); !status) return status.error();
  if (Status status = (*file)->publish(); !status) return status.error();
  return open(data_path, cursors_path);
}

bool StrictAppendDisk::has_state(const std::string& cursors_path) {
  const Descriptor file(::open(cursors_path.c_str(), O_RDONLY | O_CLOEXEC));
  uint64_t mark = 0;
  const std::span bytes(reinterpret_cast<uint8_t*>(&mark), sizeof mark);
  return file.valid() && read_whole(file.get(), 0, bytes) && mark == Head::kMark;
}

Result<std::unique_ptr<StrictAppendDisk>> StrictAppendDisk::open(const std::string& data_path,
                                                                 const std::string& cursors_path) {
  Result<Descriptor> cursors = open_backing(cursors_path);
  if (!cursors) return cursors.error();
  Head head{.mark = 0, .version = 0, .geometry = {}};
  struct stat file = {};
  const std::span bytes(reinterpret_cast<uint8_t*>(&head), sizeof head);
  const bool is_read = ::fstat(cursors->get(), &file) == 0 && read_whole(cursors->get(), 0, bytes);
  const BandGeometry& geometry = head.geometry;
  const bool is_whole =
      static_cast<uint64_t>(file.st_size) == sizeof head + geometry.bands_count * sizeof(uint64_t);
  if (!is_read || head.mark != Head::kMark || head.version != Head().version || !is_whole) {
    return Error{ErrorCode::kBackingInvalid,
                 fmt::format("'{}' is not the file of cursors of a strict-append disk", cursors_path)};
  }
  Result<Descriptor> data = open_data(data_path, geometry);
  if (!data) return data.error();
  std::unique_ptr<StrictAppendDisk> disk(
      new StrictAppendDisk(data_path, std::move(*data), cursors_path, std::move(*cursors), geometry));
  if (Status status = disk->read_cursors(); !status) return status.error();
  return disk;
}

Status StrictAppendDisk::read_cursors() {
  const std::span bytes(reinterpret_cast<uint8_t*>(cursors_.data()), cursors_.size() * sizeof(uint64_t));
  bool is_valid = read_whole(cursors_file_.get(), sizeof(Head), bytes);
  for (const uint64_t cursor : cursors_) is_valid = is_valid && cursor <= geometry_.band_sectors;
  if (is_valid) return ok_status();
  return Error{
      ErrorCode::kBackingInvalid,
      fmt::format("'{}' does not have the cursors of {} bands of {} sectors with gaps of {}", cursors_path_,
                  geometry_.bands_count, geometry_.band_sectors, geometry_.gap_sectors)};
}

Status StrictAppendDisk::check_band(uint64_t band) const {
  if (band < geometry_.bands_count) return ok_status();
  return Error{ErrorCode::kUsage,
               fmt::format("there is no band {}: the disk has {}", band, geometry_.bands_count)};
}

uint64_t StrictAppendDisk::place_bytes(uint64_t band, uint64_t sector) const {
  const uint64_t step = geometry_.band_sectors + geometry_.gap_sectors;
  return geometry_.begin_bytes + (band * step + sector) * kSectorBytes;
}

Status StrictAppendDisk::store(uint64_t band, uint64_t cursor) {
  cursors_[band] = cursor;
  const std::span bytes(reinterpret_cast<const uint8_t*>(&cursors_[band]), sizeof cursor);
  const bool is_stored = write_whole(cursors_file_.get(), sizeof(Head) + band * sizeof cursor, bytes);
  return is_stored ? ok_status() : Status(failed("write", cursors_path_));
}

Result<uint64_t> StrictAppendDisk::get(uint64_t band) const {
  if (Status status = check_band(band); !status) return status.error();
  const std::lock_guard lock(mutex_);
  return cursors_[band];
}

Status StrictAppendDisk::set(uint64_t band, uint64_t cursor) {
  if (Status status = check_band(band); !status) return status;
  const std::lock_guard lock(mutex_);
  if (cursor <= cursors_[band]) return store(band, cursor);
  return Error{ErrorCode::kUsage,
               fmt::format("the cursor of band {} is {}, and can be set back only, not to {}", band,
                           cursors_[band], cursor)};
}

Status StrictAppendDisk::reset_all() {
  const std::lock_guard lock(mutex_);
  for (uint64_t band = 0; band < geometry_.bands_count; ++band) {
    if (cursors_[band] == 0) continue;
    if (Status status = store(band, 0); !status) return status;
  }
  return ok_status();
}

Status StrictAppendDisk::write(uint64_t band, std::span<const uint8_t> data) {
  if (Status status = check_band(band); !status) return status;
  if (data.empty() || data.size() % kSectorBytes != 0) {
    return Error{ErrorCode::kUsage, fmt::format("{} bytes are not whole sectors", data.size())};
  }
  const std::lock_guard lock(mutex_);
  const uint64_t count = data.size() / kSectorBytes;
  const uint64_t cursor = cursors_[band];
  if (count > geometry_.band_sectors - cursor) {
    return Error{ErrorCode::kNoSpace, fmt::format("{} sectors do not fit into band {}, which has {} left",
                                                  count, band, geometry_.band_sectors - cursor)};
  }
  if (!write_whole(data_.get(), place_bytes(band, cursor), data)) return failed("write", data_path_);
  return store(band, cursor + count);
}

Status StrictAppendDisk::read(uint64_t band, uint64_t sector, std::span<uint8_t> data) const {
  if (Status status = check_band(band); !status) return status;
  if (data.empty() || data.size() % kSectorBytes != 0) {
    return Error{ErrorCode::kUsage, fmt::format("{} bytes are not whole sectors", data.size())};
  }
  const std::lock_guard lock(mutex_);
  const uint64_t count = data.size() / kSectorBytes;
  if (sector > cursors_[band] || count > cursors_[band] - sector) {
    return Error{ErrorCode::kMaybeDamaged,
                 fmt::format("sector {} of band {} is not written: its cursor is {}",
                             std::max(sector, cursors_[band]), band, cursors_[band])};
  }
  return read_whole(data_.get(), place_bytes(band, sector), data) ? ok_status()
                                                                  : Status(failed("read", data_path_));
}

Status StrictAppendDisk::flush() {
  const std::lock_guard lock(mutex_);
  if (::fdatasync(data_.get()) != 0) return failed("sync", data_path_);
  return ::fdatasync(cursors_file_.get()) == 0 ? ok_status() : Status(failed("sync", cursors_path_));
}

}  // namespace patina
