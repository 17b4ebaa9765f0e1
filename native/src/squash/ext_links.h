// Blocks of an ext file system that are kept while it is mounted: those that may be targets of symbolic
// links, on which the tables of inodes decide once it is unmounted, and the log of the journal.
#pragma once

#include <bitset>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "squash/ext_geometry.h"
#include "squash/ext_places.h"
#include "squash/piece.h"

namespace patina {

// Takes part only if the file system has a journal: it is then marked as unmounted (needs_recovery is clear)
// after all its inodes are where they belong, and not before. A mount decides on what was written in it, and
// on nothing else: images and traces may rely on older content.
class ExtLinks {
 public:
  // Learns from the super block that was written, of 1024 bytes, whether a mount has begun or ended.
  void read_super_block(std::span<const uint8_t> super_block);
  // Whether pieces written now are decided on later.
  bool is_mounted() const { return state_ == State::kMounted; }
  // Whether a mount has ended whose pieces settle() decides on.
  bool is_due() const { return state_ == State::kUnmounted; }
  void keep_for_now(uint64_t piece);
  void keep_log_for_now(uint64_t piece);
  // Forgets all pieces: they stay kept.
  void forget();

  // Once it is unmounted: returns the pieces of the mount that have no block of a symbolic link, in order.
  // None if an inode cannot be read.
  std::vector<uint64_t> settle(const ExtGeometry& geometry, const ExtPlaces& places,
                               const PieceReader& reader);
  // Once it is unmounted, and before settle(): returns the pieces of the log that the mount has written.
  std::vector<uint64_t> log() const;

  uint64_t memory_bytes() const { return (groups_.size() + log_groups_.size()) * sizeof(Group); }

 private:
  static constexpr uint64_t kGroupPieces = 32768;
  using Group = std::bitset<kGroupPieces>;
  using Groups = std::unordered_map<uint64_t, Group>;
  enum class State : uint8_t { kNone, kMounted, kUnmounted };
  struct Mount {
    uint32_t time = 0;
    uint32_t number = 0;
    bool operator==(const Mount&) const = default;
  };

  bool remove_links(const ExtGeometry& geometry, const ExtPlaces& places, const PieceReader& reader);
  bool remove_blocks_of(std::span<const uint8_t> inode, uint64_t block_bytes);
  void remove(uint64_t piece);
  static std::vector<uint64_t> pieces_of(const Groups& groups);

  State state_ = State::kNone;
  Mount mount_;
  Groups groups_;
  Groups log_groups_;
};

}  // namespace patina
