// The mix: the fractions of the operations of stable aging that modify files.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_set>

#include "base/random.h"
#include "model/operation.h"

namespace patina {

struct Mix {
  double append = 0;
  double overwrite = 0;
  double truncate = 0;
  double rename = 0;
  double punch_hole = 0;

  double sum() const { return append + overwrite + truncate + rename + punch_hole; }
  friend bool operator==(const Mix&, const Mix&) = default;
  // The fraction of creates and deletes.
  double churn_fraction() const { return 1 - sum(); }
};
// A limit, since only creates and deletes make the histograms converge.
inline constexpr double kMostModifications = 0.9;

// Draws the kind of the next operation, and tracks the files that lack some of their bytes: appends restore
// those, first to the file that waits longest, and at the horizon no file lacks any.
class MixDirector {
 public:
  explicit MixDirector(const Mix& mix);

  bool active() const { return active_; }
  // Returns the kind of the next operation; kCreate stands for create or delete.
  OperationKind draw(Random& random);

  // Records that the file lacks its bytes from operation.place on.
  void owe(const Operation& operation);
  bool owes(uint64_t file) const { return !files_.empty() && files_.contains(file); }
  uint64_t owing_count() const { return files_.size(); }
  bool full() const { return files_.size() >= kMostOwing; }
  // Whether `operations_left` are expected to complete twice `debts_count` files.
  bool can_pay(uint64_t debts_count, uint64_t operations_left) const {
    return 2 * static_cast<double>(debts_count) <= static_cast<double>(operations_left) * debt_fraction_;
  }
  // Removes and returns the operation that made the file waiting longest lack bytes, for an append to restore
  // them; nothing when no file waits.
  std::optional<Operation> pay();
  // Records that a file that lacks bytes was deleted, or changed to its other name.
  void forget(uint64_t file);
  void rename(uint64_t file);

  // Records that an append was due and no file waited for one: the next create stops short.
  void want_short_create() { ++short_creates_wanted_; }
  bool take_short_create();

 private:
  static constexpr size_t kMostOwing = 256;

  bool active_;
  double debt_fraction_;                                // of the operations that remove or restore bytes
  std::array<uint64_t, kOperationKindsCount> below_{};  // a draw of 32 bits below it is of this kind
  uint64_t short_creates_wanted_ = 0;
  std::deque<Operation> owing_;
  std::unordered_set<uint64_t> files_;  // the same, by file
};

}  // namespace patina
