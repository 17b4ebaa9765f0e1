// Divides requests into pieces, and sends each to the log, the generator or nowhere.
#include "emulate/emulated_disk.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>
#include <vector>

#include "base/all_zero.h"
#include "disk_model/disk_spec.h"

namespace patina {
namespace {

using Json = nlohmann::ordered_json;

// A request: a part of one piece, whole pieces, and a part of another. Each may be empty.
struct Parts {
  ByteRange before;
  ByteRange whole;
  ByteRange after;
};

Parts parts_of(uint64_t offset_bytes, uint64_t length_bytes) {
  const uint64_t end_bytes = offset_bytes + length_bytes;
  const uint64_t begin = std::min(end_bytes, (offset_bytes + kPieceBytes - 1) / kPieceBytes * kPieceBytes);
  const uint64_t end = std::max(begin, end_bytes / kPieceBytes * kPieceBytes);
  return {{offset_bytes, begin}, {begin, end}, {end, end_bytes}};
}

uint64_t memory_bytes() {
  std::ifstream in("/proc/self/statm");
  uint64_t total_pages = 0;
  uint64_t resident_pages = 0;
  in >> total_pages >> resident_pages;
  return resident_pages * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace

Result<std::unique_ptr<EmulatedDisk>> EmulatedDisk::open(const EmulatedDiskOptions& options) {
  Result<Modelled> modelled = modelled_disk(options);
  if (!modelled) return modelled.error();
  Result<std::unique_ptr<PieceLog>> log = PieceLog::open({.folder = options.folder,
                                                          .size_bytes = options.size_bytes,
                                                          .available_bytes = options.available_bytes,
                                                          .hold_bytes = options.hold_bytes});
  if (!log) return log.error();
  std::unique_ptr<EmulatedDisk> disk(new EmulatedDisk(options, std::move(*log), std::move(*modelled)));
  disk->squash_.reload();
  return disk;
}

Result<EmulatedDisk::Modelled> EmulatedDisk::modelled_disk(const EmulatedDiskOptions& options) {
  Modelled modelled;
  if (options.model.empty()) return modelled;
  Result<ModelSpec> spec = read_model(options.model);
  if (spec && options.raid_disks_count > 0) {
    spec = raid_of_equals(std::move(*spec), options.raid_level, options.raid_disks_count);
  }
  if (!spec) return spec.error();
  uint64_t used_bytes = options.size_bytes;
  if (options.stretch_pieces_count > 0) {
    used_bytes =
        std::max(used_bytes, options.stretch_bytes > 0 ? options.stretch_bytes : spec->capacity_bytes);
  }
  Result<std::unique_ptr<DiskModel>> model = make_disk_model(*spec, used_bytes, options.content.seed);
  if (!model) return model.error();
  modelled.model = std::move(*model);
  if (options.stretch_pieces_count > 0) {
    const Result<Stretch> stretch =
        Stretch::over(options.size_bytes, used_bytes, options.stretch_pieces_count);
    if (!stretch) return stretch.error();
    modelled.stretch = *stretch;
  }
  return modelled;
}

EmulatedDisk::EmulatedDisk(EmulatedDiskOptions options, std::unique_ptr<PieceLog> log, Modelled modelled)
    : options_(std::move(options)),
      log_(std::move(log)),
      content_(options_.content),
      squash_(options_.size_bytes,
              [this](uint64_t piece, std::span<uint8_t, kPieceBytes> into) {
                PieceState state = PieceState::kZero;
                if (!log_->read(piece, {&state, 1}, into)) return false;
                if (state == PieceState::kZero) std::memset(into.data(), 0, into.size());
                // What is held counts as dropped: it may be at any time.
                return state == PieceState::kZero || state == PieceState::kKept;
              }),
      pace_(std::move(modelled.model), options_.time, modelled.stretch) {}

int EmulatedDisk::begin(DiskRequest::Kind kind, uint64_t offset_bytes, uint64_t length_bytes) {
  ++requests_count_;
  if (const uint64_t delay_ms = faults_.delay_ms(); delay_ms > 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(delay_ms));
  }
  if (is_lost_) return EIO;
  return faults_.error_of(kind != DiskRequest::Kind::kRead && kind != DiskRequest::Kind::kFlush, offset_bytes,
                          length_bytes);
}

int EmulatedDisk::read(uint64_t offset_bytes, std::span<uint8_t> data) {
  const Pace::Ticket ticket = pace_.begin({DiskRequest::Kind::kRead, offset_bytes, data.size()});
  int error = begin(DiskRequest::Kind::kRead, offset_bytes, data.size());
  if (error == 0) error = errno_of(do_read(offset_bytes, data));
  pace_.end(ticket);
  return error;
}

int EmulatedDisk::write(uint64_t offset_bytes, std::span<const uint8_t> data) {
  const Pace::Ticket ticket = pace_.begin({DiskRequest::Kind::kWrite, offset_bytes, data.size()});
  int error = begin(DiskRequest::Kind::kWrite, offset_bytes, data.size());
  if (error == 0) {
    const std::shared_lock lock(writes_);
    error = errno_of(do_write(offset_bytes, data));
  }
  pace_.end(ticket);
  return error;
}

int EmulatedDisk::zero(uint64_t offset_bytes, uint64_t length_bytes) {
  const Pace::Ticket ticket = pace_.begin({DiskRequest::Kind::kDiscard, offset_bytes, length_bytes});
  int error = begin(DiskRequest::Kind::kDiscard, offset_bytes, length_bytes);
  if (error == 0) {
    const std::shared_lock lock(writes_);
    error = errno_of(do_zero(offset_bytes, length_bytes));
  }
  pace_.end(ticket);
  return error;
}

int EmulatedDisk::flush() {
  const Pace::Ticket ticket = pace_.begin({.kind = DiskRequest::Kind::kFlush});
  int error = begin(DiskRequest::Kind::kFlush, 0, 0);
  if (error == 0) error = errno_of(do_flush());
  pace_.end(ticket);
  return error;
}

Status EmulatedDisk::do_flush() {
  if (Status status = log_->flush(); !status) return status;
  squash_.flushed();
  return settle();
}

Status EmulatedDisk::settle() {
  const auto now = std::chrono::steady_clock::now();
  std::unique_lock lock(writes_, std::try_to_lock);
  const bool is_due = squash_.is_due();
  if (!lock && !is_due && now - settled_at_.load() < Squash::kSettleAfter) {
    return ok_status();  // at a later flush
  }
  if (!lock) lock.lock();
  settled_at_ = now;
  const Squash::Settlement settled = squash_.settle(now);
  if (!settled.lost.empty()) {
    is_lost_ = true;
    return Error{ErrorCode::kIoError, settled.lost};
  }
  if (Status status = drop_settled(settled.dropped); !status) return status;
  return is_due ? log_->give_back() : ok_status();
}

// A few at a time, since each isolated one needs a record.
Status EmulatedDisk::drop_settled(std::span<const uint64_t> pieces) {
  constexpr size_t kMostRuns = 4096;
  for (size_t begin = 0; begin < pieces.size();) {
    PieceChanges changes;
    for (size_t runs = 0; runs < kMostRuns && begin < pieces.size(); ++runs) {
      size_t end = begin + 1;
      while (end < pieces.size() && pieces[end] == pieces[end - 1] + 1) ++end;
      if (options_.hold_bytes > 0) {
        changes.hold_kept(pieces[begin], end - begin);
      } else {
        changes.drop(pieces[begin], end - begin);
        squashed_bytes_ += (end - begin) * kPieceBytes;
      }
      begin = end;
    }
    if (Status status = log_->apply(changes); !status) return status;
  }
  return ok_status();
}

Status EmulatedDisk::do_read(uint64_t offset_bytes, std::span<uint8_t> data) const {
  const uint64_t first = offset_bytes / kPieceBytes;
  const uint64_t end = (offset_bytes + data.size() + kPieceBytes - 1) / kPieceBytes;
  if (offset_bytes % kPieceBytes == 0 && data.size() % kPieceBytes == 0) return read_pieces(first, data);
  std::vector<uint8_t> whole((end - first) * kPieceBytes);
  if (Status status = read_pieces(first, whole); !status) return status;
  std::memcpy(data.data(), whole.data() + offset_bytes % kPieceBytes, data.size());
  return ok_status();
}

Status EmulatedDisk::read_pieces(uint64_t first, std::span<uint8_t> data) const {
  std::vector<PieceState> states(data.size() / kPieceBytes);
  if (Status status = log_->read(first, states, data); !status) return status;
  for (size_t i = 0; i < states.size(); ++i) {
    const std::span<uint8_t> piece = data.subspan(i * kPieceBytes, kPieceBytes);
    if (states[i] == PieceState::kZero) {
      std::memset(piece.data(), 0, piece.size());
    } else if (states[i] == PieceState::kDropped) {
      content_.generate(first + i, piece);
    }
  }
  return ok_status();
}

Status EmulatedDisk::do_write(uint64_t offset_bytes, std::span<const uint8_t> data) {
  ++writes_count_;
  const Parts parts = parts_of(offset_bytes, data.size());
  const auto bytes_in = [&](const ByteRange& range) {
    return data.subspan(range.begin_bytes - offset_bytes, range.length_bytes());
  };
  Status status = write_part(parts.before.begin_bytes, bytes_in(parts.before));
  if (status && parts.whole.length_bytes() > 0) {
    status = write_pieces(parts.whole.begin_bytes / kPieceBytes, bytes_in(parts.whole));
  }
  return status ? write_part(parts.after.begin_bytes, bytes_in(parts.after)) : status;
}

Status EmulatedDisk::do_zero(uint64_t offset_bytes, uint64_t length_bytes) {
  ++writes_count_;
  const Parts parts = parts_of(offset_bytes, length_bytes);
  const std::array<uint8_t, kPieceBytes> zeroes{};
  const auto zeroes_in = [&zeroes](const ByteRange& range) {
    return std::span(zeroes).first(range.length_bytes());
  };
  Status status = write_part(parts.before.begin_bytes, zeroes_in(parts.before));
  if (status && parts.whole.length_bytes() > 0) {
    status = zero_pieces(parts.whole.begin_bytes / kPieceBytes, parts.whole.length_bytes() / kPieceBytes);
  }
  return status ? write_part(parts.after.begin_bytes, zeroes_in(parts.after)) : status;
}

Status EmulatedDisk::write_part(uint64_t offset_bytes, std::span<const uint8_t> data) {
  if (data.empty()) return ok_status();
  const uint64_t piece = offset_bytes / kPieceBytes;
  std::array<uint8_t, kPieceBytes> whole{};
  const std::lock_guard lock(parts_[piece % parts_.size()]);
  if (Status status = read_pieces(piece, whole); !status) return status;
  std::memcpy(whole.data() + offset_bytes % kPieceBytes, data.data(), data.size());
  return write_pieces(piece, whole);
}

Status EmulatedDisk::write_pieces(uint64_t first, std::span<const uint8_t> data) {
  std::vector<Verdict> verdicts(data.size() / kPieceBytes,
                                options_.keep == KeepKind::kNothing ? Verdict::kDrop : Verdict::kKeep);
  if (options_.keep == KeepKind::kMetadata) squash_.classify(first, data, verdicts);
  PieceChanges changes;
  uint64_t squashed = 0;
  const auto piece_at = [data](size_t i) { return data.subspan(i * kPieceBytes, kPieceBytes); };
  for (size_t begin = 0; begin < verdicts.size();) {
    size_t end = begin + 1;
    if (is_all_zero(piece_at(begin))) {
      while (end < verdicts.size() && is_all_zero(piece_at(end))) ++end;
      changes.zero(first + begin, end - begin);
    } else if (verdicts[begin] == Verdict::kDrop && options_.hold_bytes > 0) {
      changes.hold(first + begin, piece_at(begin));
    } else if (verdicts[begin] == Verdict::kDrop) {
      while (end < verdicts.size() && verdicts[end] == Verdict::kDrop && !is_all_zero(piece_at(end))) ++end;
      changes.drop(first + begin, end - begin);
      squashed += (end - begin) * kPieceBytes;
    } else {
      changes.keep(first + begin, piece_at(begin));
    }
    begin = end;
  }
  if (Status status = log_->apply(changes); !status) return status;
  squashed_bytes_ += squashed;
  // What may be of chosen paths stays kept: the selection of a mount comes before its end.
  const bool may_be_chosen = options_.hold_bytes > 0;
  squash_.stored(first, verdicts.size(), may_be_chosen ? std::span<const Verdict>{} : verdicts);
  return ok_status();
}

Status EmulatedDisk::zero_pieces(uint64_t first, uint64_t count) {
  PieceChanges changes;
  changes.zero(first, count);
  if (Status status = log_->apply(changes); !status) return status;
  squash_.stored(first, count);
  return ok_status();
}

int EmulatedDisk::errno_of(const Status& status) {
  if (status) return 0;
  const std::lock_guard lock(error_mutex_);
  if (!error_ || error_->message != status.error().message) {
    error_ = status.error();
    fmt::print(stderr, "patina-core: {}: {}\n", error_code_name(error_->code), error_->message);
  }
  error_at_ = std::chrono::steady_clock::now();
  return status.error().code == ErrorCode::kStoreNoSpace ? ENOSPC : EIO;
}

uint64_t EmulatedDisk::next_data(uint64_t offset_bytes) const {
  const uint64_t piece = log_->next_nonzero(offset_bytes / kPieceBytes);
  return std::clamp(piece * kPieceBytes, offset_bytes, options_.size_bytes);
}

uint64_t EmulatedDisk::next_hole(uint64_t offset_bytes) const {
  const uint64_t piece = log_->next_zero(offset_bytes / kPieceBytes);
  return std::clamp(piece * kPieceBytes, offset_bytes, options_.size_bytes);
}

Result<uint64_t> EmulatedDisk::name_chosen(uint64_t selection, std::span<const ByteRange> ranges) {
  uint64_t dropped_count = 0;
  for (const ByteRange& range : ranges) {
    if (range.begin_bytes >= range.end_bytes || range.end_bytes > options_.size_bytes) {
      return Error{ErrorCode::kUsage, fmt::format("bytes {} to {} are no range of the disk",
                                                  range.begin_bytes, range.end_bytes)};
    }
    const uint64_t first = range.begin_bytes / kPieceBytes;
    const uint64_t end = (range.end_bytes + kPieceBytes - 1) / kPieceBytes;
    const Result<uint64_t> dropped = log_->name_chosen(selection, first, end - first);
    if (!dropped) return dropped.error();
    dropped_count += *dropped;
  }
  return dropped_count * kPieceBytes;
}

std::optional<std::vector<ByteRange>> EmulatedDisk::kept_ranges(uint64_t offset_bytes, size_t most) const {
  if (options_.keep == KeepKind::kAll) return std::nullopt;
  std::vector<ByteRange> ranges;
  log_->list_kept(offset_bytes / kPieceBytes, most, ranges);
  for (ByteRange& range : ranges) {
    range.begin_bytes = std::max(range.begin_bytes, offset_bytes);
    range.end_bytes = std::min(range.end_bytes, options_.size_bytes);
  }
  return ranges;
}

Status EmulatedDisk::make_fault(const Json& request) {
  const Result<Fault> fault = fault_of(request, options_.size_bytes);
  if (!fault) return fault.error();
  if (fault->kind != FaultKind::kPowerCut) {
    faults_.add(*fault);
    return ok_status();
  }
  const std::unique_lock lock(writes_);
  faults_.add(*fault);
  return log_->cut_power(fault->loss, fault->seed);
}

Status EmulatedDisk::close() {
  const std::unique_lock lock(writes_);
  return log_->close();
}

Json EmulatedDisk::report() const {
  const PieceLogFigures figures = log_->figures();
  Json faults = Json::array();
  for (const Fault& fault : faults_.all()) faults.push_back(request_of(fault));
  const std::string file_system = squash_.file_system();
  const std::string reason = squash_.kept_whole_reason();
  const std::optional<uint64_t> used_bytes = squash_.used_bytes();
  // A plain disk stores what was written to it, and what its file system holds, which a restore need not
  // write.
  const uint64_t plain_bytes =
      std::max(used_bytes.value_or(0), figures.kept_bytes + figures.held_bytes + figures.dropped_bytes);
  Json out = {
      {"size_bytes", options_.size_bytes},
      {"available_bytes", options_.available_bytes == 0 ? Json() : Json(options_.available_bytes)},
      {"stored_bytes", figures.stored_bytes},
      {"kept_bytes", figures.kept_bytes},
      {"dropped_bytes", figures.dropped_bytes},
      {"squashed_bytes", squashed_bytes_.load() + figures.released_bytes},
      {"held_bytes", figures.held_bytes},
      {"chosen_bytes", figures.chosen_bytes},
      {"lost_held_bytes", figures.lost_held_bytes},
      {"used_bytes", used_bytes ? Json(*used_bytes) : Json()},
      {"saved_bytes", plain_bytes - std::min(plain_bytes, figures.stored_bytes)},
      {"memory_bytes", memory_bytes()},
      {"file_system", file_system.empty() ? Json() : Json(file_system)},
      {"kept_whole_reason", options_.keep != KeepKind::kMetadata || reason.empty() ? Json() : Json(reason)},
      {"requests_count", requests_count_.load()},
      {"model", options_.model.empty() ? Json() : Json(options_.model)}};
  pace_.report(out);
  out["faults"] = std::move(faults);
  const std::lock_guard lock(error_mutex_);
  out["error_code"] = error_ ? Json(error_code_name(error_->code)) : Json();
  out["error"] = error_ ? Json(error_->message) : Json();
  const std::chrono::duration<double> age = std::chrono::steady_clock::now() - error_at_;
  out["error_age_s"] = error_ ? Json(age.count()) : Json();
  return out;
}

}  // namespace patina
