// Sectors that a write cache has accepted and not yet written.
#pragma once

#include <cstdint>
#include <map>

namespace patina {

struct SectorRange {
  uint64_t first = 0;
  uint64_t end = 0;
};

class DirtySectors {
 public:
  bool empty() const { return ranges_.empty(); }
  uint64_t count() const { return count_; }
  // Adjacent and overlapping ranges become one.
  void add(SectorRange range);
  bool contains(SectorRange range) const;
  void remove(SectorRange range);
  // Takes the next piece upwards from `position`, and from the first after the last; at most `most` sectors.
  SectorRange take_next(uint64_t position, uint64_t most);

 private:
  std::map<uint64_t, uint64_t> ranges_;  // first -> end; none adjacent
  uint64_t count_ = 0;
};

}  // namespace patina
