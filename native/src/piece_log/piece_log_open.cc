// Opens the log: the last snapshot, then the records behind it.
#include <fcntl.h>
#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "base/durable_file.h"
#include "piece_log/piece_log.h"
#include "piece_log/piece_record.h"

namespace patina {
namespace {

constexpr uint64_t kSnapshotMark = 0x3150414E53564450U;  // "PDVSNAP1"
constexpr uint64_t kRecordAlignmentBytes = 8;

struct SnapshotHead {
  uint64_t mark = kSnapshotMark;
  uint64_t size_bytes = 0;
  uint64_t segment = 0;
  uint64_t offset_bytes = 0;
  uint64_t kept_count = 0;
  uint64_t runs_count = 0;
};

struct KeptEntry {
  uint64_t piece = 0;
  uint32_t segment = 0;
  uint32_t offset_bytes = 0;
  uint32_t content_bytes = 0;
  PieceMark mark = kNotData;
};

struct DroppedEntry {
  uint64_t first = 0;
  uint64_t count = 0;
};

template <typename T>
std::string_view bytes_of(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

std::string snapshot_of(const std::string& folder) {
  return folder + "/snapshot";
}

Error damaged(const std::string& folder, const std::string& what) {
  return {
      ErrorCode::kBackingInvalid,
      fmt::format("the emulated disk in '{}' is damaged: {}. Restore an image to a new one", folder, what)};
}

// Hashes what it writes.
class SnapshotFile {
 public:
  explicit SnapshotFile(DurableFile& file) : file_(file), state_(XXH3_createState()) {
    XXH3_64bits_reset(state_);
  }
  ~SnapshotFile() { XXH3_freeState(state_); }
  SnapshotFile(const SnapshotFile&) = delete;
  SnapshotFile& operator=(const SnapshotFile&) = delete;

  template <typename T>
  void append(const T& value) {
    XXH3_64bits_update(state_, &value, sizeof value);
    if (status_) status_ = file_.append(bytes_of(value));
    size_bytes_ += sizeof value;
  }
  Status publish() {
    append(XXH3_64bits_digest(state_));
    return status_ ? file_.publish() : status_;
  }
  uint64_t size_bytes() const { return size_bytes_; }

 private:
  DurableFile& file_;
  XXH3_state_t* state_;
  Status status_ = ok_status();
  uint64_t size_bytes_ = 0;
};

// Reads values of a snapshot whose digest was checked.
class SnapshotReader {
 public:
  explicit SnapshotReader(std::string_view bytes) : rest_(bytes) {}
  template <typename T>
  bool read(T& value) {
    if (rest_.size() < sizeof value) return false;
    rest_.copy(reinterpret_cast<char*>(&value), sizeof value);
    rest_.remove_prefix(sizeof value);
    return true;
  }

 private:
  std::string_view rest_;
};

}  // namespace

Result<std::unique_ptr<PieceLog>> PieceLog::open(const PieceLogOptions& options) {
  std::unique_ptr<PieceLog> log(new PieceLog(options));
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(options.folder, error)) {
    const std::optional<uint32_t> number = LogSegment::number_in(entry.path().filename().string());
    if (!number) continue;
    Result<std::shared_ptr<LogSegment>> segment = LogSegment::open(options.folder, *number);
    if (!segment) return segment.error();
    log->segments_[*number] = *segment;
  }
  log->folder_ = Descriptor(::open(options.folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!error && !log->folder_.valid()) error = {errno, std::generic_category()};
  if (error) {
    return Error{ErrorCode::kBackingInvalid,
                 fmt::format("the folder '{}' cannot be read: {}", options.folder, error.message())};
  }
  if (Status status = log->load_snapshot(); !status) return status.error();
  if (Status status = log->replay_all(); !status) return status.error();
  if (log->index_.held_count() > log->most_held_count()) {  // the bound is another one now
    if (Status status = log->lose_oldest(log->most_held_count()); !status) return status.error();
  }
  return log;
}

Status PieceLog::write_snapshot() {
  Result<std::unique_ptr<DurableFile>> file =
      DurableFile::create(snapshot_of(options_.folder), "the snapshot of the emulated disk");
  if (!file) return file.error();
  uint64_t runs_count = 0;
  index_.visit_dropped([&runs_count](uint64_t, uint64_t) { ++runs_count; });
  SnapshotFile out(**file);
  out.append(SnapshotHead{.size_bytes = options_.size_bytes,
                          .segment = flushed_.segment,
                          .offset_bytes = flushed_.offset_bytes,
                          .kept_count = index_.kept_count(),
                          .runs_count = runs_count});
  index_.visit_kept([&out](uint64_t piece, const PiecePlace& place) {
    out.append(KeptEntry{piece, place.segment, place.offset_bytes, place.content_bytes, place.mark});
  });
  index_.visit_dropped([&out](uint64_t first, uint64_t count) { out.append(DroppedEntry{first, count}); });
  out.append(lost_count_);
  if (Status status = out.publish(); !status) return status;
  snapshot_bytes_ = out.size_bytes();
  return ok_status();
}

Status PieceLog::load_snapshot() {
  std::ifstream in(snapshot_of(options_.folder), std::ios::binary);
  if (!in) return ok_status();
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  uint64_t digest = 0;
  if (bytes.size() < sizeof digest) return damaged(options_.folder, "its snapshot is too short");
  const size_t length = bytes.size() - sizeof digest;
  std::memcpy(&digest, bytes.data() + length, sizeof digest);
  if (digest != XXH3_64bits(bytes.data(), length)) {
    return damaged(options_.folder, "its snapshot has another digest");
  }
  SnapshotReader reader(std::string_view(bytes).substr(0, length));
  SnapshotHead head;
  if (!reader.read(head) || head.mark != kSnapshotMark || head.size_bytes != options_.size_bytes) {
    return damaged(options_.folder, "its snapshot belongs to another disk");
  }
  for (uint64_t i = 0; i < head.kept_count; ++i) {
    KeptEntry entry;
    if (!reader.read(entry) || entry.piece >= index_.pieces_count() || !segments_.contains(entry.segment)) {
      return damaged(options_.folder, fmt::format("its segment {:08x} is missing", entry.segment));
    }
    const PieceMark mark = entry.mark == kNamed ? kOfChosenPath : entry.mark;
    index_.keep(entry.piece, {entry.segment, entry.offset_bytes, entry.content_bytes, mark});
    age_ = std::max(age_, mark);
    segments_[entry.segment]->add_live(RecordHead::record_bytes(entry.content_bytes));
  }
  for (uint64_t i = 0; i < head.runs_count; ++i) {
    DroppedEntry entry;
    if (!reader.read(entry) || entry.first + entry.count > index_.pieces_count()) {
      return damaged(options_.folder, "its snapshot is too short");
    }
    index_.drop(entry.first, entry.count);
  }
  if (!reader.read(lost_count_)) lost_count_ = 0;  // written before there were held pieces
  snapshot_ = {static_cast<uint32_t>(head.segment), head.offset_bytes};
  snapshot_bytes_ = bytes.size();
  return ok_status();
}

// Reads a segment and applies its records from `offset_bytes` on, up to the first damaged one; returns its
// place, or the length of the segment. Sets `bytes`.
Result<uint64_t> PieceLog::replay(const LogSegment& segment, uint64_t offset_bytes,
                                  std::vector<uint8_t>& bytes) {
  bytes.resize(segment.size_bytes());
  if (Status status = segment.read(0, bytes); !status) return status.error();
  uint64_t at = offset_bytes;
  while (at < bytes.size()) {
    const RecordHead head = read_record(std::span(bytes).subspan(at));
    if (head.mark != RecordHead::kMark || head.piece + head.count > index_.pieces_count()) return at;
    apply_record(head, {segment.number(), at});
    at += head.record_bytes();
    if (head.kind == RecordKind::kFlush) flushed_ = {segment.number(), at};
  }
  return at;
}

// A crash leaves a damaged record and others behind the last flush: they are removed. A flush mark behind a
// damaged record shows that something else damaged the log.
Status PieceLog::replay_all() {
  flushed_ = snapshot_;
  std::vector<std::pair<std::shared_ptr<LogSegment>, uint64_t>> ends;  // from the first damaged record on
  std::vector<uint8_t> bytes;
  for (auto next = segments_.begin(); next != segments_.end();) {
    const auto [number, segment] = *next++;
    if (number < snapshot_.segment) {
      if (segment->live_bytes() > 0) continue;
      segments_.erase(number);  // a crash came before its removal
      if (Status status = segment->remove(); !status) return status;
      continue;
    }
    uint64_t end = 0;
    if (ends.empty()) {
      const uint64_t begin = number == snapshot_.segment ? snapshot_.offset_bytes : 0;
      const Result<uint64_t> replayed = replay(*segment, begin, bytes);
      if (!replayed) return replayed.error();
      if (*replayed >= bytes.size()) continue;
      end = *replayed;
    } else {
      bytes.resize(segment->size_bytes());
      if (Status status = segment->read(0, bytes); !status) return status;
    }
    ends.emplace_back(segment, end);
    for (uint64_t behind = end; behind < bytes.size(); behind += kRecordAlignmentBytes) {
      const RecordHead head = read_record(std::span(bytes).subspan(behind));
      if (head.mark == RecordHead::kMark && head.kind == RecordKind::kFlush) {
        return damaged(options_.folder, fmt::format("byte {} of segment {:08x} is no record",
                                                    ends.front().second, ends.front().first->number()));
      }
    }
  }
  for (const auto& [segment, end] : ends) {
    if (Status status = segment->truncate(end); !status) return status;
  }
  is_unflushed_ = !segments_.empty() &&
                  Position{segments_.rbegin()->first, segments_.rbegin()->second->size_bytes()} > flushed_;
  return make_durable();  // the last writer may have been killed before it did so
}

Status PieceLog::close() {
  const std::lock_guard lock(mutex_);
  if (has_failed_) return closed();
  if (is_closed_) return ok_status();
  if (Status status = sync(); !status) return status;
  return write_snapshot();
}

}  // namespace patina
