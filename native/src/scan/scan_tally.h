// Counts of a scan: histograms of fixed size and figures, no names.
#pragma once

#include <array>
#include <cstdint>

#include "model/profile.h"

namespace patina {

// Bin 0 counts the empty files, bin i those above 2^(i-2) and up to 2^(i-1) bytes.
inline constexpr size_t kSizeTalliesCount = 65;
size_t size_tally_of(uint64_t bytes);
uint64_t size_tally_bytes(size_t tally);  // the largest size in it

// Ages are kept to 3 %: exact up to 63 ns, then 32 bins to an octave. The oldest file's age sets the edges of
// the profile and is known only after the walk, and files are too many to be kept.
inline constexpr size_t kAgeTalliesCount = 1920;
size_t age_tally_of(uint64_t age_ns);
uint64_t age_tally_ns(size_t tally);  // the largest age in it

struct ScanTally {
  std::array<uint64_t, kSizeTalliesCount> size{};
  std::array<uint64_t, kAgeTalliesCount> age{};
  std::array<uint64_t, kMaxDepth + 1> files_at_depth{};
  std::array<uint64_t, kMaxDepth + 1> directories_at_depth{};

  uint64_t files_count = 0;
  uint64_t bytes = 0;
  uint64_t directories_count = 0;  // includes the root and unreadable directories
  uint64_t oldest_ns = 0;

  uint64_t creation_time_files_count = 0;    // the others are aged by their modification time
  uint64_t future_files_count = 0;           // newer than the beginning of the scan: their age is 0
  uint64_t deeper_files_count = 0;           // below kMaxDepth, counted as if there
  uint64_t deeper_directories_count = 0;     // likewise
  uint64_t symlinks_count = 0;               // not followed
  uint64_t special_files_count = 0;          // devices, FIFOs, sockets
  uint64_t hard_links_count = 0;             // further names of files that were counted
  uint64_t untracked_links_count = 0;        // names of files that may have been counted more than once
  uint64_t mount_points_count = 0;           // not entered
  uint64_t unentered_directories_count = 0;  // deeper than the walk goes
  uint64_t unreadable_directories_count = 0;
  uint64_t unreadable_files_count = 0;
  uint64_t vanished_count = 0;

  void add_file(uint64_t file_bytes, uint32_t depth, uint64_t age_ns);
  void add_directory(uint32_t depth);
  void add(const ScanTally& other);
};

}  // namespace patina
