// The rules of btrfs: each node of its trees begins with the file system's id. The pieces behind the first
// one of a node have no mark of their own.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "squash/bytes.h"
#include "squash/rules.h"

namespace patina {
namespace {

constexpr size_t kIdOffset = 0x20;  // in a super block and in the header of a node
constexpr size_t kIdBytes = 16;

struct Geometry {
  uint64_t pieces_count = 0;
  uint64_t node_pieces = 1;
  std::array<uint8_t, kIdBytes> id{};
};

// struct btrfs_super_block of the kernel's include/uapi/linux/btrfs_tree.h.
std::string refusal(std::span<const uint8_t> super_block) {
  constexpr uint64_t kFlags = 0x7;               // written, being moved, errors
  constexpr uint64_t kReadOnlyCompatible = 0xf;  // free space tree (2 bits), verity, block group tree
  constexpr uint64_t kFreeSpaceTree = 0x3;
  // All up to RAID1C34 but RAID56, and simple quotas.
  constexpr uint64_t kIncompatible = 0x10f7f;
  constexpr uint64_t kZoned = 0x1000;
  constexpr uint64_t kStripeTree = 0x4000;
  const auto number = [super_block](size_t offset) { return little_at<uint64_t>(super_block, offset); };
  if (number(0x88) != 1) return "It has several devices.";
  if ((number(0xbc) & kZoned) != 0) return "It is zoned.";
  if ((number(0xbc) & kStripeTree) != 0) return "It has a tree of RAID stripes.";
  if ((number(0x38) & ~kFlags) != 0 || number(0xac) != 0 || (number(0xb4) & ~kReadOnlyCompatible) != 0 ||
      (number(0xbc) & ~kIncompatible) != 0) {
    return "It has features or a state that Patina does not know.";
  }
  if ((number(0xb4) & kFreeSpaceTree) != kFreeSpaceTree) {
    return "It keeps its free space in files (free space cache v1). Mount it once with space_cache=v2.";
  }
  return "";
}

bool read_geometry(std::span<const uint8_t> super_block, uint64_t size_bytes, Geometry& geometry) {
  constexpr uint64_t kMetadataId = 0x400;
  constexpr size_t kMetadataIdOffset = 0x23b;
  const uint64_t node_bytes = little_at<uint32_t>(super_block, 0x94);
  const uint64_t sector_bytes = little_at<uint32_t>(super_block, 0x90);
  // Of the file system's device, in the item that describes it.
  const uint64_t total_bytes = little_at<uint64_t>(super_block, 0xd1);
  if (!std::has_single_bit(node_bytes) || node_bytes < kPieceBytes || node_bytes > 65536) return false;
  if (!std::has_single_bit(sector_bytes) || sector_bytes < kPieceBytes || sector_bytes > node_bytes)
    return false;
  if (total_bytes == 0 || total_bytes > size_bytes) return false;
  // A file system that btrfs-convert made may have nodes elsewhere.
  const bool is_aligned = little_at<uint64_t>(super_block, 0x50) % node_bytes == 0 &&
                          little_at<uint64_t>(super_block, 0x58) % node_bytes == 0;
  if (!is_aligned) return false;
  geometry.pieces_count = total_bytes / kPieceBytes;
  geometry.node_pieces = node_bytes / kPieceBytes;
  const bool has_metadata_id = (little_at<uint64_t>(super_block, 0xbc) & kMetadataId) != 0;
  std::memcpy(geometry.id.data(), super_block.data() + (has_metadata_id ? kMetadataIdOffset : kIdOffset),
              kIdBytes);
  return true;
}

class BtrfsRules final : public Rules {
 public:
  explicit BtrfsRules(const Geometry& geometry) : geometry_(geometry) {}

  void classify(uint64_t first_piece, std::span<const uint8_t> data,
                std::span<Verdict> verdicts) const override {
    const uint64_t node_pieces = geometry_.node_pieces;
    uint64_t node_end = 0;  // of the last head
    for (size_t i = 0; i < verdicts.size(); ++i) {
      const uint64_t piece = first_piece + i;
      if (is_head(data.subspan(i * kPieceBytes, kPieceBytes))) node_end = piece + node_pieces;
      const uint64_t offset = piece % node_pieces;
      if (piece < node_end || is_placed(piece)) {
        verdicts[i] = Verdict::kKeep;
      } else {
        // A node whose head is in this write was decided with it.
        verdicts[i] = offset <= i ? Verdict::kDrop : Verdict::kKeepForNow;
      }
    }
  }
  bool watches(uint64_t first_piece, uint64_t pieces_count) const override {
    return first_piece <= kBtrfsSuperPiece && first_piece + pieces_count > kBtrfsSuperPiece;
  }
  // Made anew with each write to its super block.
  void learn(uint64_t /*first_piece*/, uint64_t /*pieces_count*/) override {}
  std::string reason() const override { return ""; }
  uint64_t memory_bytes() const override { return sizeof *this; }
  uint64_t node_pieces() const override { return geometry_.node_pieces; }
  bool is_node_head(std::span<const uint8_t, kPieceBytes> piece) const override { return is_head(piece); }

 private:
  bool is_head(std::span<const uint8_t> piece) const {
    return std::memcmp(piece.data() + kIdOffset, geometry_.id.data(), kIdBytes) == 0;
  }
  // The reserved first MiB with the first super block, and its copies at 64 MiB and 256 GiB.
  bool is_placed(uint64_t piece) const {
    constexpr uint64_t kReservedPieces = (uint64_t{1} << 20U) / kPieceBytes;
    constexpr uint64_t kSecondCopy = (uint64_t{64} << 20U) / kPieceBytes;
    constexpr uint64_t kThirdCopy = (uint64_t{256} << 30U) / kPieceBytes;
    return piece < kReservedPieces || piece == kSecondCopy || piece == kThirdCopy ||
           piece >= geometry_.pieces_count;
  }

  Geometry geometry_;
};

}  // namespace

MadeRules make_btrfs_rules(uint64_t size_bytes, const PieceReader& reader) {
  std::array<uint8_t, kPieceBytes> piece;
  if (!reader(kBtrfsSuperPiece, piece)) return {nullptr, "Its super block is not kept."};
  if (std::string refused = refusal(piece); !refused.empty()) return {nullptr, std::move(refused)};
  Geometry geometry;
  if (!read_geometry(piece, size_bytes, geometry)) return {nullptr, "Its super block is not valid."};
  return {std::make_unique<BtrfsRules>(geometry), ""};
}

}  // namespace patina
