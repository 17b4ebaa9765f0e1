// Commands come one at a time over the interface; the arm works for them, and on its own between them.
#include "disk_model/rotating_disk.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace patina {
namespace {

constexpr uint64_t kDrainSectors = 2048;  // of one piece; a command waits for it

SectorRange sectors_of(const DiskRequest& request) {
  return {request.offset_bytes / kSectorBytes,
          (request.offset_bytes + request.length_bytes + kSectorBytes - 1) / kSectorBytes};
}

}  // namespace

RotatingDisk::RotatingDisk(const RotatingSpec& spec, uint64_t phase_ns)
    : spec_(spec), arm_(spec, phase_ns), segments_(spec.read_cache) {
  if (spec.queue) queue_.emplace(*spec.queue);
}

uint64_t RotatingDisk::bus_ns(uint64_t sectors) const {
  return static_cast<uint64_t>(static_cast<double>(sectors * kSectorBytes) * 1e9 /
                               static_cast<double>(spec_.bus_bytes_per_s));
}

uint64_t RotatingDisk::end_ns(const DiskRequest& request, uint64_t arrival_ns) {
  if (!queue_) return serve(request, arrival_ns, false);
  const RequestQueue::Admission admission = queue_->admit(request, arrival_ns);
  const uint64_t end = serve(request, admission.start_ns, admission.is_merged);
  queue_->set_end(end);
  return end;
}

uint64_t RotatingDisk::serve(const DiskRequest& request, uint64_t arrival_ns, bool is_merged) {
  const uint64_t overhead_ns = is_merged ? 0 : spec_.controller_overhead_ns;
  const uint64_t start_ns = std::max(arrival_ns, interface_free_ns_) + overhead_ns;
  const SectorRange range = sectors_of(request);
  const bool is_empty = range.first == range.end;
  uint64_t end = start_ns;
  switch (request.kind) {
    case DiskRequest::Kind::kRead:
      ++reads_count_;
      if (!is_empty) end = read(range, start_ns);
      break;
    case DiskRequest::Kind::kWrite:
      ++writes_count_;
      // The data of a merged request are there when the arm is.
      if (!is_empty) end = write(range, start_ns, is_merged ? start_ns : start_ns + bus_ns(1));
      break;
    case DiskRequest::Kind::kFlush:
      ++flushes_count_;
      end = flush(start_ns);
      break;
    case DiskRequest::Kind::kDiscard:
      ++discards_count_;
      dirty_.remove(range);
      segments_.drop(range.first, range.end);
      break;
  }
  interface_free_ns_ = end;
  return end;
}

uint64_t RotatingDisk::ahead_limit(uint64_t end) const {
  return std::min(arm_.geometry().sectors_count(), end + spec_.read_cache.segment_sectors);
}

uint64_t RotatingDisk::read(SectorRange range, uint64_t start_ns) {
  work_until(start_ns);
  const uint64_t sent_ns = start_ns + bus_ns(range.end - range.first);
  if (dirty_.contains(range)) {
    ++read_hits_count_;
    return sent_ns;
  }
  if (spec_.read_cache.segments_count == 0) return std::max(sent_ns, read_media(range, start_ns));
  const std::optional<size_t> segment = segments_.find(range.first);
  if (!segment) return std::max(sent_ns, read_missed(range, start_ns));
  const bool is_ahead = ahead_.is_active && ahead_.segment == *segment;
  if (is_ahead && ahead_.front.sector == ahead_.limit) {
    // It stood still at the limit, and goes on from now.
    ahead_.front.at_ns = std::max(ahead_.front.at_ns, start_ns);
  }
  if (segments_.contains(*segment, range.first, range.end)) {
    ++read_hits_count_;
    segments_.use(*segment);
    if (is_ahead) ahead_.limit = std::max(ahead_.limit, ahead_limit(range.end));
    return sent_ns;
  }
  if (!is_ahead) return std::max(sent_ns, read_missed(range, start_ns));
  const Arm::Passed front = ahead_.front;
  const uint64_t end = arm_.transfer(front.sector, range.end - front.sector, front.at_ns);
  arm_busy_ns_ += end - std::min(end, std::max(start_ns, arm_free_ns_));
  arm_free_ns_ = end;
  segments_.extend(*segment, range.end);
  segments_.use(*segment);
  ahead_ = Ahead{true, *segment, {range.end, end}, ahead_limit(range.end)};
  return std::max(sent_ns, end);
}

uint64_t RotatingDisk::read_media(SectorRange range, uint64_t start_ns) {
  const uint64_t begin_ns = std::max(start_ns, arm_free_ns_);
  arm_free_ns_ = arm_.transfer(range.first, range.end - range.first, begin_ns);
  arm_busy_ns_ += arm_free_ns_ - begin_ns;
  return arm_free_ns_;
}

uint64_t RotatingDisk::read_missed(SectorRange range, uint64_t start_ns) {
  stop_reading_ahead(start_ns);
  const uint64_t end = read_media(range, start_ns);
  const std::optional<size_t> before = segments_.find(range.first);
  size_t segment = 0;
  if (before) {
    segment = *before;
    segments_.extend(segment, range.end);
    segments_.use(segment);
  } else {
    segment = segments_.replace(range.first, range.end);
  }
  if (spec_.read_cache.read_ahead) ahead_ = Ahead{true, segment, {range.end, end}, ahead_limit(range.end)};
  return end;
}

uint64_t RotatingDisk::write(SectorRange range, uint64_t start_ns, uint64_t data_ns) {
  work_until(start_ns);
  segments_.drop(range.first, range.end);
  if (ahead_.is_active && segments_.end(ahead_.segment) != ahead_.front.sector) ahead_.is_active = false;
  const uint64_t count = range.end - range.first;
  if (count <= spec_.write_cache.sectors) return write_cached(range, start_ns);
  stop_reading_ahead(start_ns);
  while (!dirty_.empty()) drain_one(start_ns);
  const uint64_t begin_ns = std::max(start_ns, arm_free_ns_);
  // More data follow over the bus while the sectors pass.
  arm_free_ns_ = arm_.transfer_written(range.first, count, begin_ns, data_ns);
  arm_busy_ns_ += arm_free_ns_ - begin_ns;
  return std::max(arm_free_ns_, start_ns + bus_ns(count));
}

uint64_t RotatingDisk::write_cached(SectorRange range, uint64_t start_ns) {
  const uint64_t count = range.end - range.first;
  uint64_t room_ns = start_ns;
  while (dirty_.count() + count > spec_.write_cache.sectors) {
    stop_reading_ahead(start_ns);
    drain_one(start_ns);
    room_ns = std::max(room_ns, arm_free_ns_);
  }
  dirty_.add(range);
  ++cached_writes_count_;
  return room_ns + bus_ns(count);
}

uint64_t RotatingDisk::flush(uint64_t start_ns) {
  work_until(start_ns);
  if (!dirty_.empty()) stop_reading_ahead(start_ns);
  while (!dirty_.empty()) drain_one(start_ns);
  return std::max(start_ns, drained_ns_);
}

void RotatingDisk::work_until(uint64_t now_ns) {
  while (!dirty_.empty()) {
    const uint64_t idle_from_ns = interface_free_ns_ + spec_.write_cache.idle_before_drain_ns;
    const uint64_t begin_ns = std::max(arm_free_ns_, idle_from_ns);
    if (begin_ns >= now_ns) break;
    stop_reading_ahead(begin_ns);
    drain_one(begin_ns);
  }
  if (!ahead_.is_active) return;
  ahead_.front = arm_.read_on(ahead_.front, ahead_.limit, now_ns);
  segments_.extend(ahead_.segment, ahead_.front.sector);
}

void RotatingDisk::stop_reading_ahead(uint64_t now_ns) {
  if (!ahead_.is_active) return;
  ahead_.front = arm_.read_on(ahead_.front, ahead_.limit, now_ns);
  segments_.extend(ahead_.segment, ahead_.front.sector);
  ahead_.is_active = false;
}

void RotatingDisk::drain_one(uint64_t start_ns) {
  const uint64_t begin_ns = std::max(start_ns, arm_free_ns_);
  const SectorRange piece = dirty_.take_next(arm_.position(), kDrainSectors);
  arm_free_ns_ = arm_.transfer_written(piece.first, piece.end - piece.first, begin_ns, begin_ns);
  arm_busy_ns_ += arm_free_ns_ - begin_ns;
  drained_ns_ = arm_free_ns_;
}

nlohmann::ordered_json RotatingDisk::report() const {
  const auto seconds = [](uint64_t ns) { return static_cast<double>(ns) / 1e9; };
  const ArmFigures& arm = arm_.figures();
  return {{"kind", "rotating"},
          {"reads_count", reads_count_},
          {"writes_count", writes_count_},
          {"flushes_count", flushes_count_},
          {"discards_count", discards_count_},
          {"read_hits_count", read_hits_count_},
          {"cached_writes_count", cached_writes_count_},
          {"merged_count", queue_ ? queue_->merged_count() : 0},
          {"queue_full_count", queue_ ? queue_->full_count() : 0},
          {"seeks_count", arm.seeks_count},
          {"busy_s", seconds(arm_busy_ns_)},
          {"seek_s", seconds(arm.seek_ns)},
          {"rotation_s", seconds(arm.rotation_ns)},
          {"transfer_s", seconds(arm.transfer_ns)}};
}

}  // namespace patina
