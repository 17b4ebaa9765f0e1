// Appends, reads and flushes. Opening is in piece_log_open.cc, compaction in piece_log_compact.cc, loss in
// piece_log_cut.cc.
#include "piece_log/piece_log.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cerrno>
#include <cstring>
#include <mutex>

#include "base/in_bytes.h"
#include "piece_log/piece_record.h"

namespace patina {
namespace {

// Under pressure of space nearly every segment is worth moving: unless more of it is live.
constexpr double kWorthMovingWhenFull = 0.9;
// Records without content give space back: they may take this part of a segment more than the limit. It is
// enough for the segment to be worth moving.
constexpr uint32_t kReservePart = 4;
// At the bound of held pieces, so much of it is dropped at once: finding the oldest takes time.
constexpr uint64_t kLostPart = 4;

}  // namespace

Error PieceLog::closed() {
  return {ErrorCode::kIoError,
          "the emulated disk has lost its power, or could not be stored; start it again"};
}

void PieceChanges::keep(uint64_t piece, std::span<const uint8_t> content) {
  append_content(RecordKind::kKept, piece, content, records_);
}

void PieceChanges::drop(uint64_t first, uint64_t count) {
  append_run(RecordKind::kDropped, first, count, records_);
}

void PieceChanges::zero(uint64_t first, uint64_t count) {
  append_run(RecordKind::kZero, first, count, records_);
}

void PieceChanges::hold(uint64_t piece, std::span<const uint8_t> content) {
  append_content(RecordKind::kHeld, piece, content, records_);
}

void PieceChanges::hold_kept(uint64_t first, uint64_t count) {
  append_run(RecordKind::kHold, first, count, records_);
}

PieceLog::PieceLog(PieceLogOptions options)
    : options_(std::move(options)),
      index_(options_.size_bytes / kPieceBytes, [this](const PiecePlace& place) { release(place); }) {}

PieceLog::~PieceLog() = default;

void PieceLog::release(const PiecePlace& place) {
  if (LogSegment* segment = find_segment(place.segment)) {
    segment->remove_live(RecordHead::record_bytes(place.content_bytes));
  }
}

LogSegment* PieceLog::find_segment(uint32_t number) const {
  if (head_ != nullptr && head_->number() == number) return head_.get();
  const auto found = segments_.find(number);
  return found == segments_.end() ? nullptr : found->second.get();
}

uint64_t PieceLog::stored_bytes() const {
  uint64_t sum = snapshot_bytes_;
  for (const auto& [number, segment] : segments_) sum += segment->size_bytes();
  return sum;
}

Status PieceLog::begin_segment() {
  const uint32_t number = segments_.empty() ? 1 : segments_.rbegin()->first + 1;
  Result<std::shared_ptr<LogSegment>> segment = LogSegment::create(options_.folder, number);
  if (!segment) return segment.error();
  head_ = *segment;
  segments_[number] = head_;
  is_folder_unsynced_ = true;
  return ok_status();
}

bool PieceLog::changes_something(const RecordHead& head) const {
  switch (head.kind) {
    case RecordKind::kZero:
      return index_.next_nonzero(head.piece) < head.piece + head.count;
    case RecordKind::kDropped:
      for (uint64_t piece = head.piece; piece < head.piece + head.count; ++piece) {
        if (index_.state(piece) != PieceState::kDropped) return true;
      }
      return false;
    default:
      return true;
  }
}

void PieceLog::place_record(const RecordHead& head, const Position& at, PieceMark mark) {
  index_.keep(head.piece, {at.segment, static_cast<uint32_t>(at.offset_bytes), head.content_bytes, mark});
  find_segment(at.segment)->add_live(head.record_bytes());
}

void PieceLog::apply_record(const RecordHead& head, const Position& at) {
  const uint64_t end = head.piece + head.count;
  switch (head.kind) {
    case RecordKind::kKept:
      place_record(head, at, kNotData);
      break;
    case RecordKind::kHeld: {
      const PieceMark before = index_.mark(head.piece);
      const bool is_chosen = before == kOfChosenPath || before == kNamed;
      place_record(head, at, is_chosen ? chosen_mark() : next_age());
      break;
    }
    case RecordKind::kHold:
      for (uint64_t piece = head.piece; piece < end; ++piece) {
        const bool is_kept = index_.state(piece) == PieceState::kKept;
        if (is_kept && index_.mark(piece) == kNotData) index_.set_mark(piece, next_age());
      }
      break;
    case RecordKind::kChosen:
      for (uint64_t piece = head.piece; piece < end; ++piece) {
        if (index_.mark(piece) != kNotData) index_.set_mark(piece, chosen_mark());
      }
      break;
    case RecordKind::kLost:
      lost_count_ += head.count;
      [[fallthrough]];
    case RecordKind::kDropped:
      index_.drop(head.piece, head.count);
      break;
    case RecordKind::kZero:
      index_.zero(head.piece, head.count);
      break;
    case RecordKind::kFlush:
      break;
  }
}

Status PieceLog::append(std::span<const uint8_t> record) {
  if (head_ == nullptr || head_->size_bytes() + record.size() > options_.segment_bytes) {
    if (Status status = write_out(); !status) return status;
    if (Status status = begin_segment(); !status) return status;
  }
  if (!head_->has_room(record.size())) {
    if (Status status = head_->write_out(); !status) return status;
  }
  head_->append(record);
  is_unflushed_ = true;
  return ok_status();
}

Status PieceLog::make_space(const RecordHead& head) {
  if (options_.available_bytes == 0) return ok_status();
  const bool gives_back = head.content_bytes == 0;
  const uint64_t limit_bytes =
      options_.available_bytes + (gives_back ? options_.segment_bytes / kReservePart : 0);
  for (uint64_t before = UINT64_MAX; stored_bytes() + head.record_bytes() > limit_bytes;) {
    if (stored_bytes() >= before) {
      if (gives_back) return ok_status();
      if (index_.held_count() == 0) {
        return Error{
            ErrorCode::kStoreNoSpace,
            fmt::format("the emulated disk may store {} on this host, and needs more. Make one with a "
                        "larger limit",
                        in_bytes(options_.available_bytes))};
      }
      if (Status status = lose_oldest(index_.held_count() / 2); !status) return status;
    }
    before = stored_bytes();
    if (Status status = compact(kWorthMovingWhenFull); !status) return status;
  }
  return ok_status();
}

Status PieceLog::apply(const PieceChanges& changes) {
  const std::lock_guard lock(mutex_);
  if (is_closed_) return closed();
  for (std::span<const uint8_t> rest = changes.records(); !rest.empty();) {
    RecordHead head;
    std::memcpy(&head, rest.data(), sizeof head);
    assert(head.piece + head.count <= index_.pieces_count());
    const std::span<const uint8_t> record = rest.first(head.record_bytes());
    rest = rest.subspan(record.size());
    if (!changes_something(head)) continue;
    if (Status status = append_fitting(head, record); !status) return status;
  }
  return ok_status();
}

Status PieceLog::append_fitting(const RecordHead& head, std::span<const uint8_t> record) {
  if (Status status = make_space(head); !status) {
    const bool may_lose = head.kind == RecordKind::kHeld && status.error().code == ErrorCode::kStoreNoSpace;
    return may_lose ? append_run_record(RecordKind::kLost, head.piece, 1) : status;
  }
  if (Status status = append(record); !status) return status;
  apply_record(head, {head_->number(), head_->size_bytes() - record.size()});
  if (index_.held_count() <= most_held_count()) return ok_status();
  return lose_oldest(most_held_count() - most_held_count() / kLostPart);
}

Status PieceLog::write_out() {
  return head_ == nullptr ? ok_status() : head_->write_out();
}

// Everything appended so far is durable afterwards. The mark is written once all before it is durable: a
// crash of the host leaves no mark behind a damaged record.
Status PieceLog::sync() {
  if (!is_unflushed_) return ok_status();
  if (Status status = make_durable(); !status) return status;
  std::vector<uint8_t> mark;
  append_run(RecordKind::kFlush, 0, 0, mark);
  if (Status status = append(mark); !status) return status;  // not limited: a full disk must be able to flush
  if (Status status = make_durable(); !status) return status;
  flushed_ = {head_->number(), head_->size_bytes()};
  is_unflushed_ = false;
  return ok_status();
}

Status PieceLog::make_durable() {
  if (Status status = write_out(); !status) return status;
  const Status synced = sync_files();
  // The kernel counts the lost pages as written, so that another attempt would succeed.
  if (!synced) is_closed_ = has_failed_ = true;
  return synced;
}

Status PieceLog::sync_files() {
  if (is_folder_unsynced_ && ::fsync(folder_.get()) != 0) {
    return Error{ErrorCode::kIoError,
                 fmt::format("cannot sync '{}': {}", options_.folder, std::strerror(errno))};
  }
  is_folder_unsynced_ = false;
  for (const auto& [number, segment] : segments_) {
    if (Status status = segment->sync(); !status) return status;
  }
  return ok_status();
}

Status PieceLog::flush() {
  const std::lock_guard lock(mutex_);
  if (is_closed_) return closed();
  return sync_and_compact();
}

Status PieceLog::read(uint64_t first, std::span<PieceState> states, std::span<uint8_t> data) const {
  struct Stored {
    size_t at;
    std::shared_ptr<LogSegment> segment;
    PiecePlace place;
  };
  std::vector<Stored> stored;
  {
    const std::shared_lock lock(mutex_);
    if (is_closed_) return closed();
    for (size_t i = 0; i < states.size(); ++i) {
      states[i] = index_.state(first + i);
      if (states[i] != PieceState::kKept) continue;
      const PiecePlace place = index_.place(first + i);
      if (place.mark != kNotData) states[i] = PieceState::kHeld;
      const auto& segment = segments_.at(place.segment);
      const auto content = segment->in_memory(place.offset_bytes + sizeof(RecordHead), place.content_bytes);
      if (!content) {
        stored.push_back({i, segment, place});
      } else if (!unpack_kept(*content, data.subspan(i * kPieceBytes, kPieceBytes))) {
        return Error{ErrorCode::kIoError, fmt::format("piece {} is damaged in memory", first + i)};
      }
    }
  }
  std::array<uint8_t, kPieceBytes> content;
  for (const Stored& each : stored) {
    const std::span<uint8_t> bytes = std::span(content).first(each.place.content_bytes);
    if (Status status = each.segment->read(each.place.offset_bytes + sizeof(RecordHead), bytes); !status) {
      return status;
    }
    if (!unpack_kept(bytes, data.subspan(each.at * kPieceBytes, kPieceBytes))) {
      return Error{ErrorCode::kIoError,
                   fmt::format("the stored content of piece {} is damaged", first + each.at)};
    }
  }
  return ok_status();
}

uint64_t PieceLog::next_nonzero(uint64_t piece) const {
  const std::shared_lock lock(mutex_);
  return index_.next_nonzero(piece);
}

uint64_t PieceLog::next_zero(uint64_t piece) const {
  const std::shared_lock lock(mutex_);
  return index_.next_zero(piece);
}

void PieceLog::list_kept(uint64_t piece, size_t most, std::vector<ByteRange>& ranges) const {
  const std::shared_lock lock(mutex_);
  for (piece = index_.next_kept(piece); piece < index_.pieces_count() && ranges.size() < most;
       piece = index_.next_kept(piece)) {
    const uint64_t end = index_.next_unkept(piece);
    ranges.push_back({piece * kPieceBytes, end * kPieceBytes});
    piece = end;
  }
}

PieceLogFigures PieceLog::figures() const {
  const std::shared_lock lock(mutex_);
  return {.stored_bytes = stored_bytes(),
          .kept_bytes = (index_.kept_count() - index_.held_count()) * kPieceBytes,
          .dropped_bytes = index_.dropped_count() * kPieceBytes,
          .held_bytes = index_.held_count() * kPieceBytes,
          .chosen_bytes = index_.chosen_count() * kPieceBytes,
          .lost_held_bytes = lost_count_ * kPieceBytes,
          .released_bytes = released_count_ * kPieceBytes};
}

}  // namespace patina
