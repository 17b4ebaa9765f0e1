// Groups of pieces that may be one btrfs node, of which a write has brought a part.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "squash/piece.h"
#include "squash/rules.h"

namespace patina {

class NodeGroups {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  // Bounds the memory to about 24 MiB. What does not fit stays kept.
  static constexpr size_t kMaxGroups = size_t{1} << 18U;

  struct Age {
    std::chrono::seconds time;
    uint64_t flushes_count;
  };

  // Notes the groups at both ends of a stored write that are only partly in it.
  void note(const Rules& rules, const PieceReader& reader, uint64_t first_piece, uint64_t pieces_count,
            TimePoint now, uint64_t flushes_count);
  // Decides on the groups that are older than `age`: appends pieces to drop; returns what was lost, or "".
  std::string settle(const Rules& rules, const PieceReader& reader, TimePoint now, uint64_t flushes_count,
                     Age age, std::vector<uint64_t>& dropped);
  void clear();
  uint64_t memory_bytes() const;

 private:
  struct Group {
    TimePoint noted_at;
    uint64_t flushes_count = 0;
    uint32_t kept_for_now = 0;  // a bit for each piece
  };

  Group* find_or_add(uint64_t group, TimePoint now, uint64_t flushes_count);

  std::unordered_map<uint64_t, Group> groups_;
  bool is_full_ = false;  // a head was not noted, so that a loss would not be found
};

}  // namespace patina
