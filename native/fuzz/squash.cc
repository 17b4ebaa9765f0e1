// Fuzzes the super blocks and all else that squash reads of a disk: a sequence of writes, zeroings and
// flushes. Each step: what to do (1 byte), the piece (3), a place in it (2), the number of bytes (2), the
// bytes.
#include "squash/squash.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <vector>

#include "fuzzing.h"

namespace patina {
namespace {

constexpr uint64_t kDiskBytes = uint64_t{64} << 20U;
constexpr uint64_t kPieces = kDiskBytes / kPieceBytes;
constexpr uint64_t kMaxMemoryBytes = uint64_t{64} << 20U;

class FuzzedDisk {
 public:
  FuzzedDisk()
      : squash_(kDiskBytes, [this](uint64_t piece, std::span<uint8_t, kPieceBytes> into) {
          require(piece < kPieces, "reads within the disk");
          return read(piece, into);
        }) {
    squash_.reload();
  }

  void write(uint64_t piece, size_t offset, std::span<const uint8_t> bytes) {
    const uint64_t count = std::min((offset + bytes.size() + kPieceBytes - 1) / kPieceBytes, kPieces - piece);
    std::vector<uint8_t> data(count * kPieceBytes);
    for (uint64_t i = 0; i < count; ++i) {
      read(piece + i, std::span(data).subspan(i * kPieceBytes).first<kPieceBytes>());
    }
    if (count == 0) return;
    std::copy_n(bytes.begin(), std::min(bytes.size(), data.size() - offset),
                data.begin() + static_cast<ptrdiff_t>(offset));
    std::vector<Verdict> verdicts(count);
    std::vector<Verdict> again(count);
    squash_.classify(piece, data, verdicts);
    squash_.classify(piece, data, again);
    require(verdicts == again, "the same decision on the same write");
    for (uint64_t i = 0; i < count; ++i) {
      std::vector<uint8_t>& kept = kept_[piece + i];
      kept.clear();
      if (verdicts[i] == Verdict::kDrop) continue;
      const auto begin = data.begin() + static_cast<ptrdiff_t>(i * kPieceBytes);
      kept.assign(begin, begin + kPieceBytes);
    }
    if (piece == 0) require(verdicts[0] == Verdict::kKeep, "a super block that is kept");
    squash_.stored(piece, count);
    require(squash_.memory_bytes() <= kMaxMemoryBytes, "bounded memory");
  }
  void zero(uint64_t piece, uint64_t count) {
    count = std::min(count, kPieces - piece);
    kept_.erase(kept_.lower_bound(piece), kept_.lower_bound(piece + count));
    squash_.stored(piece, count);
  }
  void settle() {
    squash_.flushed();
    squash_.flushed();
    const auto settled = squash_.settle(std::chrono::steady_clock::now() + std::chrono::hours(1));
    for (const uint64_t piece : settled.dropped) {
      require(piece < kPieces, "drops within the disk");
      kept_[piece].clear();
    }
  }
  void reload() {
    squash_.reload();
    require(squash_.kept_whole_reason().empty() ? !squash_.file_system().empty() : true,
            "a name or a reason");
  }

 private:
  // An entry without bytes is a dropped piece; no entry, zeroes.
  bool read(uint64_t piece, std::span<uint8_t, kPieceBytes> into) const {
    std::fill(into.begin(), into.end(), uint8_t{0});
    const auto found = kept_.find(piece);
    if (found == kept_.end()) return true;
    std::copy(found->second.begin(), found->second.end(), into.begin());
    return !found->second.empty();
  }

  std::map<uint64_t, std::vector<uint8_t>> kept_;
  Squash squash_;
};

uint64_t number(std::span<const uint8_t> bytes) {
  uint64_t value = 0;
  for (const uint8_t byte : bytes) value = value << 8U | byte;
  return value;
}

}  // namespace
}  // namespace patina

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr size_t kStepBytes = 8;
  patina::FuzzedDisk disk;
  std::span<const uint8_t> left(data, size);
  for (int steps = 0; left.size() >= kStepBytes && steps < 200; ++steps) {
    const uint8_t what = left[0];
    const uint64_t piece = patina::number(left.subspan(1, 3)) % patina::kPieces;
    const size_t offset = patina::number(left.subspan(4, 2)) % patina::kPieceBytes;
    const size_t count = std::min<size_t>(patina::number(left.subspan(6, 2)), left.size() - kStepBytes);
    left = left.subspan(kStepBytes);
    if (what % 8 == 1) {
      disk.zero(piece, offset + 1);
    } else if (what % 8 == 2) {
      disk.settle();
    } else if (what % 8 == 3) {
      disk.reload();
    } else {
      disk.write(piece, offset, left.first(count));
      left = left.subspan(count);
    }
  }
  disk.reload();
  return 0;
}
