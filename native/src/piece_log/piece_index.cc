// Bits for the states, a hash table for the places.
#include "piece_log/piece_index.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <utility>

namespace patina {
namespace {

constexpr size_t kLeastSlots = 1024;
// Of ten slots, at most so many are taken.
constexpr uint64_t kMostTaken = 7;
constexpr uint64_t kOfSlots = 10;

uint64_t mask_of(uint64_t bit) {
  return uint64_t{1} << (bit % 64);
}

}  // namespace

PieceIndex::PieceIndex(uint64_t pieces_count, Released released)
    : pieces_count_(pieces_count),
      released_(std::move(released)),
      groups_((pieces_count + kGroupPieces - 1) / kGroupPieces),
      slots_(kLeastSlots) {}

bool PieceIndex::bit(const std::unique_ptr<Bits>& bits, uint64_t at) {
  return bits != nullptr && ((*bits)[at / kWordBits] & mask_of(at)) != 0;
}

PieceState PieceIndex::state(uint64_t piece) const {
  const Group& group = groups_[piece / kGroupPieces];
  const uint64_t at = piece % kGroupPieces;
  if (!bit(group.nonzero, at)) return PieceState::kZero;
  return bit(group.kept, at) ? PieceState::kKept : PieceState::kDropped;
}

PiecePlace PieceIndex::place(uint64_t piece) const {
  const Slot& slot = slots_[slot_of(piece)];
  assert(slot.piece_and_one == piece + 1);
  return slot.place;
}

PieceMark PieceIndex::mark(uint64_t piece) const {
  return state(piece) == PieceState::kKept ? place(piece).mark : kNotData;
}

void PieceIndex::set_mark(uint64_t piece, PieceMark mark) {
  PiecePlace& place = slots_[slot_of(piece)].place;
  count(place.mark, -1);
  place.mark = mark;
  count(mark, 1);
}

void PieceIndex::remark(const std::function<PieceMark(uint64_t, PieceMark)>& visit) {
  for (Slot& slot : slots_) {
    if (slot.piece_and_one == 0 || slot.place.mark == kNotData) continue;
    const PieceMark mark = visit(slot.piece_and_one - 1, slot.place.mark);
    count(slot.place.mark, -1);
    slot.place.mark = mark;
    count(mark, 1);
  }
}

void PieceIndex::count(PieceMark mark, int64_t change) {
  if (mark == kNotData) return;
  uint64_t& counted = mark >= kFirstAge ? held_count_ : chosen_count_;
  counted += static_cast<uint64_t>(change);
}

void PieceIndex::keep(uint64_t piece, const PiecePlace& place) {
  Group& group = groups_[piece / kGroupPieces];
  const uint64_t at = piece % kGroupPieces;
  if (group.nonzero == nullptr) group.nonzero = std::make_unique<Bits>();
  if (group.kept == nullptr) group.kept = std::make_unique<Bits>();
  if (bit(group.kept, at)) {
    release(piece);
  } else if (bit(group.nonzero, at)) {
    --dropped_count_;
  }
  (*group.nonzero)[at / kWordBits] |= mask_of(at);
  (*group.kept)[at / kWordBits] |= mask_of(at);
  insert(piece, place);
}

void PieceIndex::drop(uint64_t first, uint64_t count) {
  for (uint64_t piece = first; piece < first + count; ++piece) {
    Group& group = groups_[piece / kGroupPieces];
    const uint64_t at = piece % kGroupPieces;
    if (bit(group.kept, at)) {
      release(piece);
      (*group.kept)[at / kWordBits] &= ~mask_of(at);
    } else if (bit(group.nonzero, at)) {
      continue;
    }
    if (group.nonzero == nullptr) group.nonzero = std::make_unique<Bits>();
    (*group.nonzero)[at / kWordBits] |= mask_of(at);
    ++dropped_count_;
  }
}

void PieceIndex::zero(uint64_t first, uint64_t count) {
  const uint64_t end = first + count;
  for (uint64_t piece = next_nonzero(first); piece < end; piece = next_nonzero(piece + 1)) {
    Group& group = groups_[piece / kGroupPieces];
    const uint64_t at = piece % kGroupPieces;
    if (bit(group.kept, at)) {
      release(piece);
      (*group.kept)[at / kWordBits] &= ~mask_of(at);
    } else {
      --dropped_count_;
    }
    (*group.nonzero)[at / kWordBits] &= ~mask_of(at);
  }
}

uint64_t PieceIndex::next_nonzero(uint64_t piece) const {
  return next(piece, &Group::nonzero, true);
}

uint64_t PieceIndex::next_zero(uint64_t piece) const {
  return next(piece, &Group::nonzero, false);
}

uint64_t PieceIndex::next_kept(uint64_t piece) const {
  return next(piece, &Group::kept, true);
}

uint64_t PieceIndex::next_unkept(uint64_t piece) const {
  return next(piece, &Group::kept, false);
}

uint64_t PieceIndex::next(uint64_t piece, std::unique_ptr<Bits> Group::* bits, bool is_set) const {
  while (piece < pieces_count_) {
    const std::unique_ptr<Bits>& of_group = groups_[piece / kGroupPieces].*bits;
    const uint64_t at = piece % kGroupPieces;
    if (of_group == nullptr) {
      if (!is_set) return piece;
      piece += kGroupPieces - at;
      continue;
    }
    const uint64_t word = (*of_group)[at / kWordBits];
    const uint64_t wanted = (is_set ? word : ~word) >> (at % kWordBits);
    if (wanted != 0) return std::min(pieces_count_, piece + static_cast<uint64_t>(std::countr_zero(wanted)));
    piece += kWordBits - at % kWordBits;
  }
  return pieces_count_;
}

void PieceIndex::visit_kept(const std::function<void(uint64_t, const PiecePlace&)>& visit) const {
  for (uint64_t group = 0; group < groups_.size(); ++group) {
    if (groups_[group].kept == nullptr) continue;
    const Bits& kept = *groups_[group].kept;
    for (uint64_t word = 0; word < kept.size(); ++word) {
      for (uint64_t bits = kept[word]; bits != 0; bits &= bits - 1) {
        const uint64_t piece =
            group * kGroupPieces + word * kWordBits + static_cast<uint64_t>(std::countr_zero(bits));
        visit(piece, place(piece));
      }
    }
  }
}

void PieceIndex::visit_dropped(const std::function<void(uint64_t, uint64_t)>& visit) const {
  uint64_t piece = next_nonzero(0);
  while (piece < pieces_count_) {
    const uint64_t end = next_zero(piece);
    while (piece < end) {
      const uint64_t first = std::min(end, next_unkept(piece));
      piece = std::min(end, next_kept(first));
      if (piece > first) visit(first, piece - first);
    }
    piece = next_nonzero(end);
  }
}

size_t PieceIndex::slot_of(uint64_t piece) const {
  constexpr uint64_t kGolden = 0x9E3779B97F4A7C15U;
  const size_t mask = slots_.size() - 1;
  auto at = static_cast<size_t>((piece * kGolden) >> 32U) & mask;
  while (slots_[at].piece_and_one != 0 && slots_[at].piece_and_one != piece + 1) at = (at + 1) & mask;
  return at;
}

void PieceIndex::insert(uint64_t piece, const PiecePlace& place) {
  if ((kept_count_ + 1) * kOfSlots > slots_.size() * kMostTaken) grow();
  slots_[slot_of(piece)] = {piece + 1, place};
  ++kept_count_;
  count(place.mark, 1);
}

void PieceIndex::grow() {
  std::vector<Slot> before(slots_.size() * 2);
  before.swap(slots_);
  for (const Slot& slot : before) {
    if (slot.piece_and_one != 0) slots_[slot_of(slot.piece_and_one - 1)] = slot;
  }
}

// Closes the gap: a later slot of the chain moves into it.
void PieceIndex::erase(uint64_t piece) {
  const size_t mask = slots_.size() - 1;
  size_t gap = slot_of(piece);
  slots_[gap] = {};
  for (size_t at = (gap + 1) & mask; slots_[at].piece_and_one != 0; at = (at + 1) & mask) {
    const Slot moved = std::exchange(slots_[at], {});
    slots_[slot_of(moved.piece_and_one - 1)] = moved;
  }
  --kept_count_;
}

void PieceIndex::release(uint64_t piece) {
  const PiecePlace before = place(piece);
  erase(piece);
  count(before.mark, -1);
  released_(before);
}

}  // namespace patina
