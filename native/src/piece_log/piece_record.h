// A record of the log: the content of a kept piece, or a run of pieces without content.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "squash/piece.h"

namespace patina {

enum class RecordKind : uint16_t {
  kKept = 1,
  kDropped = 2,
  kZero = 3,
  kFlush = 4,
  kHeld = 5,    // data with its content; it stays chosen if it is
  kHold = 6,    // kept pieces turned out to be data, and are held
  kChosen = 7,  // held pieces are of chosen paths
  kLost = 8,    // held pieces were dropped before a round decided on them
};

// The head of a record, as in the file (little-endian). Its content follows, padded to a multiple of 8 bytes.
struct RecordHead {
  static constexpr uint32_t kMark = 0x44495650;  // "PVID"

  uint32_t mark = kMark;
  RecordKind kind = RecordKind::kFlush;
  uint16_t content_bytes = 0;  // kPieceBytes: not compressed
  uint64_t piece = 0;
  uint64_t count = 0;
  uint64_t check = 0;  // XXH3 of the fields before it and the content

  uint64_t record_bytes() const { return record_bytes(content_bytes); }
  static uint64_t record_bytes(uint64_t content_bytes);
};
static_assert(sizeof(RecordHead) == 32);

// Appends a record to `out`. Content is compressed where that saves space.
void append_content(RecordKind kind, uint64_t piece, std::span<const uint8_t> content,
                    std::vector<uint8_t>& out);
void append_run(RecordKind kind, uint64_t first, uint64_t count, std::vector<uint8_t>& out);

// Returns the head of the record at the begin of `bytes`; its mark is 0 if there is no whole, undamaged
// record.
RecordHead read_record(std::span<const uint8_t> bytes);

// Writes the content of a kept piece to `out`. Returns false if it is damaged.
bool unpack_kept(std::span<const uint8_t> content, std::span<uint8_t> out);

}  // namespace patina
