// Counts files into bins of logarithmic width.
#include "scan/scan_tally.h"

#include <algorithm>
#include <bit>
#include <cassert>

namespace patina {
namespace {

constexpr uint64_t kOctaveBits = 5;
constexpr uint64_t kOctave = uint64_t{1} << kOctaveBits;

// The sizes of sparse files can add up to more than 64 bits hold.
void add_saturating(uint64_t& to, uint64_t bytes) {
  to = bytes > UINT64_MAX - to ? UINT64_MAX : to + bytes;
}

template <size_t kCount>
void add_each(std::array<uint64_t, kCount>& to, const std::array<uint64_t, kCount>& from) {
  for (size_t i = 0; i < kCount; ++i) to[i] += from[i];
}

}  // namespace

size_t size_tally_of(uint64_t bytes) {
  if (bytes == 0) return 0;
  return std::min(1 + static_cast<size_t>(std::bit_width(bytes - 1)), kSizeTalliesCount - 1);
}

uint64_t size_tally_bytes(size_t tally) {
  assert(tally < kSizeTalliesCount);
  return tally == 0 ? 0 : uint64_t{1} << (tally - 1);
}

size_t age_tally_of(uint64_t age_ns) {
  if (age_ns < 2 * kOctave) return age_ns;
  const auto octave = static_cast<uint64_t>(std::bit_width(age_ns)) - kOctaveBits - 1;
  return octave * kOctave + (age_ns >> octave);
}

uint64_t age_tally_ns(size_t tally) {
  assert(tally < kAgeTalliesCount);
  if (tally < 2 * kOctave) return tally;
  const uint64_t octave = tally / kOctave - 1;
  return ((tally - octave * kOctave + 1) << octave) - 1;
}

void ScanTally::add_file(uint64_t file_bytes, uint32_t depth, uint64_t age_ns) {
  ++files_count;
  add_saturating(bytes, file_bytes);
  ++size[size_tally_of(file_bytes)];
  ++age[age_tally_of(age_ns)];
  oldest_ns = std::max(oldest_ns, age_ns);
  ++files_at_depth[std::min(depth, kMaxDepth)];
  if (depth > kMaxDepth) ++deeper_files_count;
}

void ScanTally::add_directory(uint32_t depth) {
  ++directories_count;
  ++directories_at_depth[std::min(depth, kMaxDepth)];
  if (depth > kMaxDepth) ++deeper_directories_count;
}

void ScanTally::add(const ScanTally& other) {
  add_each(size, other.size);
  add_each(age, other.age);
  add_each(files_at_depth, other.files_at_depth);
  add_each(directories_at_depth, other.directories_at_depth);
  files_count += other.files_count;
  add_saturating(bytes, other.bytes);
  directories_count += other.directories_count;
  oldest_ns = std::max(oldest_ns, other.oldest_ns);
  creation_time_files_count += other.creation_time_files_count;
  future_files_count += other.future_files_count;
  deeper_files_count += other.deeper_files_count;
  deeper_directories_count += other.deeper_directories_count;
  symlinks_count += other.symlinks_count;
  special_files_count += other.special_files_count;
  hard_links_count += other.hard_links_count;
  untracked_links_count += other.untracked_links_count;
  mount_points_count += other.mount_points_count;
  unentered_directories_count += other.unentered_directories_count;
  unreadable_directories_count += other.unreadable_directories_count;
  unreadable_files_count += other.unreadable_files_count;
  vanished_count += other.vanished_count;
}

}  // namespace patina
