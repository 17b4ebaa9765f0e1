// Sorts by time, because the kernel has a buffer for each processor.
#include "trace/read_order.h"

#include <algorithm>

namespace patina {

void ReadOrder::settle() {
  std::stable_sort(waiting_.begin(), waiting_.end(),
                   [](const Read& a, const Read& b) { return a.time_ns < b.time_ns; });
  for (const Read& read : waiting_) {
    ++reads_count_;
    read_bytes_ += read.range.length_bytes();
    if (read.range.begin_bytes != end_bytes_) ++jumps_count_;
    end_bytes_ = read.range.end_bytes;
  }
  waiting_.clear();
}

}  // namespace patina
