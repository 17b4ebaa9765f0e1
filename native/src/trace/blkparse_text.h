// The text that blkparse prints, line by line.
#pragma once

#include <string_view>

#include "trace/trace_tally.h"

namespace patina {

// Parses blkparse's default output; take() returns false for a line that is not of that format.
class BlkparseText {
 public:
  explicit BlkparseText(TraceTally& tally) : tally_(tally) {}
  bool take(std::string_view line);

 private:
  TraceTally& tally_;
  bool in_summary_ = false;
};

}  // namespace patina
