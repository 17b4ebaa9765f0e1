// Counts extents and successors.
#include "layout/file_layout.h"

#include <algorithm>
#include <bit>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <utility>

namespace patina {
namespace {

class Counter {
 public:
  explicit Counter(uint64_t block_size_bytes) : block_size_bytes_(block_size_bytes) {
    layout_.bins.push_back({.min_extents = 1});
  }

  void add(const WalkedDirectory& directory) {
    layout_.directories_count += 1;
    previous_end_bytes_.reset();
    for (const WalkedFile& file : directory.files) {
      const bool seen = file.links_count > 1 && !linked_.emplace(file.device, file.inode).second;
      if (seen) continue;
      layout_.files_count += 1;
      if (file.extents_count == 0) continue;
      const auto extents = std::span(directory.extents).subspan(file.first_extent, file.extents_count);
      add_file(extents);
      add_pair(extents);
    }
  }

  FileLayout layout() && { return std::move(layout_); }

 private:
  void add_file(std::span<const FileExtent> extents) {
    uint64_t blocks = 0;
    uint64_t runs = 1;
    uint64_t jumps = 0;
    for (size_t i = 0; i < extents.size(); ++i) {
      const uint64_t length = extents[i].length_bytes / block_size_bytes_;
      blocks += length;
      if (extents[i].unwritten) layout_.unwritten_blocks_count += length;
      if (i == 0) continue;
      if (!extents[i].continues(extents[i - 1])) ++runs;
      if (extents[i].physical_bytes != extents[i - 1].physical_end_bytes()) ++jumps;
    }
    layout_.files_with_data_count += 1;
    layout_.blocks_count += blocks;
    layout_.extents_count += runs;
    layout_.max_extents_count = std::max(layout_.max_extents_count, runs);
    layout_.successors_count += blocks - 1;
    layout_.contiguous_successors_count += blocks - 1 - jumps;
    const auto bin = static_cast<size_t>(std::bit_width(runs) - 1);
    while (layout_.bins.size() <= bin) {
      layout_.bins.push_back({.min_extents = uint64_t{1} << layout_.bins.size()});
    }
    layout_.bins[bin].files_count += 1;
  }

  void add_pair(std::span<const FileExtent> extents) {
    if (previous_end_bytes_) {
      const uint64_t begin = extents.front().physical_bytes;
      const bool is_near =
          begin >= *previous_end_bytes_ && begin - *previous_end_bytes_ <= kInterFileWindowBytes;
      layout_.inter_file_pairs_count += 1;
      layout_.near_inter_file_pairs_count += is_near ? 1 : 0;
    }
    previous_end_bytes_ = extents.back().physical_end_bytes();
  }

  const uint64_t block_size_bytes_;
  FileLayout layout_;
  std::set<std::pair<uint64_t, uint64_t>> linked_;  // device and inode of files with several names
  std::optional<uint64_t> previous_end_bytes_;      // of the file before, in this directory
};

std::optional<double> share(uint64_t part, uint64_t whole) {
  if (whole == 0) return std::nullopt;
  return static_cast<double>(part) / static_cast<double>(whole);
}

nlohmann::ordered_json nullable(const std::optional<double>& number) {
  return number ? nlohmann::ordered_json(*number) : nlohmann::ordered_json(nullptr);
}

}  // namespace

std::optional<double> FileLayout::layout_score() const {
  return share(contiguous_successors_count, successors_count);
}

std::optional<double> FileLayout::inter_file_score() const {
  return share(near_inter_file_pairs_count, inter_file_pairs_count);
}

FileLayout file_layout_of(const ExtentWalk& walk, uint64_t block_size_bytes) {
  Counter counter(block_size_bytes);
  for (const WalkedDirectory& directory : walk.directories) counter.add(directory);
  FileLayout layout = std::move(counter).layout();
  layout.vanished_count = walk.vanished_count;
  layout.unreadable_count = walk.unreadable_count;
  return layout;
}

nlohmann::ordered_json file_layout_json(const FileLayout& layout, const std::string& extents_digest) {
  nlohmann::ordered_json bins = nlohmann::ordered_json::array();
  for (const FileExtentBin& bin : layout.bins) {
    bins.push_back({{"min_extents", bin.min_extents}, {"files_count", bin.files_count}});
  }
  return {{"directories_count", layout.directories_count},
          {"files_count", layout.files_count},
          {"files_with_data_count", layout.files_with_data_count},
          {"blocks_count", layout.blocks_count},
          {"unwritten_blocks_count", layout.unwritten_blocks_count},
          {"extents_count", layout.extents_count},
          {"mean_extents_count", nullable(share(layout.extents_count, layout.files_with_data_count))},
          {"max_extents_count", layout.max_extents_count},
          {"bins", std::move(bins)},
          {"layout_score", nullable(layout.layout_score())},
          {"inter_file_score", nullable(layout.inter_file_score())},
          {"inter_file_pairs_count", layout.inter_file_pairs_count},
          {"inter_file_window_bytes", kInterFileWindowBytes},
          {"vanished_count", layout.vanished_count},
          {"unreadable_count", layout.unreadable_count},
          {"extents_digest", extents_digest}};
}

}  // namespace patina
