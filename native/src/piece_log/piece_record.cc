// Encodes records; compresses by zstd at a negative level, which costs a few microseconds a piece.
#include "piece_log/piece_record.h"

#include <xxhash.h>
#include <zstd.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <memory>

namespace patina {
namespace {

constexpr int kLevel = -1;
constexpr uint64_t kAlignmentBytes = 8;
// A content longer than this is stored as it is: reading it then costs less.
constexpr size_t kWorthCompressingBytes = kPieceBytes - kPieceBytes / 8;

struct FreeContext {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

ZSTD_CCtx* compressor() {
  thread_local const std::unique_ptr<ZSTD_CCtx, FreeContext> context(ZSTD_createCCtx());
  return context.get();
}

ZSTD_DCtx* decompressor() {
  thread_local const std::unique_ptr<ZSTD_DCtx, FreeContext> context(ZSTD_createDCtx());
  return context.get();
}

uint64_t check_of(const RecordHead& head, std::span<const uint8_t> content) {
  const uint64_t of_head = XXH3_64bits(&head, offsetof(RecordHead, check));
  return XXH3_64bits_withSeed(content.data(), content.size(), of_head);
}

void append(RecordHead head, std::span<const uint8_t> content, std::vector<uint8_t>& out) {
  head.check = check_of(head, content);
  const size_t begin = out.size();
  out.resize(begin + head.record_bytes());
  std::memcpy(out.data() + begin, &head, sizeof head);
  if (!content.empty()) std::memcpy(out.data() + begin + sizeof head, content.data(), content.size());
}

}  // namespace

uint64_t RecordHead::record_bytes(uint64_t content_bytes) {
  return sizeof(RecordHead) + (content_bytes + kAlignmentBytes - 1) / kAlignmentBytes * kAlignmentBytes;
}

void append_content(RecordKind kind, uint64_t piece, std::span<const uint8_t> content,
                    std::vector<uint8_t>& out) {
  std::array<uint8_t, kWorthCompressingBytes> packed;
  const size_t packed_bytes =
      ZSTD_compressCCtx(compressor(), packed.data(), packed.size(), content.data(), content.size(), kLevel);
  const std::span<const uint8_t> stored =
      ZSTD_isError(packed_bytes) != 0U ? content : std::span<const uint8_t>(packed).first(packed_bytes);
  append({.kind = kind, .content_bytes = static_cast<uint16_t>(stored.size()), .piece = piece, .count = 1},
         stored, out);
}

void append_run(RecordKind kind, uint64_t first, uint64_t count, std::vector<uint8_t>& out) {
  append({.kind = kind, .piece = first, .count = count}, {}, out);
}

RecordHead read_record(std::span<const uint8_t> bytes) {
  RecordHead head;
  head.mark = 0;
  if (bytes.size() < sizeof head) return head;
  std::memcpy(&head, bytes.data(), sizeof head);
  const bool is_whole = head.mark == RecordHead::kMark && head.content_bytes <= kPieceBytes &&
                        head.record_bytes() <= bytes.size() &&
                        head.check == check_of(head, bytes.subspan(sizeof head, head.content_bytes));
  if (!is_whole) head.mark = 0;
  return head;
}

bool unpack_kept(std::span<const uint8_t> content, std::span<uint8_t> out) {
  if (content.size() == kPieceBytes) {
    std::memcpy(out.data(), content.data(), kPieceBytes);
    return true;
  }
  return ZSTD_decompressDCtx(decompressor(), out.data(), kPieceBytes, content.data(), content.size()) ==
         kPieceBytes;
}

}  // namespace patina
