// How sequentially a device is read: whether each read begins where the one before it ended.
#pragma once

#include <cstdint>
#include <vector>

#include "base/byte_range.h"

namespace patina {

class ReadOrder {
 public:
  // Takes a read as it was issued. Reads of several processors may come out of order.
  void add(uint64_t time_ns, ByteRange range) { waiting_.push_back({time_ns, range}); }
  // Counts what was added since the last call, by its time. Call it whenever every processor's events were
  // read.
  void settle();

  uint64_t reads_count() const { return reads_count_; }
  uint64_t read_bytes() const { return read_bytes_; }
  // Counts the reads that did not begin where the one before ended; the first is one.
  uint64_t jumps_count() const { return jumps_count_; }

 private:
  struct Read {
    uint64_t time_ns;
    ByteRange range;
  };

  std::vector<Read> waiting_;
  uint64_t end_bytes_ = UINT64_MAX;
  uint64_t reads_count_ = 0;
  uint64_t read_bytes_ = 0;
  uint64_t jumps_count_ = 0;
};

}  // namespace patina
