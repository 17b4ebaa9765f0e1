// The records of blktrace's own binary format: versions 7 and 8 are read, version 7 is written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace patina {

inline constexpr size_t kMaxRecordHeadBytes = 64;
inline constexpr size_t kMaxPayloadBytes = UINT16_MAX;

struct TraceRecord {
  size_t head_bytes = 0;
  size_t payload_bytes = 0;  // follows the head
  uint32_t sequence = 0;
  uint64_t time_ns = 0;
  uint64_t sector = 0;
  uint32_t bytes = 0;
  uint32_t device = 0;
  uint32_t cpu = 0;
  bool is_notify = false;   // no event of the device: a process's name, a time, a message
  bool is_message = false;  // a notify whose payload is text
  bool reads_only = false;
  bool is_queued = false;
  bool is_issued = false;
  bool is_passed_through = false;
  bool discards = false;
  bool is_metadata = false;

  size_t total_bytes() const { return head_bytes + payload_bytes; }
};

enum class RecordFound { kRecord, kCutShort, kGarbage, kOtherByteOrder };

// Decodes the record head at the front of `bytes`; the payload need not be there.
RecordFound decode_record(std::span<const uint8_t> bytes, TraceRecord& out);

// Encodes a queued write of the device, by processor 0.
std::string encode_write(uint32_t sequence, uint32_t device, uint64_t sector, uint32_t bytes,
                         uint64_t time_ns = 0);
// Encodes a message of up to kMaxPayloadBytes.
std::string encode_message(uint32_t device, std::string_view text, uint64_t time_ns = 0);

}  // namespace patina
