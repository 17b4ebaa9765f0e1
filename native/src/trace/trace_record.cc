// struct blk_io_trace and blk_io_trace2 of linux/blktrace_api.h. The headers of the build lack the latter, so
// its layout is spelled out.
#include "trace/trace_record.h"

#include <linux/blktrace_api.h>

#include <bit>
#include <cassert>
#include <cstring>

namespace patina {
namespace {

static_assert(std::endian::native == std::endian::little && sizeof(blk_io_trace) == 48);

constexpr uint32_t kVersionBits = 0xff;
constexpr uint32_t kVersion8 = 8;

struct RecordOfVersion8 {
  uint32_t magic;
  uint32_t sequence;
  uint64_t time;
  uint64_t sector;
  uint32_t bytes;
  uint32_t pid;
  uint64_t action;
  uint32_t device;
  uint32_t cpu;
  uint16_t error;
  uint16_t pdu_len;
  uint8_t pad[12];
};
static_assert(sizeof(RecordOfVersion8) == kMaxRecordHeadBytes);

template <typename Raw>
TraceRecord record_of(std::span<const uint8_t> bytes) {
  Raw raw;
  std::memcpy(&raw, bytes.data(), sizeof raw);
  const uint64_t action = raw.action;
  const uint64_t categories = action >> BLK_TC_SHIFT;
  // Version 8 has a category for each operation on zones and for write-zeroes, beyond these.
  constexpr uint64_t kBeyondVersion7 = ~uint64_t{0xffff};
  TraceRecord record;
  record.head_bytes = sizeof raw;
  record.payload_bytes = raw.pdu_len;
  record.sequence = raw.sequence;
  record.time_ns = raw.time;
  record.sector = raw.sector;
  record.bytes = raw.bytes;
  record.device = raw.device;
  record.cpu = raw.cpu;
  record.is_notify = (categories & BLK_TC_NOTIFY) != 0;
  record.is_message =
      record.is_notify && ((action & 0xffffU) & ~uint64_t{__BLK_TN_CGROUP}) == __BLK_TN_MESSAGE;
  record.reads_only = (categories & BLK_TC_READ) != 0 &&
                      (categories & (BLK_TC_WRITE | BLK_TC_DISCARD | kBeyondVersion7)) == 0;
  const uint64_t kind = record.is_notify ? 0 : action & 0xffffU & ~uint64_t{__BLK_TA_CGROUP};
  record.is_queued = kind == __BLK_TA_QUEUE;
  record.is_issued = kind == __BLK_TA_ISSUE;
  record.is_passed_through = (categories & BLK_TC_PC) != 0;
  record.discards = (categories & BLK_TC_DISCARD) != 0;
  record.is_metadata = (categories & BLK_TC_META) != 0;
  return record;
}

blk_io_trace blank_record(uint32_t device, uint64_t time_ns) {
  blk_io_trace raw{};
  raw.magic = BLK_IO_TRACE_MAGIC | BLK_IO_TRACE_VERSION;
  raw.device = device;
  raw.time = time_ns;
  return raw;
}

}  // namespace

RecordFound decode_record(std::span<const uint8_t> bytes, TraceRecord& out) {
  uint32_t magic = 0;
  if (bytes.size() < sizeof magic) return RecordFound::kCutShort;
  std::memcpy(&magic, bytes.data(), sizeof magic);
  const uint32_t version = magic & kVersionBits;
  const bool known = version == BLK_IO_TRACE_VERSION || version == kVersion8;
  if ((magic & ~kVersionBits) != BLK_IO_TRACE_MAGIC || !known) {
    const bool swapped = (__builtin_bswap32(magic) & ~kVersionBits) == BLK_IO_TRACE_MAGIC;
    return swapped ? RecordFound::kOtherByteOrder : RecordFound::kGarbage;
  }
  const size_t head_bytes = version == kVersion8 ? sizeof(RecordOfVersion8) : sizeof(blk_io_trace);
  if (bytes.size() < head_bytes) return RecordFound::kCutShort;
  out = version == kVersion8 ? record_of<RecordOfVersion8>(bytes) : record_of<blk_io_trace>(bytes);
  return RecordFound::kRecord;
}

std::string encode_write(uint32_t sequence, uint32_t device, uint64_t sector, uint32_t bytes,
                         uint64_t time_ns) {
  blk_io_trace raw = blank_record(device, time_ns);
  raw.sequence = sequence;
  raw.sector = sector;
  raw.bytes = bytes;
  raw.action = BLK_TA_QUEUE | BLK_TC_ACT(BLK_TC_WRITE);
  return {reinterpret_cast<const char*>(&raw), sizeof raw};
}

std::string encode_message(uint32_t device, std::string_view text, uint64_t time_ns) {
  assert(text.size() <= kMaxPayloadBytes);
  blk_io_trace raw = blank_record(device, time_ns);
  raw.action = BLK_TN_MESSAGE;
  raw.pdu_len = static_cast<uint16_t>(text.size());
  return std::string(reinterpret_cast<const char*>(&raw), sizeof raw).append(text);
}

}  // namespace patina
