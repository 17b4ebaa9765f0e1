// The text that blkparse prints, line by line.
#pragma once

#include <string_view>

#include "trace/trace_tally.h"

namespace patina {

// Takes one line that blkparse printed. False: it did not print this, or by another format.
class BlkparseText {
 public:
  explicit BlkparseText(TraceTally& tally) : tally_(tally) {}
  bool take(std::string_view line);

 private:
  TraceTally& tally_;
  bool in_summary_ = false;
};

}  // namespace patina
