// Writes the words that a change touches.
#include "shingle/damage_map.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cassert>
#include <cerrno>
#include <cstring>
#include <span>
#include <string_view>

#include "base/durable_file.h"
#include "base/whole_io.h"
#include "shingle/backing_file.h"

namespace patina {
namespace {

constexpr uint64_t kWordBits = 64;
constexpr uint64_t kHeadBytes = 4096;

// The rest of the first 4 KiB is zero.
struct Head {
  static constexpr uint64_t kMark = 0x50414d444e494853;  // "SHINDMAP"
  uint64_t mark = kMark;
  uint64_t version = 3;
  CaveatGeometry geometry;
};

uint64_t words_of(uint64_t sectors_count) {
  return (sectors_count + kWordBits - 1) / kWordBits;
}

// Bits `from` to `to` - 1.
uint64_t bits(uint64_t from, uint64_t to) {
  const uint64_t below_end = to == kWordBits ? ~uint64_t{0} : (uint64_t{1} << to) - 1;
  return below_end & ~((uint64_t{1} << from) - 1);
}

}  // namespace

Error DamageMap::failed(const char* verb) const {
  return {ErrorCode::kIoError, fmt::format("cannot {} '{}': {}", verb, path_, std::strerror(errno))};
}

Result<std::unique_ptr<DamageMap>> DamageMap::create(const std::string& path, const CaveatGeometry& geometry,
                                                     bool is_damaged) {
  if (::access(path.c_str(), F_OK) == 0) {
    return Error{ErrorCode::kBackingInvalid,
                 fmt::format("'{}' exists: open the disk, or remove it first", path)};
  }
  const Result<std::unique_ptr<DurableFile>> file = DurableFile::create(path, "the map of damaged sectors");
  if (!file) return file.error();
  std::string bytes(kHeadBytes, '\0');
  const Head head{.geometry = geometry};
  std::memcpy(bytes.data(), &head, sizeof head);
  const uint64_t words_count = words_of(geometry.sectors_count);
  bytes.append(words_count * sizeof(uint64_t), is_damaged ? '\xff' : '\0');
  // No bit behind the last sector.
  if (is_damaged && geometry.sectors_count % kWordBits != 0) {
    const uint64_t last = bits(0, geometry.sectors_count % kWordBits);
    std::memcpy(bytes.data() + bytes.size() - sizeof last, &last, sizeof last);
  }
  if (Status status = (*file)->append(bytes); !status) return status.error();
  if (Status status = (*file)->publish(); !status) return status.error();
  return open(path);
}

Result<std::unique_ptr<DamageMap>> DamageMap::open(const std::string& path) {
  Result<Descriptor> fd = open_backing(path);
  if (!fd) return fd.error();
  std::unique_ptr<DamageMap> map(new DamageMap(path, std::move(*fd)));
  if (Status status = map->read(); !status) return status.error();
  return map;
}

Status DamageMap::read() {
  Head head{.mark = 0, .version = 0, .geometry = {}};
  struct stat found = {};
  if (::fstat(fd_.get(), &found) != 0 || ::pread(fd_.get(), &head, sizeof head, 0) < 0) return failed("read");
  geometry_ = head.geometry;
  const uint64_t words_bytes = words_of(geometry_.sectors_count) * sizeof(uint64_t);
  const bool is_whole = static_cast<uint64_t>(found.st_size) == kHeadBytes + words_bytes;
  if (head.mark != Head::kMark || head.version != Head().version || !is_whole) {
    return Error{ErrorCode::kBackingInvalid,
                 fmt::format("'{}' is not the map of damaged sectors of a shingled disk", path_)};
  }
  words_.resize(words_of(geometry_.sectors_count));
  const std::span bytes(reinterpret_cast<uint8_t*>(words_.data()), words_bytes);
  if (!read_whole(fd_.get(), kHeadBytes, bytes)) return failed("read");
  for (const uint64_t word : words_) damaged_count_ += static_cast<uint64_t>(std::popcount(word));
  return ok_status();
}

std::optional<uint64_t> DamageMap::next(uint64_t sector, uint64_t end, bool is_damaged) const {
  while (sector < end) {
    const uint64_t word = is_damaged ? words_[sector / kWordBits] : ~words_[sector / kWordBits];
    const uint64_t rest = word & bits(sector % kWordBits, kWordBits);
    const uint64_t word_begin = sector - sector % kWordBits;
    if (rest != 0) {
      const uint64_t found = word_begin + static_cast<uint64_t>(std::countr_zero(rest));
      return found < end ? std::optional(found) : std::nullopt;
    }
    sector = word_begin + kWordBits;
  }
  return std::nullopt;
}

std::optional<uint64_t> DamageMap::next_damaged(uint64_t sector, uint64_t end) const {
  return next(sector, end, true);
}

std::optional<uint64_t> DamageMap::next_sound(uint64_t sector, uint64_t end) const {
  return next(sector, end, false);
}

Status DamageMap::damage(uint64_t first, uint64_t end) {
  return set(first, end, true);
}

Status DamageMap::repair(uint64_t first, uint64_t end) {
  return set(first, end, false);
}

Status DamageMap::set(uint64_t first, uint64_t end, bool is_damaged) {
  assert(end <= geometry_.sectors_count);
  if (first >= end) return ok_status();
  if (!next(first, end, !is_damaged)) return ok_status();
  const uint64_t first_word = first / kWordBits;
  const uint64_t last_word = (end - 1) / kWordBits;
  for (uint64_t i = first_word; i <= last_word; ++i) {
    const uint64_t begin = i * kWordBits;
    const uint64_t mask = bits(std::max(first, begin) - begin, std::min(end, begin + kWordBits) - begin);
    const auto before = static_cast<uint64_t>(std::popcount(words_[i]));
    words_[i] = is_damaged ? words_[i] | mask : words_[i] & ~mask;
    damaged_count_ += static_cast<uint64_t>(std::popcount(words_[i])) - before;
  }
  const std::span changed = std::span(words_).subspan(first_word, last_word - first_word + 1);
  const std::span bytes(reinterpret_cast<const uint8_t*>(changed.data()), changed.size_bytes());
  const uint64_t place_bytes = kHeadBytes + first_word * sizeof(uint64_t);
  return write_whole(fd_.get(), place_bytes, bytes) ? ok_status() : Status(failed("write"));
}

Status DamageMap::sync() {
  return ::fdatasync(fd_.get()) == 0 ? ok_status() : Status(failed("sync"));
}

}  // namespace patina
