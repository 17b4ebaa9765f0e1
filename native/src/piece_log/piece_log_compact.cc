// Moves what is left of segments to the end of the log, and removes them.
#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <mutex>

#include "piece_log/piece_log.h"
#include "piece_log/piece_record.h"

namespace patina {
namespace {

// A flush compacts when the segments hold more than this many times what is live, and some segments more.
constexpr uint64_t kMostTimesLive = 2;
constexpr uint64_t kSpareSegments = 2;
// A segment of which more is live is not worth moving.
constexpr double kWorthMoving = 0.6;
// The same, when the file system has been unmounted.
constexpr double kWorthGivingBack = 0.9;
// So many segments at a time: they need as much space again while they are moved.
constexpr size_t kMostVictims = 16;

}  // namespace

Status PieceLog::sync_and_compact() {
  if (Status status = sync(); !status) return status;
  return compact_beyond(kSpareSegments * options_.segment_bytes);
}

Status PieceLog::give_back() {
  const std::lock_guard lock(mutex_);
  if (is_closed_) return closed();
  if (Status status = sync(); !status) return status;
  for (uint64_t before = UINT64_MAX; stored_bytes() < before;) {
    before = stored_bytes();
    if (Status status = compact_where_possible(kWorthGivingBack); !status) return status;
  }
  return ok_status();
}

Status PieceLog::compact_beyond(uint64_t spare_bytes) {
  uint64_t live_bytes = 0;
  for (const auto& [number, segment] : segments_) live_bytes += segment->live_bytes();
  if (stored_bytes() <= kMostTimesLive * live_bytes + spare_bytes) return ok_status();
  return compact_where_possible(kWorthMoving);
}

// What was flushed is durable also if there is no space to move it: a later flush tries again.
Status PieceLog::compact_where_possible(double most_live_fraction) {
  const Status compacted = compact(most_live_fraction);
  return compacted || compacted.error().code == ErrorCode::kStoreNoSpace ? ok_status() : compacted;
}

std::vector<std::shared_ptr<LogSegment>> PieceLog::emptiest(double most_live_fraction) const {
  std::vector<std::pair<double, std::shared_ptr<LogSegment>>> found;
  for (const auto& [number, segment] : segments_) {
    const auto size_bytes = static_cast<double>(std::max<uint64_t>(segment->size_bytes(), 1));
    const double live_fraction = static_cast<double>(segment->live_bytes()) / size_bytes;
    if (live_fraction <= most_live_fraction) found.emplace_back(live_fraction, segment);
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::shared_ptr<LogSegment>> victims;
  for (const auto& [live_fraction, segment] : found) {
    if (victims.size() < kMostVictims) victims.push_back(segment);
  }
  return victims;
}

// A segment is removed only after a snapshot: a replay of the others alone could bring back an older
// content of a piece that the segment dropped.
Status PieceLog::compact(double most_live_fraction) {
  if (Status status = sync(); !status) return status;
  const std::vector<std::shared_ptr<LogSegment>> victims = emptiest(most_live_fraction);
  if (victims.empty()) return ok_status();
  head_ = nullptr;
  if (Status status = begin_segment(); !status) return status;
  for (const auto& victim : victims) {
    if (Status status = move_live_records(*victim); !status) return status;
  }
  if (Status status = sync(); !status) return status;
  if (Status status = write_snapshot(); !status) return status;
  for (const auto& victim : victims) {
    assert(victim->live_bytes() == 0);
    segments_.erase(victim->number());
    if (Status status = victim->remove(); !status) return status;
  }
  return ok_status();
}

Status PieceLog::move_live_records(LogSegment& victim) {
  std::vector<uint8_t> bytes(victim.size_bytes());
  if (Status status = victim.read(0, bytes); !status) return status;
  for (uint64_t at = 0; at < bytes.size();) {
    const RecordHead head = read_record(std::span(bytes).subspan(at));
    if (head.mark != RecordHead::kMark) break;  // what a crash left behind the last flush
    PiecePlace here{victim.number(), static_cast<uint32_t>(at), head.content_bytes};
    const std::span<const uint8_t> record = std::span(bytes).subspan(at, head.record_bytes());
    at += record.size();
    if (head.content_bytes == 0 || index_.state(head.piece) != PieceState::kKept) continue;
    here.mark = index_.mark(head.piece);
    if (index_.place(head.piece) != here) continue;
    if (Status status = append(record); !status) return status;
    place_record(head, {head_->number(), head_->size_bytes() - record.size()}, here.mark);
  }
  if (victim.live_bytes() == 0) return ok_status();
  return Error{ErrorCode::kIoError, fmt::format("{} bytes of segment {} of the emulated disk are damaged",
                                                victim.live_bytes(), victim.number())};
}

}  // namespace patina
