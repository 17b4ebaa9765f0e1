// The planner: a pure function from a forecast to a stream of operations. No clock, no file system, no
// thread; the same forecast gives the same stream on every machine.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "digest.h"
#include "directory_tree.h"
#include "forecast.h"
#include "random.h"

namespace patina {

// One operation, as it is hashed: 16 bytes, little-endian.
struct PlanOp {
  uint64_t file_and_kind = 0;  // the file's ordinal times two, plus one for a delete
  uint32_t directory = 0;
  uint32_t size_bin = 0;

  uint64_t file() const { return file_and_kind >> 1U; }
  bool is_delete() const { return (file_and_kind & 1U) != 0; }
};
static_assert(sizeof(PlanOp) == 16 && std::endian::native == std::endian::little,
              "the digest is over these very bytes");

// What the model's file system holds after `tick` operations.
struct PlanState {
  uint64_t tick = 0;
  uint64_t creates_count = 0;
  uint64_t deletes_count = 0;
  uint64_t live_bytes = 0;  // block-rounded
  uint64_t written_bytes = 0;
  bool rapid = true;
  uint64_t least_stable_bytes = UINT64_MAX;  // of live_bytes, in stable aging
  uint64_t most_stable_bytes = 0;
  std::vector<uint64_t> size_counts;
  std::vector<uint64_t> depth_counts;
  std::vector<uint64_t> age_counts;  // by the windows of the horizon, youngest first

  uint64_t live_files() const { return creates_count - deletes_count; }
};

class Planner {
 public:
  explicit Planner(const Forecast& forecast);

  // Plans as many of the next operations as fit and the horizon allows; returns how many.
  size_t next(std::span<PlanOp> block);

  uint64_t tick() const { return tick_; }
  uint64_t horizon() const { return horizon_; }
  bool finished() const { return tick_ == horizon_; }
  PlanState state() const;
  // SHA-256, hex, of the sizes and the tree, then of every operation so far.
  std::string stream_digest() const { return digest_.hex(); }
  const DirectoryTree& tree() const { return tree_; }
  // By size bin, unrounded: what a create writes.
  const std::vector<uint64_t>& file_bytes() const { return file_bytes_; }

 private:
  struct LiveFile {
    uint64_t ordinal;
    uint32_t directory;
    uint16_t size_bin;
    uint16_t depth_bin;
  };
  // Target fractions and live files of one histogram; counts are doubles, exact below 2^53.
  struct Balance {
    std::vector<double> target;
    std::vector<double> count;
    size_t largest_deficit(double live_files) const;
    size_t largest_surplus(double live_files) const;
  };

  void describe_to_digest();
  bool choose_create();
  PlanOp create();
  PlanOp remove();

  uint64_t horizon_;
  uint64_t target_bytes_;
  uint64_t least_bytes_;  // below: create, whatever the coin says
  uint64_t most_bytes_;   // above: delete
  std::vector<uint64_t> file_bytes_;
  std::vector<uint64_t> rounded_bytes_;
  std::vector<uint32_t> first_directory_;  // by depth bin
  std::vector<uint64_t> window_end_;       // last tick of each age window, youngest first
  DirectoryTree tree_;
  std::vector<DirectoryFill> fill_;  // by depth bin
  Balance size_;
  Balance depth_;
  Balance age_;
  std::vector<std::vector<LiveFile>> live_;  // by age window
  Random random_;
  Sha256 digest_;

  uint64_t tick_ = 0;
  size_t window_;
  bool rapid_ = true;
  bool pair_open_ = false;
  bool pair_creates_ = false;
  uint64_t creates_count_ = 0;
  uint64_t deletes_count_ = 0;
  uint64_t live_bytes_ = 0;
  uint64_t written_bytes_ = 0;
  uint64_t least_stable_bytes_ = UINT64_MAX;
  uint64_t most_stable_bytes_ = 0;
};

}  // namespace patina
