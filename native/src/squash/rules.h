// The rules of one kind of file system, as its super block sets them out.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "squash/piece.h"

namespace patina {

class Rules {
 public:
  virtual ~Rules() = default;

  // As Squash::classify(), for a write that has no super block. Called only while reason() is empty.
  virtual void classify(uint64_t first_piece, std::span<const uint8_t> data,
                        std::span<Verdict> verdicts) const = 0;
  // Whether a write there can change the rules.
  virtual bool watches(uint64_t first_piece, uint64_t pieces_count) const = 0;
  // Reads again what lies there.
  virtual void learn(uint64_t first_piece, uint64_t pieces_count) = 0;
  // Whether learn() reads a changed super block; else the rules are made anew.
  virtual bool learns_super_block() const { return false; }
  // A sentence while the file system cannot be classified, and every piece is kept.
  virtual std::string reason() const = 0;
  virtual uint64_t memory_bytes() const = 0;

  // Learns of a stored piece that classify() kept for now.
  virtual void keep_for_now(uint64_t /*piece*/) {}
  // As Squash::is_due().
  virtual bool is_due() const { return false; }
  // As Squash::settle(): appends pieces that turned out to be data.
  virtual void settle(std::vector<uint64_t>& /*dropped*/) {}

  // Number of pieces of a node of which only the first can be recognised: btrfs. 1: none.
  virtual uint64_t node_pieces() const { return 1; }
  virtual bool is_node_head(std::span<const uint8_t, kPieceBytes> /*piece*/) const { return false; }
};

// What a super block leads to: rules, or the reason why there are none.
struct MadeRules {
  std::unique_ptr<Rules> rules;
  std::string reason;
};

// The pieces with the super blocks: ext and xfs, btrfs.
inline constexpr uint64_t kFirstSuperPiece = 0;
inline constexpr uint64_t kBtrfsSuperPiece = 16;

// Each reads the super block of its kind from the disk. It is untrusted.
MadeRules make_ext_rules(uint64_t size_bytes, const PieceReader& reader);
MadeRules make_xfs_rules(uint64_t size_bytes, const PieceReader& reader);
MadeRules make_btrfs_rules(uint64_t size_bytes, const PieceReader& reader);

}  // namespace patina
