// The request queue of the operating system before a disk, as in David (Agrawal, Arulraj, Arpaci-Dusseau and
// Arpaci-Dusseau, ACM TOS 7(4), 2012): a limit on its entries, first in first out, merging, and a plug.
#pragma once

#include <cstdint>
#include <deque>

#include "disk_model/disk_model.h"
#include "disk_model/disk_spec.h"

namespace patina {

class RequestQueue {
 public:
  explicit RequestQueue(const QueueSpec& spec) : spec_(spec) {}

  struct Admission {
    uint64_t start_ns = 0;   // when the disk may get it
    bool is_merged = false;  // into the last request, which the disk has not begun
  };
  Admission admit(const DiskRequest& request, uint64_t arrival_ns);
  // Records the end of the request that was admitted last.
  void set_end(uint64_t end_ns);

  uint64_t merged_count() const { return merged_count_; }
  uint64_t full_count() const { return full_count_; }

 private:
  struct Entry {
    DiskRequest request;
    uint64_t end_ns = 0;
  };
  bool merges(const DiskRequest& request) const;

  QueueSpec spec_;
  std::deque<Entry> entries_;  // in the order of their ends
  uint64_t plugged_until_ns_ = 0;
  uint64_t merged_count_ = 0;
  uint64_t full_count_ = 0;
};

}  // namespace patina
