// Which pieces of a write may be metadata of a file system, and must be kept. All others may be dropped.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <span>
#include <string>
#include <vector>

#include "squash/node_groups.h"
#include "squash/piece.h"
#include "squash/rules.h"

namespace patina {

class Squash {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  // A write or a zeroing that begins or ends in a node of btrfs is looked at once more when both have passed.
  static constexpr std::chrono::seconds kSettleAfter{10};
  static constexpr uint64_t kSettleFlushes = 2;

  struct Settlement {
    // Pieces that were kept for now and turned out to be data.
    std::vector<uint64_t> dropped;
    // A sentence, unless empty: a node came, and one of its pieces is not kept. The disk has lost metadata,
    // and its owner must fail all further requests with this sentence.
    std::string lost;
  };

  // Knows nothing before reload(): until then all pieces are kept.
  Squash(uint64_t size_bytes, PieceReader reader);

  // Decides on each piece of a write, before it is stored. `data` has one piece for each of `verdicts`. Safe
  // from several threads; changes no state. Pieces of zeroes are always kept, since they cost nothing.
  void classify(uint64_t first_piece, std::span<const uint8_t> data, std::span<Verdict> verdicts) const;

  // Learns from a write (or a zeroing, without verdicts) that has been stored, and that the reader reads. A
  // test of a few numbers for most places. Safe from several threads.
  void stored(uint64_t first_piece, uint64_t pieces_count, std::span<const Verdict> verdicts = {});

  // The owner has completed a flush.
  void flushed();

  // Reads everything anew from the disk: at start, and after a fault that changed it.
  void reload();

  // Whether settle() must be called at this flush, before what it reads is written again.
  bool is_due() const;

  // Looks once more at pieces kept for now. The owner calls it from time to time, while no write is between
  // classify() and stored(), and drops the returned pieces before the next one.
  Settlement settle(TimePoint now);

  std::string file_system() const;        // "ext4" (also for ext2 and ext3), "xfs", "btrfs"; "" unknown
  std::string kept_whole_reason() const;  // empty: classified; else why every piece is kept
  // Bytes that its file system has allocated, by its super block: current once it is unmounted. Null:
  // unknown.
  std::optional<uint64_t> used_bytes() const;
  uint64_t memory_bytes() const;

 private:
  void find_kind();  // with mutex_ held
  std::string reason() const;

  const uint64_t size_bytes_;
  const PieceReader reader_;
  mutable std::shared_mutex mutex_;
  std::unique_ptr<Rules> rules_;  // none: all pieces are kept
  std::string kind_;
  std::string reason_;  // without rules: why
  uint64_t flushes_count_ = 0;
  NodeGroups node_groups_;
};

}  // namespace patina
