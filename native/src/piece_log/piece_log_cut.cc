// Cuts the power: records behind the last flush are lost.
#include <mutex>

#include "base/random.h"
#include "piece_log/piece_log.h"
#include "piece_log/piece_record.h"

namespace patina {

Status PieceLog::cut_power(PowerCutLoss loss, uint64_t seed) {
  const std::lock_guard lock(mutex_);
  is_closed_ = true;
  if (!is_unflushed_) return ok_status();
  if (Status status = write_out(); !status) return status;
  return lose_records(loss, seed);
}

// Rewrites the segments from the last flush on with the records that survive, in their order.
Status PieceLog::lose_records(PowerCutLoss loss, uint64_t seed) {
  Random random(seed);
  for (const auto& [number, segment] : segments_) {
    if (number < flushed_.segment) continue;
    const uint64_t begin = number == flushed_.segment ? flushed_.offset_bytes : 0;
    std::vector<uint8_t> bytes(segment->size_bytes() - begin);
    if (Status status = segment->read(begin, bytes); !status) return status;
    if (Status status = segment->truncate(begin); !status) return status;
    for (uint64_t at = 0; at < bytes.size();) {
      const RecordHead head = read_record(std::span(bytes).subspan(at));
      if (head.mark != RecordHead::kMark) break;
      const std::span<const uint8_t> record = std::span(bytes).subspan(at, head.record_bytes());
      at += record.size();
      if (loss == PowerCutLoss::kAll || random.coin()) continue;
      if (!segment->has_room(record.size())) {
        if (Status status = segment->write_out(); !status) return status;
      }
      segment->append(record);
    }
    if (Status status = segment->write_out(); !status) return status;
    if (Status status = segment->sync(); !status) return status;
  }
  return ok_status();
}

}  // namespace patina
