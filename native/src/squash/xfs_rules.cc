// The rules of xfs, version 5: headers of allocation groups and the log have their places; all other metadata
// begins with a magic number in each block.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "squash/bytes.h"
#include "squash/rules.h"

namespace patina {
namespace {

// struct xfs_dsb of the kernel's fs/xfs/libxfs/xfs_format.h.
struct Geometry {
  uint64_t blocks_count = 0;  // each a piece
  uint64_t group_blocks = 0;
  uint64_t header_blocks = 0;  // at the begin of each group
  uint64_t log_begin = 0;
  uint64_t log_end = 0;
};

std::string refusal(std::span<const uint8_t> super_block) {
  constexpr uint16_t kVersionMask = 0xf;
  constexpr uint32_t kReadOnlyCompatible = 0xf;  // finobt, rmapbt, reflink, inobtcount
  // ftype, sparse inodes, meta uuid, bigtime, needs repair, nrext64, exchange range, parent pointers
  constexpr uint32_t kIncompatible = 0xff;
  constexpr uint32_t kLogIncompatible = 0x1;  // logged attributes
  const auto word = [super_block](size_t offset) { return big_at<uint32_t>(super_block, offset); };
  if ((big_at<uint16_t>(super_block, 100) & kVersionMask) != 5) {
    return "It has no checksums (version 4). Make it with crc=1.";
  }
  if (super_block[126] != 0) return "It is being made.";
  if (word(208) != 0 || (word(212) & ~kReadOnlyCompatible) != 0 || (word(216) & ~kIncompatible) != 0 ||
      (word(220) & ~kLogIncompatible) != 0) {
    return "It has features that Patina does not know.";
  }
  if (big_at<uint64_t>(super_block, 16) != 0 || big_at<uint64_t>(super_block, 24) != 0 || word(92) != 0) {
    return "It has a realtime section.";
  }
  if (big_at<uint64_t>(super_block, 48) == 0) return "Its log is on another device.";
  if (word(4) != kPieceBytes) return "Its blocks are not of 4 KiB.";
  if (super_block[192] != 0) return "Its directories have blocks larger than those of the file system.";
  return "";
}

// False: the super block is not valid.
bool read_geometry(std::span<const uint8_t> super_block, uint64_t size_bytes, Geometry& geometry) {
  const auto word = [super_block](size_t offset) -> uint64_t {
    return big_at<uint32_t>(super_block, offset);
  };
  const uint64_t sector_bytes = big_at<uint16_t>(super_block, 102);
  const unsigned group_bits = super_block[124];
  geometry.blocks_count = big_at<uint64_t>(super_block, 8);
  geometry.group_blocks = word(84);
  if (geometry.blocks_count > size_bytes / kPieceBytes) return false;
  if (!std::has_single_bit(sector_bytes) || sector_bytes < 512 || sector_bytes > 4096) return false;
  // The super block, and the headers of free space, inodes and the list of free blocks: a sector each.
  geometry.header_blocks = (4 * sector_bytes + kPieceBytes - 1) / kPieceBytes;
  if (group_bits > 32 || geometry.group_blocks < 64 || geometry.group_blocks > uint64_t{1} << group_bits) {
    return false;
  }
  const uint64_t log = big_at<uint64_t>(super_block, 48);
  const uint64_t group = log >> group_bits;
  if (group > geometry.blocks_count / geometry.group_blocks) return false;
  geometry.log_begin = group * geometry.group_blocks + (log & ((uint64_t{1} << group_bits) - 1));
  geometry.log_end = geometry.log_begin + word(96);
  return geometry.log_end <= geometry.blocks_count && word(96) > 0;
}

bool has_magic(std::span<const uint8_t> block) {
  switch (big_at<uint16_t>(block, 0)) {
    case 0x494e:  // "IN", an inode
    case 0x4451:  // "DQ", a quota
      return true;
    default:
      break;
  }
  switch (big_at<uint16_t>(block, 8)) {
    case 0x3bee:  // a leaf of attributes
    case 0x3df1:  // leaves of a directory
    case 0x3dff:
    case 0x3ebe:  // a node of either
      return true;
    default:
      break;
  }
  switch (big_at<uint32_t>(block, 0)) {
    case 0x58465342:  // XFSB, a super block
    case 0x58414746:  // XAGF, headers of a group
    case 0x58414749:  // XAGI
    case 0x5841464c:  // XAFL
    case 0x41423342:  // AB3B, trees: free space by block
    case 0x41423343:  // AB3C, free space by size
    case 0x49414233:  // IAB3, inodes
    case 0x46494233:  // FIB3, free inodes
    case 0x524d4233:  // RMB3, owners of blocks
    case 0x52334643:  // R3FC, shared blocks
    case 0x424d4133:  // BMA3, extents of a file
    case 0x58444233:  // XDB3, a directory of one block
    case 0x58444433:  // XDD3, data of a directory
    case 0x58444633:  // XDF3, free space of a directory
    case 0x5841524d:  // XARM, a value of an attribute
    case 0x58534c4d:  // XSLM, a symbolic link
      return true;
    default:
      return false;
  }
}

class XfsRules final : public Rules {
 public:
  explicit XfsRules(const Geometry& geometry) : geometry_(geometry) {}

  void classify(uint64_t first_piece, std::span<const uint8_t> data,
                std::span<Verdict> verdicts) const override {
    for (size_t i = 0; i < verdicts.size(); ++i) {
      const bool is_kept =
          is_placed(first_piece + i) || has_magic(data.subspan(i * kPieceBytes, kPieceBytes));
      verdicts[i] = is_kept ? Verdict::kKeep : Verdict::kDrop;
    }
  }
  bool watches(uint64_t first_piece, uint64_t /*pieces_count*/) const override { return first_piece == 0; }
  // Made anew with each write to its super block.
  void learn(uint64_t /*first_piece*/, uint64_t /*pieces_count*/) override {}
  std::string reason() const override { return ""; }
  uint64_t memory_bytes() const override { return sizeof *this; }

 private:
  bool is_placed(uint64_t block) const {
    return block % geometry_.group_blocks < geometry_.header_blocks ||
           (block >= geometry_.log_begin && block < geometry_.log_end) || block >= geometry_.blocks_count;
  }

  Geometry geometry_;
};

}  // namespace

MadeRules make_xfs_rules(uint64_t size_bytes, const PieceReader& reader) {
  std::array<uint8_t, kPieceBytes> piece;
  if (!reader(0, piece)) return {nullptr, "Its super block is not kept."};
  if (std::string refused = refusal(piece); !refused.empty()) return {nullptr, std::move(refused)};
  Geometry geometry;
  if (!read_geometry(piece, size_bytes, geometry)) return {nullptr, "Its super block is not valid."};
  return {std::make_unique<XfsRules>(geometry), ""};
}

}  // namespace patina
