// An end, once answered, is final. So a request merges with the last one of the queue only, and at its end.
#include "disk_model/request_queue.h"

#include <algorithm>

namespace patina {

bool RequestQueue::merges(const DiskRequest& request) const {
  // The disk works on the first entry; the last one waits only behind another.
  if (spec_.max_merge_bytes == 0 || entries_.size() < 2) return false;
  const DiskRequest& last = entries_.back().request;
  const bool is_transfer =
      request.kind == DiskRequest::Kind::kRead || request.kind == DiskRequest::Kind::kWrite;
  return is_transfer && last.kind == request.kind &&
         last.offset_bytes + last.length_bytes == request.offset_bytes &&
         last.length_bytes + request.length_bytes <= spec_.max_merge_bytes;
}

RequestQueue::Admission RequestQueue::admit(const DiskRequest& request, uint64_t arrival_ns) {
  const auto drop_ended = [this](uint64_t now_ns) {
    while (!entries_.empty() && entries_.front().end_ns <= now_ns) entries_.pop_front();
  };
  drop_ended(arrival_ns);
  if (merges(request)) {
    ++merged_count_;
    entries_.back().request.length_bytes += request.length_bytes;
    return {arrival_ns, true};
  }
  uint64_t start_ns = arrival_ns;
  if (entries_.size() >= spec_.entries_count) {
    ++full_count_;
    start_ns = entries_[entries_.size() - 1 - spec_.resume_count].end_ns;
    drop_ended(start_ns);
  }
  // A process waits for a read, which unplugs the queue.
  if (request.kind == DiskRequest::Kind::kWrite && entries_.empty() && start_ns >= plugged_until_ns_) {
    plugged_until_ns_ = start_ns + spec_.unplug_ns;
  }
  entries_.push_back({request, 0});
  return {std::max(start_ns, plugged_until_ns_), false};
}

void RequestQueue::set_end(uint64_t end_ns) {
  // An unfinished flush or discard may end before what was admitted earlier; the order of ends holds anyway.
  const uint64_t before_ns = entries_.size() < 2 ? 0 : entries_[entries_.size() - 2].end_ns;
  entries_.back().end_ns = std::max(end_ns, before_ns);
}

}  // namespace patina
