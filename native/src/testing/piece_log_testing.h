// A log of few pieces, a model of what it holds, and random changes to both.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "piece_log/piece_log.h"
#include "testing/piece_testing.h"

namespace patina {

inline constexpr uint64_t kPieces = 300;
inline constexpr uint32_t kSegmentBytes = uint32_t{64} << 10U;

// What each piece holds: 0 zero, 1 dropped, else the seed of its content.
using PieceSeeds = std::vector<uint32_t>;

inline std::unique_ptr<PieceLog> open_log(const std::string& folder, uint64_t available_bytes = 0,
                                          uint64_t hold_bytes = 0) {
  Result<std::unique_ptr<PieceLog>> log = PieceLog::open({.folder = folder,
                                                          .size_bytes = kPieces * kPieceBytes,
                                                          .available_bytes = available_bytes,
                                                          .hold_bytes = hold_bytes,
                                                          .segment_bytes = kSegmentBytes});
  EXPECT_TRUE(log.ok()) << log.error().message;
  return std::move(*log);
}

inline PieceSeeds read_disk(const PieceLog& log) {
  PieceSeeds disk(kPieces);
  std::vector<PieceState> states(kPieces);
  std::vector<uint8_t> data(kPieces * kPieceBytes);
  const Status read = log.read(0, states, data);
  EXPECT_TRUE(read.ok()) << read.error().message;
  for (uint64_t piece = 0; piece < kPieces; ++piece) {
    if (states[piece] != PieceState::kKept) {
      disk[piece] = states[piece] == PieceState::kDropped ? 1 : 0;
      continue;
    }
    const std::span<const uint8_t> content = std::span(data).subspan(piece * kPieceBytes, kPieceBytes);
    std::memcpy(&disk[piece], content.data(), sizeof disk[piece]);
    EXPECT_TRUE(std::ranges::equal(content, content_of(disk[piece]))) << piece;
  }
  return disk;
}

// A random write, to the log and to the model.
class PieceWriter {
 public:
  explicit PieceWriter(uint32_t seed) : random_(seed) {}

  PieceChanges change(PieceSeeds& disk) {
    PieceChanges changes;
    const uint64_t first = random_() % kPieces;
    const uint64_t count = 1 + random_() % std::min<uint64_t>(kPieces - first, 24);
    const uint32_t kind = below(4);
    if (kind == 0) changes.drop(first, count);
    if (kind == 1) changes.zero(first, count);
    for (uint64_t piece = first; piece < first + count; ++piece) {
      disk[piece] = kind == 0 ? 1 : kind == 1 ? 0 : ++seed_;
      if (kind > 1) changes.keep(piece, content_of(seed_));
    }
    return changes;
  }
  uint32_t below(uint32_t limit) { return static_cast<uint32_t>(random_()) % limit; }

 private:
  std::mt19937 random_;
  uint32_t seed_ = 1;
};

// Of the files in the folder whose names begin so.
inline uint64_t stored_bytes(const std::string& folder, const std::string& prefix = "") {
  uint64_t sum = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().filename().string().starts_with(prefix)) sum += entry.file_size();
  }
  return sum;
}

inline uint64_t segments_bytes(const std::string& folder) {
  return stored_bytes(folder, "segment-");
}

// Keeps incompressible pieces from the first on until one is refused; returns its number.
inline uint64_t keep_until_full(PieceLog& log, PieceSeeds& disk) {
  for (uint64_t piece = 0; piece < kPieces; ++piece) {
    const auto seed = static_cast<uint32_t>(3 * (piece + 1));
    PieceChanges changes;
    changes.keep(piece, content_of(seed));
    if (const Status applied = log.apply(changes); !applied) {
      EXPECT_EQ(applied.error().code, ErrorCode::kStoreNoSpace);
      return piece;
    }
    disk[piece] = seed;
  }
  return kPieces;
}

}  // namespace patina
