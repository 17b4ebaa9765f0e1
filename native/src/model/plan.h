// The planner: a pure function from a forecast to a stream of operations. No clock, no file system, no
// thread; the same forecast gives the same stream on every machine.
#pragma once

#include <boost/container/deque.hpp>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/digest.h"
#include "base/random.h"
#include "model/directory_tree.h"
#include "model/file_sizes.h"
#include "model/forecast.h"
#include "model/mix.h"
#include "model/operation.h"

namespace patina {

inline const char* phase_name(bool rapid) {
  return rapid ? "rapid" : "stable";
}

// The state of the model's file system after `tick` operations.
struct PlanState {
  uint64_t tick = 0;
  uint64_t creates_count = 0;
  uint64_t deletes_count = 0;
  uint64_t live_bytes = 0;  // block-rounded
  uint64_t written_bytes = 0;
  bool rapid = true;
  const char* phase() const { return phase_name(rapid); }
  uint64_t least_stable_bytes = UINT64_MAX;  // of live_bytes, in stable aging
  uint64_t most_stable_bytes = 0;
  uint64_t modifications_count = 0;  // all but creates and deletes
  std::vector<uint64_t> size_counts;
  std::vector<uint64_t> depth_counts;
  std::vector<uint64_t> age_counts;  // by the windows of the horizon, youngest first

  uint64_t live_files() const { return creates_count - deletes_count; }
};

// Returns the allowed distance from the target fullness: a 400th of the capacity, or its largest file.
double fullness_band(const Forecast& forecast);

class Planner {
 public:
  explicit Planner(const Forecast& forecast);

  // Plans as many of the next operations as fit and the horizon allows; returns their number.
  size_t next(std::span<Operation> block);
  // Continues towards another horizon: every live file moves to the window of its age there. `revised` must
  // come from revise_forecast on this planner's forecast.
  void revise(const Forecast& revised);

  uint64_t tick() const { return tick_; }
  uint64_t horizon() const { return horizon_; }
  bool finished() const { return tick_ == horizon_; }
  const char* phase() const { return phase_name(rapid_); }
  PlanState state() const;
  // SHA-256, hex, of the sizes and the tree, then of every operation so far.
  std::string stream_digest() const { return digest_.hex(); }
  const DirectoryTree& tree() const { return tree_; }
  // Returns the creation ticks of the live files, ascending.
  std::vector<uint64_t> live_ticks() const;
  // Returns the live files by ordinal, each in the form of an operation on it.
  std::vector<Operation> live_files() const;
  // Returns the age window of the `ordinal`th file created, also of a deleted one.
  size_t window_of_ordinal(uint64_t ordinal) const;
  // Whether an append to the file is still due.
  bool lacks_bytes(uint64_t ordinal) const { return mix_.owes(ordinal); }
  // Files that lack some of their bytes; a horizon must leave them so many operations.
  uint64_t owing_count() const { return mix_.owing_count(); }

 private:
  struct LiveFile {
    uint64_t ordinal;
    uint64_t tick;  // of its creation
    uint32_t directory;
    uint16_t size_bin;
    uint8_t depth_bin;
    uint8_t renamed;
  };
  static_assert(sizeof(LiveFile) == 24, "memory bounds the size of a plan");
  // Grows and shrinks without copying and without spare capacity, and finds a file by a shift.
  using LiveFiles =
      boost::container::deque<LiveFile, void,
                              boost::container::deque_options_t<boost::container::block_size<256U>>>;
  // Target fractions and live files of one histogram; counts are doubles, exact below 2^53.
  struct Balance {
    std::vector<double> target;
    std::vector<double> count;
    size_t largest_deficit(double live_files) const;
    size_t largest_surplus(double live_files) const;
  };

  void place_windows(const Forecast& forecast);
  Operation step();
  bool choose_create();
  Operation create();
  Operation remove();
  std::optional<Operation> modify(OperationKind kind);
  std::optional<Operation> append();
  LiveFile& any_live_file();
  uint64_t bytes_of(const LiveFile& file) const { return sizes_.bytes(file.size_bin, file.ordinal); }
  Operation operation_on(const LiveFile& file, OperationKind kind) const;
  // Whether bytes left out now can still be appended before the horizon, where modifications are due anyway:
  // creates and deletes, which the youngest windows need, are not delayed.
  bool may_owe() const { return !mix_.full() && mix_.can_pay(mix_.owing_count() + 1, operations_left() - 1); }
  uint64_t operations_left() const {
    return horizon_ - tick_ + 1;
  }  // the one being planned and those after it

  uint64_t horizon_;
  uint64_t target_bytes_;
  uint64_t least_bytes_;  // below: always create
  uint64_t most_bytes_;   // above: always delete
  uint64_t block_size_bytes_;
  FileSizes sizes_;
  MixDirector mix_;
  std::vector<uint32_t> first_directory_;  // by depth bin
  std::vector<uint64_t> window_end_;       // last tick of each age window, youngest first
  std::vector<uint64_t> first_ordinal_;    // created in each window; beyond all where it has not begun
  DirectoryTree tree_;
  std::vector<DirectoryFill> fill_;  // by depth bin
  Balance size_;
  Balance depth_;
  Balance age_;
  std::vector<LiveFiles> live_;  // by age window
  Random random_;
  Sha256 digest_;

  uint64_t tick_ = 0;
  size_t window_;
  bool rapid_ = true;
  bool pair_open_ = false;
  bool pair_creates_ = false;
  uint64_t creates_count_ = 0;
  uint64_t deletes_count_ = 0;
  uint64_t modifications_count_ = 0;
  uint64_t live_bytes_ = 0;
  uint64_t written_bytes_ = 0;
  uint64_t least_stable_bytes_ = UINT64_MAX;
  uint64_t most_stable_bytes_ = 0;
};

// The digest of a stream before its first operation: the tree alone.
Sha256 stream_digest_of(const DirectoryTree& tree);

// Returns the turnover of a plan's files so far, for another horizon's forecast.
Turnover turnover_of(const Forecast& forecast, const Planner& planner);

}  // namespace patina
