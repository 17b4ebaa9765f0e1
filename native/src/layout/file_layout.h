// The layout of the files of a mounted file system: their extents, and whether data read in sequence is
// contiguous.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "layout/extent_walk.h"

namespace patina {

// Linux's default read-ahead (read_ahead_kb): a gap within it costs no seek.
inline constexpr uint64_t kInterFileWindowBytes = 128 << 10;

// Files of min_extents to 2*min_extents-1 extents.
struct FileExtentBin {
  uint64_t min_extents = 0;
  uint64_t files_count = 0;
};

// An extent here is a run of blocks that is one in the file and one on the device, as filefrag counts it. A
// file with several names counts once, under the first of them.
struct FileLayout {
  uint64_t directories_count = 0;
  uint64_t files_count = 0;
  uint64_t files_with_data_count = 0;  // with at least one block of their own
  uint64_t blocks_count = 0;
  uint64_t unwritten_blocks_count = 0;
  uint64_t extents_count = 0;
  uint64_t max_extents_count = 0;
  std::vector<FileExtentBin> bins;  // of files with data; ascending powers of two, from 1, without gaps
  // Of the blocks that have one before them in their file, and of those that follow it on the device.
  uint64_t successors_count = 0;
  uint64_t contiguous_successors_count = 0;
  // Pairs of files with data that follow each other by name in one directory, and those of them where the
  // second begins behind the end of the first, within kInterFileWindowBytes.
  uint64_t inter_file_pairs_count = 0;
  uint64_t near_inter_file_pairs_count = 0;
  uint64_t vanished_count = 0;
  uint64_t unreadable_count = 0;

  // Return nothing where no block or no file follows another.
  std::optional<double> layout_score() const;
  std::optional<double> inter_file_score() const;
};

FileLayout file_layout_of(const ExtentWalk& walk, uint64_t block_size_bytes);

// The JSON object of backend/patina/core/contract/age.py, class FileLayout.
nlohmann::ordered_json file_layout_json(const FileLayout& layout, const std::string& extents_digest);

}  // namespace patina
