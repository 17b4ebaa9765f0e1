// Notes parts of nodes, and decides on them once the rest must have come.
#include "squash/node_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/all_zero.h"
#include "squash/bytes.h"

namespace patina {
namespace {

constexpr unsigned kSettledLog = 22;  // 512 KiB
constexpr size_t kSettledBits = size_t{1} << kSettledLog;

size_t hash_of(uint64_t group) {
  return static_cast<size_t>(group * 0x9e3779b97f4a7c15ULL >> (64 - kSettledLog));
}

// Bits `begin` to `end` - 1.
uint32_t bits(uint64_t begin, uint64_t end) {
  return static_cast<uint32_t>((uint64_t{1} << end) - (uint64_t{1} << begin));
}

// Finds the first piece of a node that is not kept; 0: all are.
uint64_t missing_piece(const PieceReader& reader, uint64_t head, uint64_t node_pieces) {
  std::array<uint8_t, kPieceBytes> piece;
  for (uint64_t tail = head + 1; tail < head + node_pieces; ++tail) {
    if (!reader(tail, piece)) return tail;
  }
  return 0;
}

// It may have been overwritten by what is kept for another reason.
bool is_still_kept_for_now(const Rules& rules, const PieceReader& reader, uint64_t tail) {
  std::array<uint8_t, kPieceBytes> piece;
  if (!reader(tail, piece) || is_all_zero(piece)) return false;
  Verdict verdict = Verdict::kKeep;
  rules.classify(tail, piece, {&verdict, 1});
  return verdict == Verdict::kKeepForNow;
}

}  // namespace

bool NodeGroups::concern(const Rules& rules, uint64_t first_piece, uint64_t pieces_count) {
  const uint64_t node_pieces = rules.node_pieces();
  return node_pieces > 1 &&
         (first_piece % node_pieces != 0 || (first_piece + pieces_count) % node_pieces != 0);
}

void NodeGroups::note(const Rules& rules, const PieceReader& reader, uint64_t first_piece,
                      uint64_t pieces_count, TimePoint now, uint64_t flushes_count) {
  const uint64_t node_pieces = rules.node_pieces();
  if (node_pieces == 1 || pieces_count == 0) return;
  const uint64_t end = first_piece + pieces_count;
  const uint64_t in_first = first_piece % node_pieces;
  if (in_first != 0) {
    note_tails(first_piece / node_pieces, bits(in_first, std::min(in_first + pieces_count, node_pieces)), now,
               flushes_count);
  }
  const uint64_t last_head = end / node_pieces * node_pieces;
  if (end == last_head || last_head < first_piece) return;
  std::array<uint8_t, kPieceBytes> head;
  if (reader(last_head, head) && rules.is_node_head(head)) {
    note_head(last_head / node_pieces, now, flushes_count);
  }
}

// The clock of a group begins again with each of its parts.
void NodeGroups::note_tails(uint64_t group, uint32_t pieces, TimePoint now, uint64_t flushes_count) {
  const auto found = groups_.find(group);
  if (found == groups_.end() && groups_.size() >= kMaxGroups) return;
  const uint32_t before = found == groups_.end() ? 0 : found->second.kept_for_now;
  groups_[group] = {now, flushes_count, before | pieces};
}

void NodeGroups::note_head(uint64_t group, TimePoint now, uint64_t flushes_count) {
  const auto found = groups_.find(group);
  if (found == groups_.end() && groups_.size() >= kMaxGroupsWithHeads) {
    is_full_ = true;
    return;
  }
  const uint32_t before = found == groups_.end() ? 0 : found->second.kept_for_now;
  groups_[group] = {now, flushes_count, before};
}

std::string NodeGroups::settle(const Rules& rules, const PieceReader& reader, TimePoint now,
                               uint64_t flushes_count, Age age, std::vector<uint64_t>& dropped) {
  if (is_full_) return fmt::format("More than {} nodes came in parts.", kMaxGroupsWithHeads);
  const uint64_t node_pieces = rules.node_pieces();
  std::array<uint8_t, kPieceBytes> piece;
  for (auto each = groups_.begin(); each != groups_.end();) {
    const auto& [number, group] = *each;
    if (now - group.noted_at <= age.time || flushes_count - group.flushes_count < age.flushes_count) {
      ++each;
      continue;
    }
    const uint64_t head = number * node_pieces;
    if (reader(head, piece) && rules.is_node_head(piece)) {
      const uint64_t missing = missing_piece(reader, head, node_pieces);
      // Else a part of the node was never stored: its write failed.
      if (missing != 0 && was_settled(number)) {
        return fmt::format("A part of a btrfs node is lost: piece {} of the node at piece {} was not kept.",
                           missing, head);
      }
    } else {
      for (uint64_t i = 1; i < node_pieces; ++i) {
        const bool was_kept = (group.kept_for_now & bits(i, i + 1)) != 0;
        if (!was_kept || !is_still_kept_for_now(rules, reader, head + i)) continue;
        dropped.push_back(head + i);
        remember_settled(number);
      }
    }
    each = groups_.erase(each);
  }
  return "";
}

bool NodeGroups::was_settled(uint64_t group) const {
  return !settled_.empty() && settled_[hash_of(group)];
}

void NodeGroups::remember_settled(uint64_t group) {
  settled_.resize(kSettledBits);
  settled_[hash_of(group)] = true;
}

void NodeGroups::clear() {
  groups_.clear();
  settled_.clear();
  is_full_ = false;
}

uint64_t NodeGroups::memory_bytes() const {
  constexpr uint64_t kNodeBytes = sizeof(std::pair<const uint64_t, Group>) + 2 * sizeof(void*);
  return groups_.size() * kNodeBytes + groups_.bucket_count() * sizeof(void*) + settled_.size() / 8;
}

}  // namespace patina
