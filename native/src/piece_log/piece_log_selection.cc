// Held data: its bound, and the selections that decide which of it is of chosen paths.
#include <fmt/format.h>

#include <algorithm>
#include <mutex>

#include "piece_log/piece_log.h"
#include "piece_log/piece_record.h"

namespace patina {

// So many pieces share an age: 32 bits are then enough for petabytes. At their end no age is smaller than
// that of a selection, and only the bound drops.
PieceMark PieceLog::next_age() {
  constexpr uint32_t kOfOneAge = 256;
  if (++of_this_age_count_ > kOfOneAge && age_ < UINT32_MAX) {
    of_this_age_count_ = 1;
    ++age_;
  }
  return age_;
}

Status PieceLog::append_run_record(RecordKind kind, uint64_t first, uint64_t count) {
  std::vector<uint8_t> record;
  append_run(kind, first, count, record);
  if (Status status = append(record); !status) return status;
  apply_record(read_record(record), {});
  return ok_status();
}

Status PieceLog::lose_oldest(uint64_t left_count) {
  std::vector<std::pair<PieceMark, uint64_t>> held;
  held.reserve(index_.held_count());
  index_.remark([&held](uint64_t piece, PieceMark mark) {
    if (mark >= kFirstAge) held.emplace_back(mark, piece);
    return mark;
  });
  if (held.size() <= left_count) return ok_status();
  const auto end = held.end() - static_cast<std::ptrdiff_t>(left_count);
  if (left_count > 0) std::nth_element(held.begin(), end, held.end());
  std::vector<uint64_t> oldest;
  oldest.reserve(held.size() - left_count);
  for (auto each = held.begin(); each != end; ++each) oldest.push_back(each->second);
  return drop_data(std::move(oldest), RecordKind::kLost);
}

// Not limited by the space of the store, since it gives space back.
Status PieceLog::drop_data(std::vector<uint64_t> pieces, RecordKind kind) {
  std::sort(pieces.begin(), pieces.end());
  for (size_t begin = 0; begin < pieces.size();) {
    size_t end = begin + 1;
    while (end < pieces.size() && pieces[end] == pieces[end - 1] + 1) ++end;
    if (Status status = append_run_record(kind, pieces[begin], end - begin); !status) return status;
    released_count_ += end - begin;
    begin = end;
  }
  return ok_status();
}

Status PieceLog::check_selection(uint64_t selection) const {
  if (is_closed_) return closed();
  if (is_selection_open_ && selection == selection_) return ok_status();
  return Error{
      ErrorCode::kUsage,
      fmt::format("selection {} is not open: it has ended, another one has begun, or the emulator was "
                  "started again. Begin anew",
                  selection)};
}

Result<uint64_t> PieceLog::begin_selection() {
  const std::lock_guard lock(mutex_);
  if (is_closed_) return closed();
  index_.remark([](uint64_t, PieceMark mark) { return mark == kNamed ? kOfChosenPath : mark; });
  if (age_ < UINT32_MAX) ++age_;
  of_this_age_count_ = 0;
  selection_age_ = age_;
  is_selection_open_ = true;
  return ++selection_;
}

Result<uint64_t> PieceLog::name_chosen(uint64_t selection, uint64_t first, uint64_t count) {
  const std::lock_guard lock(mutex_);
  if (Status status = check_selection(selection); !status) return status.error();
  uint64_t dropped_count = 0;
  bool any_data = false;
  for (uint64_t piece = first; piece < first + count; ++piece) {
    if (index_.state(piece) == PieceState::kDropped) ++dropped_count;
    any_data = any_data || index_.mark(piece) != kNotData;
  }
  if (any_data) {
    if (Status status = append_run_record(RecordKind::kChosen, first, count); !status) return status.error();
  }
  return dropped_count;
}

Status PieceLog::end_selection(uint64_t selection) {
  const std::lock_guard lock(mutex_);
  if (Status status = check_selection(selection); !status) return status;
  std::vector<uint64_t> unnamed;
  index_.remark([&](uint64_t piece, PieceMark mark) {
    const bool is_held = mark >= kFirstAge;
    if (mark == kOfChosenPath || (is_held && mark < selection_age_)) unnamed.push_back(piece);
    return mark == kNamed ? kOfChosenPath : mark;
  });
  is_selection_open_ = false;
  if (Status status = drop_data(std::move(unnamed), RecordKind::kDropped); !status) return status;
  return sync_and_compact();
}

}  // namespace patina
