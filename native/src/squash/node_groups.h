// Groups of pieces that may be one btrfs node, of which a write has brought a part.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "squash/rules.h"

namespace patina {

class NodeGroups {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  // Bounds the memory to about 24 MiB. What does not fit stays kept.
  static constexpr size_t kMaxGroups = size_t{1} << 18U;
  // Heads must be noted. So many in parts do not occur.
  static constexpr size_t kMaxGroupsWithHeads = 2 * kMaxGroups;

  struct Age {
    std::chrono::seconds time;
    uint64_t flushes_count;
  };

  // Whether the write has a part of a group.
  static bool concern(const Rules& rules, uint64_t first_piece, uint64_t pieces_count);
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

  void note_tails(uint64_t group, uint32_t pieces, TimePoint now, uint64_t flushes_count);
  void note_head(uint64_t group, TimePoint now, uint64_t flushes_count);

  // Whether a piece of this group may have been dropped by settle(). Never wrongly false.
  bool was_settled(uint64_t group) const;
  void remember_settled(uint64_t group);

  std::unordered_map<uint64_t, Group> groups_;
  std::vector<bool> settled_;  // by a hash of the group; empty: none
  bool is_full_ = false;       // a head was not noted, and a loss would not be found
};

}  // namespace patina
