// Buffers blocks, and places files as a whole.
#include "smrfs/file_content.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace patina {
namespace {

constexpr uint64_t kBlockBytes = DataArea::kBlockBytes;
constexpr uint64_t kWriteBytes = uint64_t{1} << 20U;
// The first byte of what is stored of a file.
constexpr char kVersion = 1;

uint64_t block_of(uint64_t offset) {
  return offset / kBlockBytes;
}

// The first block from the offset on.
uint64_t block_from(uint64_t offset) {
  return offset / kBlockBytes + (offset % kBlockBytes != 0 ? 1 : 0);
}

}  // namespace

std::string FileExtents::encoded() const {
  std::string bytes(1, kVersion);
  bytes.append(reinterpret_cast<const char*>(&size_bytes), sizeof size_bytes);
  return bytes + map.encoded();
}

std::optional<FileExtents> FileExtents::decoded(std::string_view bytes) {
  FileExtents found;
  if (bytes.size() < 1 + sizeof found.size_bytes || bytes.front() != kVersion) return std::nullopt;
  std::memcpy(&found.size_bytes, bytes.data() + 1, sizeof found.size_bytes);
  std::optional<ExtentMap> map = ExtentMap::decoded(bytes.substr(1 + sizeof found.size_bytes));
  if (!map) return std::nullopt;
  found.map = std::move(*map);
  return found;
}

FileContent::FileContent(DataBuffer& buffer, FileExtents settled)
    : buffer_(buffer), size_bytes_(settled.size_bytes), map_(settled.map), settled_(std::move(settled)) {}

FileContent::~FileContent() {
  forget_buffered();
}

void FileContent::forget_buffered() {
  buffer_.blocks_count -= buffered_.size();
  buffered_.clear();
}

uint64_t FileContent::count_of(const std::vector<Run>& runs) {
  uint64_t count = 0;
  for (const Run& run : runs) count += run.end - run.first;
  return count;
}

uint64_t FileContent::blocks_count() const {
  return count_of(runs_of(Placement::kWhole));
}

// From `from` of the block on.
Status FileContent::read_block(uint64_t block, std::span<uint8_t> into, uint64_t from) {
  Block whole;
  if (Status status = fill(block, whole); !status) return status;
  std::memcpy(into.data(), whole.data() + from, into.size());
  return ok_status();
}

Status FileContent::fill(uint64_t block, std::span<uint8_t> into) {
  const uint64_t end = block + into.size() / kBlockBytes;
  auto next = buffered_.lower_bound(block);
  while (block < end) {
    uint8_t* const begin = into.data() + into.size() - (end - block) * kBlockBytes;
    if (next != buffered_.end() && next->first == block) {
      if (next->second) {
        std::memcpy(begin, next->second->data(), kBlockBytes);
      } else {
        std::memset(begin, 0, kBlockBytes);
      }
      ++next;
      ++block;
      continue;
    }
    const ExtentMap::Found found = map_.find(block);
    const uint64_t stop = next == buffered_.end() ? end : std::min(end, next->first);
    const uint64_t count = std::min(found.place.count, stop - block);
    if (found.is_hole) {
      std::memset(begin, 0, count * kBlockBytes);
    } else {
      Status status = buffer_.area.read(found.place.first, {begin, count * kBlockBytes});
      if (!status) return status;
    }
    block += count;
  }
  return ok_status();
}

Result<uint64_t> FileContent::read(uint64_t offset, std::span<uint8_t> into) {
  if (offset >= size_bytes_) return uint64_t{0};
  const uint64_t length = std::min<uint64_t>(into.size(), size_bytes_ - offset);
  for (uint64_t done = 0; done < length;) {
    const uint64_t at = offset + done;
    const uint64_t in_block = at % kBlockBytes;
    const uint64_t left = length - done;
    const uint64_t room = into.size() - done;
    if (in_block == 0 && room >= kBlockBytes) {
      // With the last block, if there is room for all of it: one read of the disk instead of two.
      const uint64_t whole = std::min(block_from(left) * kBlockBytes, room - room % kBlockBytes);
      if (Status status = fill(block_of(at), into.subspan(done, whole)); !status) return status.error();
      done += whole;
      continue;
    }
    const uint64_t part = std::min(left, kBlockBytes - in_block);
    if (Status status = read_block(block_of(at), into.subspan(done, part), in_block); !status) {
      return status.error();
    }
    done += part;
  }
  return length;
}

Status FileContent::check_space(uint64_t offset, uint64_t length) const {
  uint64_t new_count = 0;
  for (uint64_t block = block_of(offset); block < block_from(offset + length); ++block) {
    if (!buffered_.contains(block)) ++new_count;
  }
  if (new_count == 0) return ok_status();
  const uint64_t free_count = buffer_.area.free_count();
  if (buffer_.blocks_count + new_count <= free_count) return ok_status();
  return Error{ErrorCode::kNoSpace, fmt::format("the shingled disk has {} free blocks of 4 KiB, and {} wait "
                                                "to be written",
                                                free_count, buffer_.blocks_count + new_count)};
}

FileContent::Block& FileContent::blank(uint64_t block) {
  auto [found, is_new] = buffered_.try_emplace(block);
  if (is_new) ++buffer_.blocks_count;
  if (!found->second) found->second = std::make_unique<Block>();
  return *found->second;
}

Result<FileContent::Block*> FileContent::loaded(uint64_t block) {
  const auto found = buffered_.find(block);
  if (found != buffered_.end() || map_.find(block).is_hole) return &blank(block);
  auto content = std::make_unique<Block>();
  if (Status status = fill(block, *content); !status) return status.error();
  blank(block) = *content;
  return &blank(block);
}

Status FileContent::write(uint64_t offset, std::span<const uint8_t> data) {
  if (data.empty()) return ok_status();
  if (Status status = check_space(offset, data.size()); !status) return status;
  if (offset > size_bytes_) {
    if (Status status = resize(offset); !status) return status;
  }
  is_changed_ = true;
  for (uint64_t done = 0; done < data.size();) {
    const uint64_t at = offset + done;
    const uint64_t in_block = at % kBlockBytes;
    const uint64_t part = std::min<uint64_t>(data.size() - done, kBlockBytes - in_block);
    // What is behind the end of the file counts as zeroes.
    const bool is_whole = part == kBlockBytes;
    if (!is_whole && at >= size_bytes_ && in_block > 0) {
      if (Status status = zero_part(block_of(at), in_block, kBlockBytes); !status) return status;
    }
    const Result<Block*> block = is_whole ? Result<Block*>(&blank(block_of(at))) : loaded(block_of(at));
    if (!block) return block.error();
    std::memcpy((*block)->data() + in_block, data.data() + done, part);
    done += part;
    size_bytes_ = std::max(size_bytes_, at + part);
  }
  return ok_status();
}

Status FileContent::zero_part(uint64_t block, uint64_t begin, uint64_t end) {
  const auto found = buffered_.find(block);
  const bool is_zero = found == buffered_.end() ? map_.find(block).is_hole : !found->second;
  if (is_zero || begin == end) return ok_status();
  const Result<Block*> content = loaded(block);
  if (!content) return content.error();
  std::fill((*content)->begin() + static_cast<std::ptrdiff_t>(begin),
            (*content)->begin() + static_cast<std::ptrdiff_t>(end), uint8_t{0});
  return ok_status();
}

Status FileContent::resize(uint64_t size_bytes) {
  if (size_bytes == size_bytes_) return ok_status();
  // What was behind the end must be zero, when the file has grown over it.
  const uint64_t tail = size_bytes_ % kBlockBytes;
  if (size_bytes > size_bytes_ && tail > 0) {
    if (Status status = zero_part(block_of(size_bytes_), tail, kBlockBytes); !status) return status;
  }
  if (size_bytes < size_bytes_) drop(block_from(size_bytes), UINT64_MAX);
  size_bytes_ = size_bytes;
  is_changed_ = true;
  return ok_status();
}

void FileContent::drop(uint64_t block, uint64_t end) {
  const auto first = buffered_.lower_bound(block);
  const auto last = buffered_.lower_bound(end);
  buffer_.blocks_count -= static_cast<uint64_t>(std::distance(first, last));
  buffered_.erase(first, last);
  map_.erase(block, end);
}

Status FileContent::zero(uint64_t offset, uint64_t length, bool allocates) {
  if (length == 0) return ok_status();
  const uint64_t end = offset + length;
  const uint64_t first = block_from(offset);
  const uint64_t last = std::max(block_of(end), first);
  if (block_of(offset) == block_of(end)) {
    if (Status status = zero_part(block_of(offset), offset % kBlockBytes, end % kBlockBytes); !status) {
      return status;
    }
  } else {
    if (offset % kBlockBytes != 0) {
      Status status = zero_part(block_of(offset), offset % kBlockBytes, kBlockBytes);
      if (!status) return status;
    }
    if (Status status = zero_part(block_of(end), 0, end % kBlockBytes); !status) return status;
    drop(first, last);
  }
  is_changed_ = true;
  return allocates ? allocate(offset, length) : ok_status();
}

Status FileContent::allocate(uint64_t offset, uint64_t length) {
  if (Status status = check_space(offset, length); !status) return status;
  for (uint64_t block = block_of(offset); block < block_from(offset + length); ++block) {
    if (buffered_.contains(block) || !map_.find(block).is_hole) continue;
    buffered_.emplace(block, nullptr);
    ++buffer_.blocks_count;
    is_changed_ = true;
  }
  return ok_status();
}

uint64_t FileContent::next(uint64_t offset, bool is_data) const {
  const uint64_t block = block_of(offset);
  for (const Run& run : runs_of(Placement::kWhole)) {
    if (run.end <= block) continue;
    const bool is_inside = run.first <= block;
    if (is_inside == is_data) return std::min(offset, size_bytes_);
    return std::min((is_data ? run.first : is_inside ? run.end : block) * kBlockBytes, size_bytes_);
  }
  return is_data ? size_bytes_ : std::min(offset, size_bytes_);
}

std::vector<FileContent::Run> FileContent::runs_of(Placement placement) const {
  std::vector<Run> all;
  const auto add = [&all](uint64_t first, uint64_t end) {
    if (!all.empty() && all.back().end == first) {
      all.back().end = end;
    } else {
      all.push_back({first, end});
    }
  };
  auto run = map_.runs().begin();
  const auto last = placement == Placement::kWhole ? map_.runs().end() : run;
  uint64_t from = 0;  // of the run, what is left
  const auto add_runs_before = [&](uint64_t block) {
    for (; run != last && run->first < block; ++run) {
      const uint64_t end = run->first + run->second.count;
      from = std::max(from, run->first);
      if (from < std::min(end, block)) add(from, std::min(end, block));
      if (end > block) break;
    }
  };
  for (const auto& [block, content] : buffered_) {
    add_runs_before(block);
    add(block, block + 1);
    from = block + 1;
  }
  add_runs_before(UINT64_MAX);
  return all;
}

Result<std::vector<BlockExtent>> FileContent::allocate(std::vector<Run>& runs, Placement placement) {
  std::vector<BlockExtent> places = buffer_.area.allocate(count_of(runs), PlacedBy::kUser);
  // What is on the disk may stay there.
  if (places.empty() && placement == Placement::kWhole && !map_.runs().empty()) {
    runs = runs_of(Placement::kChanged);
    places = buffer_.area.allocate(count_of(runs), PlacedBy::kUser);
  }
  if (!places.empty()) return places;
  return Error{ErrorCode::kNoSpace,
               fmt::format("the shingled disk has no place for {} blocks of 4 KiB, and for "
                           "those that the write may damage",
                           count_of(runs))};
}

Status FileContent::write_to(const std::vector<Run>& runs, const std::vector<BlockExtent>& places,
                             const std::function<Status()>& before_write) {
  const bool is_fenced =
      std::ranges::any_of(places, [this](const BlockExtent& each) { return buffer_.area.is_fenced(each); });
  Status status = is_fenced ? before_write() : ok_status();
  if (status) status = write_runs(runs, places);
  if (!status) {
    for (const BlockExtent& each : places) buffer_.area.release(each, false);
  }
  return status;
}

Result<FileExtents> FileContent::settle(Placement placement, const std::function<Status()>& before_write) {
  if (!buffered_.empty()) {
    std::vector<Run> runs = runs_of(placement);
    const std::lock_guard lock(buffer_.placing);
    const Result<std::vector<BlockExtent>> places = allocate(runs, placement);
    if (!places) return places.error();
    if (Status status = write_to(runs, *places, before_write); !status) return status.error();
    forget_buffered();
  }
  is_changed_ = false;
  return std::exchange(settled_, FileExtents{size_bytes_, map_});
}

// What is buffered or cut off, but not settled, stays so.
Result<FileExtents> FileContent::move_from(const BlockExtent& part,
                                           const std::function<Status()>& before_write) {
  FileContent moved(buffer_, settled_);
  std::vector<Run> runs;
  for (const auto& [first, place] : settled_.map.runs()) {
    const uint64_t begin = std::max(place.first, part.first);
    const uint64_t end = std::min(place.end(), part.end());
    if (begin < end) runs.push_back({first + (begin - place.first), first + (end - place.first)});
  }
  if (runs.empty()) return settled_;
  {
    const std::lock_guard lock(buffer_.placing);
    const std::vector<BlockExtent> places = buffer_.area.allocate(count_of(runs), PlacedBy::kCleaner);
    if (places.empty()) return Error{ErrorCode::kNoSpace, "the shingled disk has no band to clean into"};
    if (Status status = moved.write_to(runs, places, before_write); !status) return status.error();
  }
  for (const Run& run : runs) {
    for (uint64_t block = run.first; block < run.end; ++block) {
      const ExtentMap::Found now = map_.find(block);
      const bool is_same = !now.is_hole && now.place.first == settled_.map.find(block).place.first;
      if (is_same) map_.set(block, {moved.map_.find(block).place.first, 1});
    }
  }
  return std::exchange(settled_, FileExtents{settled_.size_bytes, moved.map_});
}

Status FileContent::write_runs(const std::vector<Run>& runs, const std::vector<BlockExtent>& places) {
  ExtentMap map = map_;
  std::vector<uint8_t> bytes(std::min(kWriteBytes, count_of(runs) * kBlockBytes));
  auto place = places.begin();
  uint64_t in_place = 0;
  for (const Run& run : runs) {
    for (uint64_t block = run.first; block < run.end;) {
      const uint64_t count = std::min({run.end - block, place->count - in_place, bytes.size() / kBlockBytes});
      const std::span<uint8_t> part = std::span(bytes).first(count * kBlockBytes);
      if (Status status = fill(block, part); !status) return status;
      const BlockExtent written{place->first + in_place, count};
      if (Status status = buffer_.area.write(written.first, part); !status) return status;
      map.set(block, written);
      block += count;
      in_place += count;
      if (in_place == place->count) {
        ++place;
        in_place = 0;
      }
    }
  }
  map_ = std::move(map);
  return ok_status();
}

void FileContent::revert() {
  forget_buffered();
  size_bytes_ = settled_.size_bytes;
  map_ = settled_.map;
  is_changed_ = false;
}

}  // namespace patina
