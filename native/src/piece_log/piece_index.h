// Where each piece of an emulated disk is: zero, dropped, or kept at a place of the log.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace patina {

enum class PieceState : uint8_t {
  kZero,
  kDropped,
  kKept,
  kHeld,  // data that is stored all the same; PieceIndex has it as kept, with a mark
};

// Why a piece is kept.
using PieceMark = uint32_t;
inline constexpr PieceMark kNotData = 0;  // it may be metadata, or everything is kept
inline constexpr PieceMark kOfChosenPath = 1;
inline constexpr PieceMark kNamed = 2;  // the same, and named in the selection that is open
// From here on: held until a selection. The greater, the later it was written.
inline constexpr PieceMark kFirstAge = 3;

// The record of a kept piece: its segment, the record's first byte in it, and the bytes of its content.
struct PiecePlace {
  uint32_t segment = 0;
  uint32_t offset_bytes = 0;
  uint32_t content_bytes = 0;
  PieceMark mark = kNotData;
  bool operator==(const PiecePlace&) const = default;
};

// Two bits a piece, allocated by groups of 128 MiB, and 20 to 40 bytes for a kept piece. Not thread safe.
class PieceIndex {
 public:
  using Released = std::function<void(const PiecePlace&)>;

  // `released` is called with each place that no piece has any more.
  PieceIndex(uint64_t pieces_count, Released released);

  uint64_t pieces_count() const { return pieces_count_; }
  uint64_t kept_count() const { return kept_count_; }
  uint64_t dropped_count() const { return dropped_count_; }
  uint64_t held_count() const { return held_count_; }      // of the kept ones
  uint64_t chosen_count() const { return chosen_count_; }  // of the kept ones, named ones too

  PieceState state(uint64_t piece) const;
  // Returns the place of a kept piece.
  PiecePlace place(uint64_t piece) const;
  // Returns kNotData also for a piece that is not kept.
  PieceMark mark(uint64_t piece) const;

  void keep(uint64_t piece, const PiecePlace& place);
  void drop(uint64_t first, uint64_t count);
  void zero(uint64_t first, uint64_t count);

  // Returns the first piece from `piece` on that is not zero (or is zero); pieces_count() if there is none.
  uint64_t next_nonzero(uint64_t piece) const;
  uint64_t next_zero(uint64_t piece) const;
  // The same of pieces that are kept, and that are not.
  uint64_t next_kept(uint64_t piece) const;
  uint64_t next_unkept(uint64_t piece) const;

  void set_mark(uint64_t piece, PieceMark mark);
  // Visits all kept pieces with a mark, in any order, and gives each the returned mark, which is not
  // kNotData.
  void remark(const std::function<PieceMark(uint64_t piece, PieceMark mark)>& visit);

  // Visits all kept pieces, in the order of their numbers.
  void visit_kept(const std::function<void(uint64_t piece, const PiecePlace&)>& visit) const;
  // Visits all runs of dropped pieces.
  void visit_dropped(const std::function<void(uint64_t first, uint64_t count)>& visit) const;

 private:
  static constexpr uint64_t kGroupPieces = 32768;
  static constexpr uint64_t kWordBits = 64;
  using Bits = std::array<uint64_t, kGroupPieces / kWordBits>;

  struct Group {
    std::unique_ptr<Bits> nonzero;
    std::unique_ptr<Bits> kept;
  };

  // A hash table with linear probing: the content of a kept piece is found by one or two reads of memory.
  struct Slot {
    uint64_t piece_and_one = 0;  // 0: empty
    PiecePlace place;
  };

  static bool bit(const std::unique_ptr<Bits>& bits, uint64_t at);
  uint64_t next(uint64_t piece, std::unique_ptr<Bits> Group::* bits, bool is_set) const;
  size_t slot_of(uint64_t piece) const;
  void insert(uint64_t piece, const PiecePlace& place);
  void erase(uint64_t piece);
  void grow();
  void release(uint64_t piece);
  void count(PieceMark mark, int64_t change);

  uint64_t pieces_count_;
  Released released_;
  std::vector<Group> groups_;
  std::vector<Slot> slots_;
  uint64_t kept_count_ = 0;
  uint64_t dropped_count_ = 0;
  uint64_t held_count_ = 0;
  uint64_t chosen_count_ = 0;
};

}  // namespace patina
