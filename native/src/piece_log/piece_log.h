// The storage of an emulated disk: a log of kept pieces in segment files, and its index in memory.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <shared_mutex>
#include <span>
#include <string>
#include <vector>

#include "base/byte_range.h"
#include "base/descriptor.h"
#include "base/result.h"
#include "piece_log/log_segment.h"
#include "piece_log/piece_index.h"
#include "squash/piece.h"

namespace patina {

struct RecordHead;
enum class RecordKind : uint16_t;

struct PieceLogOptions {
  std::string folder;
  uint64_t size_bytes = 0;       // of the disk
  uint64_t available_bytes = 0;  // most bytes of the segments and the snapshot together; 0: no limit
  uint64_t hold_bytes = 0;       // most bytes of held pieces, before compression
  uint32_t segment_bytes = uint32_t{16} << 20U;
};

struct PieceLogFigures {
  uint64_t stored_bytes = 0;   // of the segments and of the snapshot
  uint64_t kept_bytes = 0;     // of the kept pieces but held ones, before compression
  uint64_t dropped_bytes = 0;  // of the pieces whose content is generated
  uint64_t held_bytes = 0;     // of the held pieces
  uint64_t chosen_bytes = 0;   // of the kept pieces, those of chosen paths
  // Of held pieces that were dropped before a selection decided on them, since the log was made.
  uint64_t lost_held_bytes = 0;
  uint64_t released_bytes = 0;  // of all held pieces that were dropped, since the log was opened
};

enum class PowerCutLoss : uint8_t { kAll, kRandom };

// The changes of one write: records, encoded before the log is locked.
class PieceChanges {
 public:
  void keep(uint64_t piece, std::span<const uint8_t> content);
  void drop(uint64_t first, uint64_t count);
  void zero(uint64_t first, uint64_t count);
  // Data that is stored until a selection decides on it.
  void hold(uint64_t piece, std::span<const uint8_t> content);
  // What was kept so far turned out to be such data.
  void hold_kept(uint64_t first, uint64_t count);
  std::span<const uint8_t> records() const { return records_; }

 private:
  std::vector<uint8_t> records_;
};

// The log is append-only (a power cut loses a suffix of it, or some records behind the last flush), checked
// by digests, and compacted by moving what is left of a segment to its end. Thread safe.
class PieceLog {
 public:
  // Opens the log in the folder, or makes an empty one, and reads it up to its first damaged record. Errors:
  // kBackingInvalid, kIoError. Damage before the last flush is kBackingInvalid.
  static Result<std::unique_ptr<PieceLog>> open(const PieceLogOptions& options);
  ~PieceLog();
  PieceLog(const PieceLog&) = delete;
  PieceLog& operator=(const PieceLog&) = delete;

  // Applies changes that take effect for reads at once, and are durable after the next flush().
  // kStoreNoSpace: the limit is reached, or the file system of the folder is full; changes before the first
  // refused one are applied. What keeps nothing is not refused by the limit. kIoError.
  Status apply(const PieceChanges& changes);
  // kStoreNoSpace, kIoError.
  Status flush();
  // Flushes, and gives space back that many dropped pieces have left.
  Status give_back();

  // Returns the state of each piece, and writes the content of kept ones to its place in `data`; leaves the
  // places of others unchanged. kIoError.
  Status read(uint64_t first, std::span<PieceState> states, std::span<uint8_t> data) const;

  // A selection names the places of all chosen paths. At its end, what is held or chosen, was not named, and
  // was not written since the selection began, is dropped. begin_selection() returns the number of the
  // selection, which the others need; it ends any other selection without effect. kUsage: the selection is
  // not open. kIoError.
  Result<uint64_t> begin_selection();
  // Returns how many of the pieces are dropped already.
  Result<uint64_t> name_chosen(uint64_t selection, uint64_t first, uint64_t count);
  // Also flushes. kStoreNoSpace.
  Status end_selection(uint64_t selection);

  // Returns the first piece from `piece` on that is not zero (or is zero), or the number of pieces.
  uint64_t next_nonzero(uint64_t piece) const;
  uint64_t next_zero(uint64_t piece) const;
  // Appends runs of kept pieces, from `piece` on, until there are `most` of them.
  void list_kept(uint64_t piece, size_t most, std::vector<ByteRange>& ranges) const;

  // Loses what came after the last flush, or a random part of it; the log is then closed for reads and
  // writes.
  Status cut_power(PowerCutLoss loss, uint64_t seed);
  // Flushes, and writes a snapshot: the log need not be read at the next open. kStoreNoSpace, kIoError.
  Status close();

  PieceLogFigures figures() const;
  // Reports whether the host failed to store what was written: the log is closed for reads and writes.
  bool has_failed() const { return has_failed_; }

 private:
  struct Position {
    uint32_t segment = 0;
    uint64_t offset_bytes = 0;
    auto operator<=>(const Position&) const = default;
  };

  explicit PieceLog(PieceLogOptions options);
  static Error closed();

  // All expect the lock to be held, or to be alone.
  Status load_snapshot();
  Status replay_all();
  Result<uint64_t> replay(const LogSegment& segment, uint64_t offset_bytes, std::vector<uint8_t>& bytes);
  Status begin_segment();
  void apply_record(const RecordHead& head, const Position& at);
  void place_record(const RecordHead& head, const Position& at, PieceMark mark);
  bool changes_something(const RecordHead& head) const;
  Status append(std::span<const uint8_t> record);
  Status make_space(const RecordHead& head);
  Status append_fitting(const RecordHead& head, std::span<const uint8_t> record);
  Status append_run_record(RecordKind kind, uint64_t first, uint64_t count);
  Status lose_oldest(uint64_t left_count);
  Status drop_data(std::vector<uint64_t> pieces, RecordKind kind);
  Status check_selection(uint64_t selection) const;
  PieceMark chosen_mark() const { return is_selection_open_ ? kNamed : kOfChosenPath; }
  PieceMark next_age();
  uint64_t most_held_count() const { return options_.hold_bytes / kPieceBytes; }
  Status write_out();
  Status sync();
  Status make_durable();
  Status sync_files();
  Status sync_and_compact();
  Status compact_beyond(uint64_t spare_bytes);
  Status compact_where_possible(double most_live_fraction);
  Status compact(double most_live_fraction);
  std::vector<std::shared_ptr<LogSegment>> emptiest(double most_live_fraction) const;
  Status move_live_records(LogSegment& victim);
  Status write_snapshot();
  Status lose_records(PowerCutLoss loss, uint64_t seed);
  void release(const PiecePlace& place);
  LogSegment* find_segment(uint32_t number) const;
  uint64_t stored_bytes() const;

  const PieceLogOptions options_;
  Descriptor folder_;
  mutable std::shared_mutex mutex_;
  PieceIndex index_;
  std::map<uint32_t, std::shared_ptr<LogSegment>> segments_;
  std::shared_ptr<LogSegment> head_;  // the last; null before the first record
  Position flushed_;                  // where a power cut begins to lose
  Position snapshot_;                 // where the next replay begins
  bool is_unflushed_ = false;         // records behind flushed_
  bool is_folder_unsynced_ = false;
  bool is_closed_ = false;
  std::atomic<bool> has_failed_ = false;
  uint64_t snapshot_bytes_ = 0;
  PieceMark age_ = kFirstAge;
  uint32_t of_this_age_count_ = 0;
  uint64_t selection_ = 0;  // the number of the last one
  bool is_selection_open_ = false;
  PieceMark selection_age_ = kFirstAge;  // of the first piece written since it began
  uint64_t lost_count_ = 0;
  uint64_t released_count_ = 0;
};

}  // namespace patina
